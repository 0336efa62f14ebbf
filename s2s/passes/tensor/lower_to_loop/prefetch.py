"""Emit prefetches of operands, as the schedule's `prefetch` directives say.

`prefetch<r along d>` for a parallel dimension `d`: a tile of `d` reads one panel, contiguous in `r`, repeatedly in the
inner loops. The panel of the next tile follows in memory and is prefetched in portions: each inner tile starts at its
own offset, and each step of the reduction advances by a stride.

    prefetch r[next panel + index of the tile * chunk + step * stride]

The last step of the last tile reaches the end of the panel. Where a border clips a window, some steps are missing:
so the steps of a reduction that may be clipped count modulo the smallest number of steps anywhere, and no part of the
panel is left out.

For a reduction dimension `d`, each step prefetches what the points of the tile read at the next step.
"""

from collections.abc import Mapping, Sequence
from math import ceil, prod
from typing import NamedTuple

from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.affine.pieces import Piece
from s2s.dialects import loop, tensor
from s2s.passes.tensor.lower_to_loop.emitter import Emitter, OpenBlock
from s2s.passes.tensor.lower_to_loop.tile import Operand, TilePoint
from s2s.types.affine import Linear, bounds, flat_index, linear, ranges

LINE = 16
"""Elements in a cache line of 64 bytes."""

MAX_LINES = 2
"""Maximum number of prefetches in one step of a reduction: more would cost more than the loads they speed up."""


class Place(NamedTuple):
    """The current position in the loops of a computation."""

    dims: Sequence[AffineExpr]
    pieces: Sequence[Piece]
    blocks: Mapping[int, OpenBlock]
    """The current innermost block of each dimension that is tiled in blocks."""


class Prefetcher(NamedTuple):
    """Emits the prefetches of `schedule` for `op`."""

    op: tensor.ComputeOp
    schedule: tensor.ScheduleState
    reads: Sequence[Operand]
    emitter: Emitter

    def step(self, place: Place) -> None:
        """In each step of the reduction: prefetch a portion of the next panels."""
        for read, dim in self.schedule.prefetches:
            if dim < self.op.rank:
                self._panel(self.reads[read], dim, place)

    def head(self, dim: int, points: Sequence[TilePoint], place: Place) -> None:
        """At the start of a step of reduction `dim`: prefetch what `points` read at the next step, once per line."""
        for read, along in self.schedule.prefetches:
            if along == dim and not self.reads[read].guard:
                self._next_step(self.reads[read], dim, points, place)

    def _panel(self, operand: Operand, dim: int, place: Place) -> None:
        piece, space = place.pieces[dim], self.emitter.space
        if piece.stop == self.op.sizes[dim] and piece.count == 1:
            return
        first = [expr if at < self.op.rank else AffineConstantExpr(0) for at, expr in enumerate(place.dims)]
        after = [expr + piece.tile * (at == dim) for at, expr in enumerate(first)]
        here, there = (space.linear(operand.position(at)) for at in (first, after))
        size = there.plus(here, -1)
        inside = self._inside(dim)
        steps, tiles = prod(map(self._min_steps, self._reductions)), prod(ceil(n / tile) for n, tile in inside.values())
        if size.terms or size.constant <= 0:
            return
        stride = ceil(size.constant / (tiles * steps))
        lines = ceil(stride / LINE)
        last = 0
        for extent, tile in inside.values():
            last = last * extent + (ceil(extent / tile) - 1) * tile
        chunk = ceil((size.constant - stride * steps) / last) if last else 0
        if lines > MAX_LINES or (last and chunk < 1):
            return
        at = there.to_expr() + self._tile_index(inside, place) * chunk + self._step_index(place) * stride
        for line in range(lines):
            self._prefetch(operand, space.linear(at + line * LINE), near=False)

    def _inside(self, dim: int) -> dict[int, tuple[int, int]]:
        """Extent and tile of the parallel dimensions inside `dim`, in loop order."""
        order = [each for each in self.schedule.order if each < self.op.rank]
        blocks = dict(self.schedule.blocks)
        sizes, tiles = self.op.sizes, self.schedule.tiles
        return {
            each: (min(sizes[each], blocks.get(each, sizes[each])), tiles[each])
            for each in order[order.index(dim) + 1 :]
            if sizes[each] > tiles[each]
        }

    def _tile_index(self, inside: dict[int, tuple[int, int]], place: Place) -> AffineExpr:
        """Return the linear index of the tile's first point in the loops inside, relative to the start of the block."""
        zero: AffineExpr = AffineConstantExpr(0)
        starts = {dim: block.base for dim, block in place.blocks.items()}
        indices = [place.dims[dim] - starts.get(dim, zero) for dim in inside]
        return flat_index(indices, [extent for extent, _ in inside.values()])

    def _step_index(self, place: Place) -> AffineExpr:
        """Return the linear index of the current step of the reduction, in loop order."""
        fewest = [self._min_steps(dim) for dim in self._reductions]
        steps = [
            place.dims[dim] if few == self.op.sizes[dim] else place.dims[dim] % few
            for dim, few in zip(self._reductions, fewest, strict=True)
        ]
        return flat_index(steps, fewest)

    @property
    def _reductions(self) -> list[int]:
        """The reduction dimensions in loop order."""
        return [dim for dim in self.schedule.order if dim >= self.op.rank]

    def _min_steps(self, dim: int) -> int:
        """Return the smallest number of steps of reduction `dim` in any loop that a border clips."""
        most, size, box = 0, self.op.sizes[dim], ranges(self.op.sizes)
        for guard in (guard for read in self.reads for guard in read.guard if not guard.modulus):
            factor = linear(guard.expr, box).terms.get(AffineDimExpr(dim), 0)
            in_tile = any(each < self.op.rank and self.schedule.tiles[each] > 1 for each in guard.expr.used_dims())
            if factor and not in_tile:
                most = max(most, ceil(-bounds(guard.expr, box)[0] / abs(factor)))
        return max(1, size - most)

    def _next_step(self, operand: Operand, dim: int, points: Sequence[TilePoint], place: Place) -> None:
        order = self.schedule.order
        later = order[order.index(dim) + 1 :]
        lines: dict[tuple[object, int], Linear] = {}
        bound = self.emitter.space.bound
        for point in points:
            dims = [expr + point.offsets[at] if at < self.op.rank else expr for at, expr in enumerate(place.dims)]
            dims = [AffineConstantExpr(0) if at in later else expr for at, expr in enumerate(dims)]
            dims[dim] = dims[dim] + 1
            form = operand.place(dims, bound)
            lines.setdefault((frozenset(form.terms.items()), form.constant // LINE), form)
        for form in lines.values():
            self._prefetch(operand, form, near=True)

    def _prefetch(self, operand: Operand, position: Linear, *, near: bool) -> None:
        affine_map, indices = self.emitter.space.emit_forms(position)
        self.emitter.add(loop.PrefetchOp(operand.buffer, affine_map, indices, near=near))
