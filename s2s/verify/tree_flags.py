"""The flags with which the files of a tree are compiled: its target's, in the folder of a device the device's."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.verify.toolchain import accepted_flags

ROOT = Path()
"""The folder that stands for all files without flags of their own."""


def flags_by_folder(
    record: Mapping[str, Any], compiler: tuple[str, ...], flags: Sequence[str] | None
) -> dict[Path, tuple[str, ...]]:
    """Return the flags by folder that `compiler` accepts: `flags`, or the flags of the tree's record."""
    threads: Sequence[str] = record["threads"]["flags"] if "threads" in record else ()
    places = {ROOT: record, **{Path(device["folder"]): device for device in record.get("devices", [])}}
    return {
        place: accepted_flags(compiler, [*(described["target"]["flags"] if flags is None else flags), *threads])
        for place, described in places.items()
    }
