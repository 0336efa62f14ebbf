"""The segments of the arena: its parts in memory pools, or in the memories of devices.

The arena is one range of offsets with a segment for each pool that holds buffers: offsets below 4096 are in the first
pool, those from there on in the second one. The attribute `arena_pools` of `main` lists the segments.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, i64
from xdsl.dialects.func import FuncOp

from s2s.types.hints import isa

ARENA_POOLS = "arena_pools"
"""Attribute of `main`: the segments of the arena, each with the name of its pool or device, its offset and its size."""


class Segment(NamedTuple):
    """The part of the arena in one pool, or in the memory of one device."""

    pool: str
    """The name of that."""
    offset: int
    size: int


def record_segments(main: FuncOp, segments: Sequence[Segment]) -> None:
    """Write the segments of the arena to `main`."""
    main.attributes[ARENA_POOLS] = ArrayAttr(map(_entry, segments))


def segments_of(main: FuncOp) -> tuple[Segment, ...]:
    """Return the segments of the arena of `main`; none without pools."""
    listed = main.attributes.get(ARENA_POOLS)
    if not isa(listed, ArrayAttr[DictionaryAttr]):
        return ()
    found: list[Segment] = []
    for entry in listed:
        name, offset, size = (entry.data[key] for key in ("name", "offset", "size"))
        assert isinstance(name, StringAttr)
        assert isinstance(offset, IntegerAttr)
        assert isinstance(size, IntegerAttr)
        found.append(Segment(name.data, offset.value.data, size.value.data))
    return tuple(found)


def _entry(segment: Segment) -> DictionaryAttr:
    numbers = {"offset": segment.offset, "size": segment.size}
    return DictionaryAttr(
        {"name": StringAttr(segment.pool), **{key: IntegerAttr(value, i64) for key, value in numbers.items()}}
    )
