"""Reads fetched ahead of their use, as `prefetch` asks for.

`prefetch<r along d>` for a parallel dimension `d`: a tile of `d` reads one panel, neighbours in `r`, over and over,
while tiles of the loops inside come and go. The panel of the next tile follows behind, and is fetched bit by bit: each
tile begins where its place among the others says, and each step of the reduction goes a little further.

    fetch r[next panel + place of the tile * chunk + step * stride]

The last step of the last tile ends with the panel. At a border, where a window is cut off, steps are left out: those of
a reduction that may be cut count modulo the fewest that are done anywhere, so that nothing of the panel is missed.

Along a reduction, what the points of the tile read at the next step is fetched at the head of this one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, prod

from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.dialects import loop, tensor
from s2s.passes.tensor.lower_to_loop.emitter import Emitter
from s2s.passes.tensor.lower_to_loop.pieces import Piece
from s2s.passes.tensor.lower_to_loop.tile import Operand, TilePoint
from s2s.types.affine import Linear, bounds, flat_index, linear, ranges

LINE = 16
"""Elements of a cache line of 64 bytes, which come together."""

MOST_LINES = 2
"""Fetches in one step of a reduction: more of them would take the time of the loads they help."""


@dataclass(frozen=True)
class Place:
    """Where the walk through the loops of a computation stands."""

    dims: Sequence[AffineExpr]
    pieces: Sequence[Piece]
    blocks: dict[int, tuple[AffineExpr, int]]
    """The beginning and the size of the current block of the dimensions that are walked through in blocks."""


@dataclass(frozen=True)
class Fetcher:
    """Emits what `schedule` fetches for `op`."""

    op: tensor.ComputeOp
    schedule: tensor.ScheduleState
    reads: Sequence[Operand]
    emitter: Emitter

    def step(self, place: Place) -> None:
        """In each step of the reduction: some of the next panels."""
        for read, dim in self.schedule.prefetches:
            if dim < self.op.rank:
                self._panel(self.reads[read], dim, place)

    def head(self, dim: int, points: Sequence[TilePoint], place: Place) -> None:
        """At the head of the loop over reduction `dim`: what `points` read at its next step, one fetch a line."""
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
        steps, tiles = prod(map(self._fewest, self._reductions)), prod(ceil(n / tile) for n, tile in inside.values())
        if size.terms or size.constant <= 0:
            return
        stride = ceil(size.constant / (tiles * steps))
        lines = ceil(stride / LINE)
        last = 0
        for extent, tile in inside.values():
            last = last * extent + (ceil(extent / tile) - 1) * tile
        chunk = ceil((size.constant - stride * steps) / last) if last else 0
        if lines > MOST_LINES or (last and chunk < 1):
            return
        at = there.to_expr() + self._place_among(inside, place) * chunk + self._progress(place) * stride
        for line in range(lines):
            self._fetch(operand, at + line * LINE, near=False)

    def _inside(self, dim: int) -> dict[int, tuple[int, int]]:
        """Extent and tile of the parallel dimensions inside of `dim`, in the order of their loops."""
        order = [each for each in self.schedule.order if each < self.op.rank]
        blocks = dict(self.schedule.blocks)
        sizes, tiles = self.op.sizes, self.schedule.tiles
        return {
            each: (min(sizes[each], blocks.get(each, sizes[each])), tiles[each])
            for each in order[order.index(dim) + 1 :]
            if sizes[each] > tiles[each]
        }

    def _place_among(self, inside: dict[int, tuple[int, int]], place: Place) -> AffineExpr:
        """The number of the first point of the tile, counted through the loops inside, from the start of a block on."""
        zero: tuple[AffineExpr, int] = (AffineConstantExpr(0), 0)
        indices = [place.dims[dim] - place.blocks.get(dim, zero)[0] for dim in inside]
        return flat_index(indices, [extent for extent, _ in inside.values()])

    def _progress(self, place: Place) -> AffineExpr:
        """The number of this step of the reduction, in the order of its loops."""
        fewest = [self._fewest(dim) for dim in self._reductions]
        steps = [
            place.dims[dim] if few == self.op.sizes[dim] else place.dims[dim] % few
            for dim, few in zip(self._reductions, fewest, strict=True)
        ]
        return flat_index(steps, fewest)

    @property
    def _reductions(self) -> list[int]:
        """The reductions in the order of their loops."""
        return [dim for dim in self.schedule.order if dim >= self.op.rank]

    def _fewest(self, dim: int) -> int:
        """Steps of reduction `dim` that are done wherever the loop over it is cut at a border."""
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
        for point in points:
            dims = [expr + point.offsets[at] if at < self.op.rank else expr for at, expr in enumerate(place.dims)]
            dims = [AffineConstantExpr(0) if at in later else expr for at, expr in enumerate(dims)]
            dims[dim] = dims[dim] + 1
            form = self.emitter.space.linear(operand.position(dims))
            lines.setdefault((frozenset(form.terms.items()), form.constant // LINE), form)
        for form in lines.values():
            self._fetch(operand, form.to_expr(), near=True)

    def _fetch(self, operand: Operand, position: AffineExpr, *, near: bool) -> None:
        affine_map, indices = self.emitter.space.emit(position)
        self.emitter.add(loop.PrefetchOp(operand.buffer, affine_map, indices, near=near))
