"""The version of s2s; `pyproject.toml` reads it from here."""

import re

VERSION = "0.1.0"


def release(version: str = VERSION) -> tuple[int, int, int]:
    """The three numbers that a version begins with: `0.2.0.dev1` is `(0, 2, 0)`."""
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", version)
    if found is None:
        raise ValueError(f"{version} does not begin with three numbers")
    major, minor, patch = map(int, found.groups())
    return major, minor, patch


def runtime_version(version: str = VERSION) -> int:
    """The version as one number, as S2S_RUNTIME_VERSION of the C runtime states it."""
    major, minor, patch = release(version)
    return major * 10000 + minor * 100 + patch
