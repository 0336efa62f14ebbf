"""Find the entry points of installed packages without reading the metadata of all of them.

Importing `importlib.metadata` and reading what every installed package states takes 30 ms, in which a small network is
half compiled; of the packages on most machines none brings anything for s2s. So the files `entry_points.txt` beside
installed packages are searched for the group first.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

FOLDERS = (".dist-info", ".egg-info", "EGG-INFO")
"""How the names of the folders end that describe an installed package."""


def entry_points(*, group: str) -> "Sequence[EntryPoint]":
    """Return the entry points of a group, as `importlib.metadata.entry_points` does."""
    if not may_have_entry_points(group):
        return ()
    from importlib import metadata

    return tuple(metadata.entry_points(group=group))


def may_have_entry_points(group: str) -> bool:
    """Return whether some installed package names the group, or cannot be looked at as a folder."""
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True
    heading = f"[{group}]".encode()
    return any(text is None or heading in text for place in sys.path for text in _texts(place or os.curdir))


def _texts(place: str) -> Iterator[bytes | None]:
    """Yield what the packages in an entry of `sys.path` state; None for a file, which may hold packages."""
    try:
        names = os.listdir(place)
    except NotADirectoryError:
        yield None
        return
    except OSError:  # no such folder, as Python itself passes over it
        return
    for name in names:
        if name.endswith(FOLDERS):
            try:
                with open(os.path.join(place, name, "entry_points.txt"), "rb") as file:
                    yield file.read()
            except OSError:
                continue
