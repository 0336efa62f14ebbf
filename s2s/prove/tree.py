"""The files of a tree that s2s wrote, and what its metadata says of the network in it."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

from s2s.errors import InputError
from s2s.prove.faults import Unprovable
from s2s.support.frozen import frozen

FOLDERS = ("include", "runtime", "src")
OUTSIDE = re.compile(r'^\s*#\s*include\s*["<](?:/|[^">]*\.\.)', re.MULTILINE)
WAY_OUT = "give a directory that s2s compile wrote"


@frozen
class Port:
    """An input or output of the network; `size` is in bytes."""

    name: str
    macro: str
    """What the header calls it."""
    dtype: str
    size: int

    @property
    def count(self) -> int:
        """Elements, which the header's macro says."""
        bits = int(self.dtype[1:]) if self.dtype[1:].isdigit() else 8
        return self.size * 8 // max(8, bits)


@frozen
class Tree:
    """A tree: its folder, the files that are read, and what metadata.json says."""

    folder: Path
    files: tuple[str, ...]
    name: str
    ahead_of_time: bool
    has_state: bool
    arena: int
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @property
    def sources(self) -> list[str]:
        """The .c files."""
        return [file for file in self.files if file.endswith(".c")]

    def digests(self) -> dict[str, str]:
        """SHA-256 of each file that is read."""
        return {file: digest(self.folder / file) for file in self.files}

    def check(self) -> None:
        """Check the facts that the proof takes from metadata.json against the C.

        Raises InputError where the header promises a caller other sizes, Unprovable where a file includes one from
        outside of the tree.
        """
        header = self.folder / "include" / f"{self.name}.h"
        text = _text(header)
        sizes = {"ARENA": self.arena, **{port.macro: port.count for port in (*self.inputs, *self.outputs)}}
        for macro, size in sizes.items():
            defined = re.search(rf"^#define {self.name.upper()}_{macro}_SIZE\s+(\d+)u", text, re.MULTILINE)
            if int(defined[1] if defined else 0) != size:
                unit = "bytes" if macro == "ARENA" else "elements"
                raise InputError(f"{header}: {macro}_SIZE is not the {size} {unit} of metadata.json; {WAY_OUT}")
        for file in self.files:
            if not file.endswith(".bin") and OUTSIDE.search(_text(self.folder / file)):
                msg = f"{file} includes a file by a path out of its folder"
                raise Unprovable(msg)


def read_tree(folder: Path) -> Tree:
    """Read the metadata of a tree.

    Raises InputError where the folder is no tree.
    """
    path = folder / "metadata.json"
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        return Tree(
            folder,
            ("metadata.json", *_files(folder)),
            _word(fields["name"]),
            fields["executor"] == "aot",
            bool(fields["state"]),
            int(fields["arena"]["size"]),
            _ports(fields["inputs"]),
            _ports(fields["outputs"]),
        )
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InputError(f"{path}: is not the metadata of a tree; {WAY_OUT}") from error


def digest(path: Path) -> str:
    """The SHA-256 of a file.

    Raises InputError where it cannot be read.
    """
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; give the model and its tree") from error


def _files(folder: Path) -> list[str]:
    """The files that the C of a tree may read: what is there, whatever metadata.json lists."""
    paths = [path for part in FOLDERS for path in (folder / part).rglob("*") if path.is_file()]
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def _ports(listed: list[dict[str, Any]]) -> tuple[Port, ...]:
    return tuple(
        Port(port["name"], _word(port["identifier"]).upper(), port["dtype"], int(port["size"])) for port in listed
    )


def _word(name: object) -> str:
    """An identifier of C."""
    if not isinstance(name, str) or not re.fullmatch(r"\w+", name):
        msg = f"{name!r} is no identifier"
        raise ValueError(msg)
    return name


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as text; {WAY_OUT}") from error
