"""The version of s2s, which the tags of git state: `v0.2.0` marks release 0.2.0.

setuptools-scm writes the version of a wheel or an sdist to `_version.txt` beside this file when it is built. In a
checkout that file is as old as the last installation, so the commit is read from the repository. With tags, the version
has the form that setuptools-scm gives it: `0.2.1.dev3+g1a2b3c4d5` three commits after the tag `v0.2.0`. Without any tag
it is `0.1.dev0+g1a2b3c4d5`: counting the commits would start git in every compilation. The version depends on the
commit alone: changes that are not committed do not show.
"""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

RUNTIME_VERSION = 100
"""The version of the headers in `runtime_c`, S2S_RUNTIME_VERSION there: networks refuse headers of another one."""
UNKNOWN = "0.0+unknown"
"""The version of a copy that is neither a checkout nor installed."""

_HERE = Path(__file__).resolve().parent
_DESCRIPTION = re.compile(r"(?P<tag>.+)-(?P<distance>\d+)-g(?P<commit>[0-9a-f]+)")
_DESCRIBE = ("describe", "--tags", "--long", "--abbrev=40", "--match", "*[0-9]*")
"""Ask for the last tag of a release and the commits since."""
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
    """Return the version of the commit that is checked out; None if there is none or git cannot read the repository."""
    repository = Repository.at(root)
    if repository.may_have_tags() and (described := _git(root, *_DESCRIBE)) is not None:
        found = _DESCRIPTION.fullmatch(described)
        assert found is not None, f"git describes the commit as {described}"
        last = found["tag"].removeprefix("v")
        if found["distance"] == "0":
            return last
        return f"{_next(last)}.dev{found['distance']}+g{found['commit'][:_DIGITS]}"
    commit = repository.head() or _git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    return f"0.1.dev0+g{commit[:_DIGITS]}" if commit else None


class Repository(NamedTuple):
    """The files of a git repository, read without starting git.

    `own` belongs to one work tree and holds `HEAD`; `common` holds branches and tags, and is another folder in a work
    tree that `git worktree add` made.
    """

    own: Path
    common: Path

    @staticmethod
    def at(root: Path) -> "Repository":
        """Find the repository of the work tree at `root`, where `.git` is a folder or a file that names one."""
        own = root / ".git"
        if own.is_file():
            own = root / _line(own).removeprefix("gitdir: ")
        link = own / "commondir"
        return Repository(own, own / _line(link) if link.is_file() else own)

    def head(self) -> str | None:
        """Return the commit of `HEAD`; None if these files do not tell, as in a repository that stores its references
        otherwise."""
        head = self.own / "HEAD"
        text = _line(head) if head.is_file() else ""
        if not text.startswith("ref: "):
            return _commit(text)
        name = text.removeprefix("ref: ")
        loose = self.common / name
        if loose.is_file():
            return _commit(_line(loose))
        return next((_commit(line.split()[0]) for line in self._packed() if line.endswith(f" {name}")), None)

    def may_have_tags(self) -> bool:
        """Return whether there are tags, or references are stored where only git finds them."""
        tags = self.common / "refs" / "tags"
        loose = tags.is_dir() and any(tags.iterdir())
        return loose or (self.common / "reftable").exists() or any(" refs/tags/" in line for line in self._packed())

    def _packed(self) -> list[str]:
        packed = self.common / "packed-refs"
        return packed.read_text(encoding="utf-8").splitlines() if packed.is_file() else []


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


def _line(file: Path) -> str:
    return file.read_text(encoding="utf-8").strip()


def _commit(text: str) -> str | None:
    """Return `text` if it is the hash of a commit, of SHA-1 or SHA-256."""
    return text if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", text) else None


def _git(root: Path, *arguments: str) -> str | None:
    """Return what a command of git prints; None if it fails or there is no git."""
    import subprocess  # not loaded where the files of the repository tell the version

    try:
        done = subprocess.run(
            ["git", "-C", root, *arguments], capture_output=True, encoding="utf-8", errors="replace", check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
