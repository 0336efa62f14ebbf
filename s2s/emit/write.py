"""Write a tree of files to disk, wholly or not at all."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from s2s.emit.stream import Content, pieces
from s2s.errors import InputError

RECORD = "metadata.json"
"""The file that identifies a tree of s2s and lists its files."""

BUILT = "build"
"""Folders whose names begin with this word are build outputs, which are deleted with the tree."""


def write_tree(files: Mapping[str, Content], destination: Path) -> None:
    """Write `files` beside `destination`, then rename. An older tree that stands there is replaced, nothing else is."""
    destination = Path(os.path.abspath(destination))
    check_destination(destination)
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{destination.name}.", dir=destination.parent))
    except OSError as error:
        raise InputError(f"{destination}: cannot write here ({error.strerror}); choose another directory") from error
    try:
        new = beside / "new"
        for folder in dict.fromkeys((new / path).parent for path in files):
            folder.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            _write(new / path, content)
        old = beside / "old"
        if destination.exists():
            destination.rename(old)
        try:
            new.rename(destination)
        except BaseException:
            if old.exists():
                old.rename(destination)
            raise
    except OSError as error:
        raise InputError(
            f"{destination}: cannot write the tree ({error.strerror}); choose another directory"
        ) from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def check_destination(destination: Path) -> None:
    """Raise an error if `destination` holds anything but an empty directory or a tree of s2s."""
    if destination.is_symlink():
        raise InputError(f"{destination}: is a symbolic link; name the directory itself")
    if not destination.exists():
        return
    if not destination.is_dir():
        raise InputError(f"{destination}: is a file; choose another name")
    try:
        found = sorted(entry.name for entry in destination.iterdir())
    except OSError as error:
        raise InputError(f"{destination}: cannot be read ({error.strerror}); choose another directory") from error
    if not found:
        return
    known = _recorded(destination)
    if known is None:
        raise InputError(f"{destination}: holds files and no tree of s2s; choose an empty or a new directory")
    foreign = [path for path in _files(destination) if path not in known]
    if foreign:
        raise InputError(
            f"{destination}: {foreign[0]} was not written by s2s; move it away or choose another directory"
        )


def _recorded(destination: Path) -> set[str] | None:
    """Return the files of the tree at `destination`, by its record; None if there is none."""
    try:
        record = json.loads((destination / RECORD).read_text(encoding="utf-8"))
        return {*record["files"], RECORD} if record["generator"]["name"] == "s2s" else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _files(folder: Path) -> list[str]:
    """Return the paths of all files under `folder` except build outputs."""
    found: list[str] = []
    for root, folders, names in os.walk(folder):
        if Path(root) == folder:
            folders[:] = [name for name in folders if not name.startswith(BUILT)]
        found += [Path(root, name).relative_to(folder).as_posix() for name in names]
    return sorted(found)


def _write(path: Path, content: Content) -> None:
    with path.open("wb") as file:
        for piece in pieces(content):
            file.write(piece)
