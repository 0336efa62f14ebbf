"""Count the bytes that a loop-level kernel reads and writes in each of its buffers, repeated accesses included.

A pointwise convolution of 125 points and 64 x 64 channels whose tiles hold 5 points reads its 4096 weights 25 times:
102,400 bytes. Counts are upper bounds: of a branch both sides count, of a clipped copy all elements.
"""

from collections import Counter
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.traits import MemoryEffectKind

from s2s.analysis.cost.loops import range_of, trips_of
from s2s.dialects import loop
from s2s.types.affine import Range
from s2s.types.dtypes import size_in_bytes
from s2s.types.hints import isa


class Traffic(NamedTuple):
    """The bytes that a kernel reads and writes, by buffer."""

    reads: Counter[SSAValue]
    writes: Counter[SSAValue]


def traffic_of(kernel: FuncOp) -> Traffic:
    """Return the bytes that one call of `kernel` reads and writes, by buffer: its arguments, and constants that it
    names itself."""
    found = Traffic(Counter(), Counter())
    if kernel.body.blocks:
        _block(kernel.body.block, 1, {}, found)
    return found


def _block(block: Block, times: int, ranges: dict[SSAValue, Range], found: Traffic) -> None:
    """Add the accesses of `block`, which runs this many times."""
    for op in block.ops:
        if isinstance(op, loop.ForOp):
            _block(op.body.block, times * trips_of(op, ranges), ranges, found)
            continue
        if isinstance(op, loop.ApplyOp):
            ranges[op.result] = range_of(op, ranges)
        if isinstance(op, loop.SizeOp):
            ranges[op.result] = op.bounds
        if isinstance(op, loop.AccessInterface):
            for access in op.accesses():
                moved = found.writes if access.kind == MemoryEffectKind.WRITE else found.reads
                moved[loop.whole_of(access.buffer)] += times * _bytes(access)
        for region in op.regions:
            for inner in region.blocks:
                _block(inner, times, ranges, found)


def _bytes(access: loop.Access) -> int:
    """Return the bytes of one access; one without a start counts as the whole buffer."""
    type = access.buffer.type
    if not isa(type, MemRefType[Attribute]):
        return 0
    count = prod(extent.count for extent in access.extents)
    elements = count if access.start is not None else prod(type.get_shape())
    return elements * size_in_bytes(type.element_type)
