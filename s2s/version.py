"""The version of s2s, which the tags of git state: `v0.2.0` marks release 0.2.0.

setuptools-scm writes the version of a wheel or an sdist to `_version.txt` beside this file when it is built. In a
checkout that file is as old as the last installation, so git is asked; the answer has the form that setuptools-scm
gives it: `0.2.1.dev3+g1a2b3c4d5` three commits after the tag `v0.2.0`, `0.1.dev782+g1a2b3c4d5` without any tag. It
depends on the commit alone: changes that are not committed do not show.
"""

import os
import re
import subprocess
from functools import cache
from pathlib import Path

RUNTIME_VERSION = 100
"""The version of the headers in `runtime_c`, S2S_RUNTIME_VERSION there: networks refuse headers of another one."""
UNKNOWN = "0.0+unknown"
"""The version of a copy that is neither a checkout nor installed."""

_HERE = Path(__file__).resolve().parent
_DESCRIPTION = re.compile(r"(?P<tag>.+)-(?P<distance>\d+)-g(?P<commit>[0-9a-f]+)")
_RELEASES = "*[0-9]*"
"""The tags of releases."""
_DESCRIBE = ("describe", "--tags", "--long", "--abbrev=40", "--match", _RELEASES)
_DIGITS = 9
"""Digits of a commit in a version."""


@cache
def current_version() -> str:
    """Return the version of this copy of s2s."""
    root = _HERE.parent
    found = version_of_checkout(root) if (root / ".git").exists() else None
    written = _HERE / "_version.txt"
    if found is None and written.is_file():
        found = written.read_text(encoding="utf-8").strip()
    return found or UNKNOWN


def version_of_checkout(root: Path) -> str | None:
    """Return the version that git tells for the commit of a checkout; None where git cannot tell."""
    tagged = _git(root, "tag", "--list", _RELEASES)  # much faster than a description that fails for lack of tags
    if tagged and (described := _git(root, *_DESCRIBE)) is not None:
        found = _DESCRIPTION.fullmatch(described)
        assert found is not None, f"git describes the commit as {described}"
        last = found["tag"].removeprefix("v")
        if found["distance"] == "0":
            return last
        return f"{_next(last)}.dev{found['distance']}+g{found['commit'][:_DIGITS]}"
    commits = (_git(root, "rev-list", "HEAD") or "").split()
    return f"0.1.dev{len(commits)}+g{commits[0][:_DIGITS]}" if commits else None


def release(version: str) -> tuple[int, int, int]:
    """Return the numbers that a version begins with: `0.2.1.dev3` gives `(0, 2, 1)`, `0.1.dev7` gives `(0, 1, 0)`."""
    found = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", version)
    if found is None:
        raise ValueError(f"{version} does not begin with numbers")
    major, minor, patch = (int(each or 0) for each in found.groups())
    return major, minor, patch


def _next(version: str) -> str:
    """Return a version with its last number increased: what follows `0.2.0` is called `0.2.1`."""
    return re.sub(r"\d+$", lambda last: str(int(last[0]) + 1), version)


def _git(root: Path, *arguments: str) -> str | None:
    """Return what a command of git prints; None if it fails or there is no git."""
    environment = {**os.environ, "GIT_FLUSH": "0"}  # or it writes a list line by line, and each wakes this process
    try:
        done = subprocess.run(
            ["git", "-C", root, *arguments], capture_output=True, text=True, check=True, env=environment
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
