"""The emitted tree as files, in memory or in a folder, with the record that describes it.

A tree is written wholly or not at all, and replaces nothing but an older tree.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from s2s.c_syntax.interface import Interface
from s2s.emit.stream import Content, pieces
from s2s.errors import CompilerBug, InputError
from s2s.support.frozen import frozen

RECORD = "metadata.json"
"""The file that identifies a tree of s2s and lists its files."""

BUILT = "build"
"""Folders whose names begin with this word are build outputs, which are deleted with the tree."""


@frozen
class Tree:
    """Relative paths and contents, in the order they are written."""

    files: Mapping[str, Content]
    record: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The content of `metadata.json`: how the tree is built, and of each network what is in it."""
    interfaces: Mapping[str, Interface] = field(default_factory=dict[str, Interface])
    """The networks by name."""
    root: Path | None = None
    """The folder that it lies in; None in memory."""

    def write(self, destination: str | Path) -> "Tree":
        """Write the tree to `destination`, wholly or not at all, and return it as it lies there.

        It replaces an older tree of s2s, nothing else.
        """
        write_tree(self.files, Path(destination))
        return replace(self, root=Path(destination))

    def text(self, path: str) -> str:
        """A file as text."""
        return self.content(path).decode()

    def content(self, path: str) -> bytes:
        """The bytes of a file.

        Raises InputError where the tree lies in a folder and the file cannot be read.
        """
        return b"".join(pieces(self.files[path]))

    @property
    def folder(self) -> Path:
        """The folder that it lies in."""
        if self.root is None:
            raise CompilerBug("a tree in memory has no folder")
        return self.root

    def network(self, name: str | None = None) -> Interface:
        """The network of this name, or the only one.

        Raises InputError where there is no such network, or where there are several and none is named.
        """
        every = self.interfaces
        if name in every or (name is None and len(every) == 1):
            return every[name or next(iter(every))]
        place, listed = self.root or self.record["name"], ", ".join(every)
        if name is None:
            raise InputError(f"{place}: holds several networks, {listed}; name one: s2s.load(tree, network=…)")
        raise InputError(f"{name}: is no network of {place}, which holds {listed}; name one of these")

    def record_of(self, network: Interface) -> Mapping[str, Any]:
        """The part of the record that describes one network."""
        return self.record.get("networks", {}).get(network.name, self.record)

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)


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
