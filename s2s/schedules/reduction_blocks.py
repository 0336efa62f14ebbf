"""Rank the sizes of the blocks in which a long reduction is done, by the time that memory takes.

A product reads one panel of its packed constant for every tile of rows. If the panel exceeds L2, each time comes from
beyond it. In blocks of the reduction, a part of the panel stays in L2 while all tiles of rows read it, and partial sums
wait in the result: each block but the first loads and stores them.

For 128 x 32768 by 32768 x 64 on 2 MB of L2, a panel of 32 columns has 4 MB. Blocks of 2048 steps are 256 KB of it, an
eighth of L2, and 16 KB of partial sums are loaded and stored 15 times. Blocks of 4096 steps do that 7 times, but a
seventh of what lies beyond the eighth is read again for every tile of rows.
"""

from collections.abc import Sequence
from math import ceil, prod
from typing import NamedTuple

from xdsl.dialects.builtin import FloatAttr, f32

from s2s.analysis.affine.strides import computes_floats
from s2s.analysis.structure.folds import is_order_free
from s2s.dialects import tensor
from s2s.schedules.caches import FLOAT, dims_inside, panel_bytes, stays_in_l2
from s2s.targets import Target
from s2s.types.hints import isa

PANEL_SHARE = 8
"""The part of the L2 cache (1/8) that a block of a panel takes without being evicted: larger and smaller parts were
slower."""
SPAN = 4
"""Blocks of up to this many times more or fewer steps than fill this part are compared."""


class BlockedReduction(NamedTuple):
    """A reduction to do in blocks of `steps`, inside of the loop over panels; all at once if there are no `blocks`."""

    blocks: tuple[tuple[int, int], ...]
    dim: int
    steps: int
    cycles: float
    """What memory takes beyond reading the constant once."""

    def describe(self, names: Sequence[str]) -> str:
        """Return the blocks in words."""
        return f"blocks of {self.steps} {names[self.dim]}" if self.blocks else f"{names[self.dim]} all at once"


class LongReduction(NamedTuple):
    """A product whose panels of the packed constant exceed L2."""

    op: tensor.ComputeOp
    target: Target
    tile: Sequence[int]
    panel: int
    """The dimension whose loop moves from panel to panel."""
    rows: int
    """The dimension of the tiles that read a panel one after the other."""
    dim: int
    """The outermost reduction."""
    read: int
    """The packed constant."""

    @staticmethod
    def of(
        op: tensor.ComputeOp, target: Target, tile: list[int], order: list[int], panel: int | None, packed: set[int]
    ) -> "LongReduction | None":
        """Return the long reduction of `op`; None if its panels stay in L2, or partial sums cannot wait."""
        inside = [] if panel is None else dims_inside(op, tile, order, panel)
        if panel is None or len(inside) != 1 or len(packed) != 1 or not (target.l2_bytes and _keeps_partials(op)):
            return None
        (read,), outermost = packed, [dim for dim in order if dim >= op.rank and op.sizes[dim] > 1][:1]
        if not outermost or stays_in_l2(op, target, tile, order, panel, read) or _guards(op, outermost[0]):
            return None
        return LongReduction(op, target, tile, panel, inside[0], outermost[0], read)

    def ranked(self) -> list[BlockedReduction]:
        """Return the ways to do the reduction, the fastest one first, and all at once among them."""
        line = self._panel_bytes // self.op.sizes[self.dim]
        most = self.target.l2_bytes // PANEL_SHARE // line if line else 0
        size = 1 << most.bit_length() - 1 if most else 0
        sizes = [size * step // SPAN for step in (1, 2, 4, 8, 16)]
        blocked = [self.blocked(each) for each in sizes if 0 < 2 * each <= self.op.sizes[self.dim]]
        return sorted([*blocked, self.blocked(None)], key=lambda each: each.cycles)

    def blocked(self, steps: int | None) -> BlockedReduction:
        """Return the reduction in blocks of `steps`; None stands for all at once."""
        size = self.op.sizes[self.dim]
        if steps is None:
            return BlockedReduction((), self.dim, size, self._cycles(size))
        blocks = ((self.panel, self.tile[self.panel]), (self.dim, steps))
        return BlockedReduction(blocks, self.dim, steps, self._cycles(steps))

    @property
    def _panel_bytes(self) -> int:
        outside = [dim for dim in range(self.op.rank) if dim not in (self.panel, self.rows)]
        return panel_bytes(self.op, self.read, self.tile, self.panel, outside)

    def _cycles(self, steps: int) -> float:
        op, cache = self.op, self.target.l2_bytes
        extent = op.sizes[self.dim]
        share = self._panel_bytes * steps / extent / cache
        evicted = min(1.0, max(0.0, (share - 1 / PANEL_SHARE) / (1 - 1 / PANEL_SHARE)))
        again = (ceil(op.sizes[self.rows] / self.tile[self.rows]) - 1) * evicted * self._panel_bytes
        partials = 2 * (ceil(extent / steps) - 1) * FLOAT * self.tile[self.panel] * op.sizes[self.rows]
        one_panel = again / self.target.stream_bytes + partials / (FLOAT * self.target.lanes)
        others = prod(op.sizes[dim] for dim in range(op.rank) if dim not in (self.panel, self.rows))
        return others * ceil(op.sizes[self.panel] / self.tile[self.panel]) * one_panel


def cycles_of_blocks(long: LongReduction | None, state: tensor.ScheduleState) -> float:
    """Return what memory takes beyond reading the operands once, if reductions are blocked as a schedule says.

    Without a `long` reduction, every operand stays in L2, and each block but the first loads and stores partial
    results: 1000 results of 4096 steps in blocks of 1024 are 6000 elements, 375 vectors of 16 lanes.
    """
    blocks = state.block_of
    if long is not None:
        steps = blocks.get(long.dim)
        return long.blocked(None if steps is None else min(steps, long.op.sizes[long.dim])).cycles
    passes = prod(ceil(state.sizes[dim] / blocks[dim]) for dim in state.blocked_reductions)
    return 2 * (passes - 1) * prod(state.sizes[: state.rank]) / state.lanes


def _keeps_partials(op: tensor.ComputeOp) -> bool:
    """Return whether partial sums of floats can wait in the only result, in any order."""
    floats = [isa(each, FloatAttr) and each.type == f32 for each in op.inits]
    return floats == [True] and len(op.res) == 1 and len(op.reads) == 2 and computes_floats(op) and is_order_free(op)


def _guards(op: tensor.ComputeOp, dim: int) -> bool:
    """Return whether it depends on `dim` if a read is in bounds."""
    guarded = [access for access in op.read_accesses if access.is_guarded]
    return any(dim in expr.used_dims() for access in guarded for expr in access.map.data.results)
