"""Read a tree that s2s wrote: its files, its record, and the interfaces of its networks.

Within a process a tree is handed on as it is; who has one on disk only reads it here.
"""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from s2s.c_syntax.interface import ArenaPool, Interface, Port, StateInfo, Threads
from s2s.c_syntax.types import element_named
from s2s.emit.files import RECORD, Tree
from s2s.emit.stream import Stream
from s2s.errors import InputError
from s2s.types.interface import EmptyTensor, ModelTensor
from s2s.types.size_formulas import parse_map
from s2s.types.sizes import SizeRange


def read_tree(root: Path) -> Tree:
    """The tree that s2s wrote to a folder; files are read where they are asked for.

    Raises InputError where the folder is no tree of this version.
    """
    try:
        record: dict[str, Any] = json.loads((root / RECORD).read_text(encoding="utf-8"))
        if record["generator"]["name"] == "s2s":
            networks: dict[str, Any] = record.get("networks", {record["name"]: record})
            interfaces = {name: interface_of(each) for name, each in networks.items()}
            return Tree({path: _file(root / path) for path in record["files"]}, record, interfaces, root)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    if not root.exists():
        raise InputError(f"{root}: there is no such folder; give the directory that `s2s compile` made")
    raise InputError(f"{root}: is no tree that s2s wrote; give the directory that `s2s compile` made")


def _file(path: Path) -> Stream:
    return Stream(partial(_read, path))


def _read(path: Path) -> Iterator[bytes]:
    try:
        yield path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); compile the tree again") from error


def interface_of(record: Mapping[str, Any]) -> Interface:
    """The interface that the record of a network states.

    A record of another version of s2s may lack what is asked for: KeyError, TypeError or ValueError.
    """
    arena, sizes, empty = record["arena"], record.get("sizes", ()), record.get("empty", {})
    threads = record.get("threads")
    return Interface(
        name=record["name"],
        inputs=tuple(map(Port.of, record["inputs"])),
        outputs=tuple(map(Port.of, record["outputs"])),
        arena_size=arena["size"],
        arena_align=arena["align"],
        executor=record["executor"],
        profile=record["options"].get("profile", "default"),
        pack="pack" in record,
        threads=None if threads is None else Threads(threads["most"], threads["by"]),
        states=tuple(
            StateInfo(each["name"], element_named(each["dtype"]), tuple(each["shape"]), each["offset"])
            for each in record["state"]
        ),
        empty_inputs=tuple(map(_read_empty, empty.get("inputs", ()))),
        empty_outputs=tuple(map(_read_empty, empty.get("outputs", ()))),
        pools=tuple(ArenaPool(**each) for each in arena.get("pools", ())),
        loaded=arena.get("loaded", 0),
        sizes={
            each["name"]: SizeRange(
                each["least"], each["most"], special=tuple(each.get("special", ())), step=each.get("step", 1)
            )
            for each in sizes
        },
        computed_sizes=tuple(each["name"] for each in sizes if each.get("computed")),
        derived_sizes={name: parse_map(text) for name, text in record.get("derived_sizes", {}).items()},
    )


def _read_empty(entry: Mapping[str, Any]) -> EmptyTensor:
    return EmptyTensor(entry["name"], entry["number"], ModelTensor(entry["dtype"], tuple(entry["shape"])))
