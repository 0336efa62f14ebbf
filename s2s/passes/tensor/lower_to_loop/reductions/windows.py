"""Emit the sums of products of a sliding window, a row of taps in groups.

    acc0 += x[0] * w[0] + x[1] * w[1] + x[2] * w[2]      group of x from position 0 on: `dot_taps`
    acc1 += x[1] * w[0] + x[2] * w[1] + x[3] * w[2]      the same group, one position further: `dot_next`

Of longer rows, `dot_taps` takes the last three taps and `dot_next` the first three, and each other group is two taps:

    acc0 += x[0] * w[0] + x[1] * w[1]                    first half of the group of x from position 0 on: `dot_two`
    acc0 += x[2] * w[2] + x[3] * w[3] + x[4] * w[4]      group from position 2 on: `dot_taps`
    acc1 += x[1] * w[0] + x[2] * w[1] + x[3] * w[2]      group from position 0 on: `dot_next`
    acc1 += x[4] * w[3] + x[5] * w[4]                    second half of the group from position 2 on: `dot_two`

The window is cached in 16 bits, its rows begin at even positions, and the constant is packed in groups, zeros behind
the last tap, which `taps` encodes. Groups are loaded from even positions, because a core that loads two words at once
wants them aligned. Two neighbouring results share a group if the window moves by one, and have one each if it moves by
two.
"""

from collections.abc import Iterator, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.analysis.structure.dot_groups import groups_of_taps
from s2s.dialects import loop
from s2s.dialects.loop.products import PAIR, WORD
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.copied_operand import CopiedOperand
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Carried
from s2s.passes.tensor.lower_to_loop.initial import starts
from s2s.passes.tensor.lower_to_loop.products import products_of
from s2s.passes.tensor.lower_to_loop.reductions.reduction import TileReduction
from s2s.passes.tensor.lower_to_loop.state import NestState
from s2s.passes.tensor.lower_to_loop.tile import TilePoint
from s2s.types.affine import Linear

Made = dict[str, SSAValue]
"""Groups that have been loaded, by their place."""


class WindowReduction(TileReduction):
    """Reduces the tile by groups that neighbouring points of a window share."""

    def __init__(self, nest: NestState) -> None:
        super().__init__(nest)
        self.products = products_of(nest)

    @classmethod
    def applies(cls, nest: NestState) -> bool:
        return nest.schedule.in_taps

    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        accumulators = Carried(starts(self.nest, points))
        self._check_taps()
        self._check_tile()
        for row in self._rows([], accumulators):
            groups: Made = {}
            constants: Made = {}
            for part in range(self._parts):
                for number, point in enumerate(points):
                    acc = accumulators.values[number]
                    x, w = self._group(point, row, part, groups), self._constant(point, row, part, constants)
                    products = self._products(acc, x, w, part, odd=self._is_odd(point, row))
                    accumulators.values[number] = self.emitter.add(products, acc.name_hint).result
        return accumulators.values

    @property
    def _parts(self) -> int:
        """The number of groups of a row of taps."""
        return groups_of_taps(self.op.sizes[-1])

    def _products(self, acc: SSAValue, x: SSAValue, w: SSAValue, part: int, *, odd: bool) -> loop.IntrinsicOp:
        """Return the sum of `acc` and the products of one group of a row at an even or an `odd` position."""
        is_three = part == 0 if odd else part == self._parts - 1
        if not is_three:
            x, w = (self.emitter.add(loop.HalfOp(group, int(odd)), group.name_hint).result for group in (x, w))
        schedule = self.schedule
        of_three = schedule.next_intrinsic if odd else schedule.intrinsic
        intrinsic = of_three if is_three else schedule.two_intrinsic
        if intrinsic is None:
            raise CompilerBug(
                f"a row of {self.op.sizes[-1]} taps at an {'odd' if odd else 'even'} position wants an intrinsic that "
                "tensorize does not name; the verifier refuses that"
            )
        return loop.IntrinsicOp(intrinsic, acc, x, w)

    def _rows(self, outer: list[AffineExpr], accumulators: Carried) -> Iterator[list[AffineExpr]]:
        """Yield the position of each row of taps along the reductions but the last one, `outer` first. Rows are
        unrolled; those of a block that may be shorter are a loop."""
        dim = self.op.rank + len(outer)
        if dim == len(self.op.sizes) - 1:
            yield outer
            return
        size = self.op.sizes[dim]
        count = min(size, self.schedule.block_of.get(dim, size))
        if size % count == 0:
            for row in range(count):
                yield from self._rows([*outer, self._first[len(outer)] + row], accumulators)
            return
        bounds, name = self.nest.in_block(dim, Bounds(0, size)), self.nest.names[dim]
        with self.emitter.loop(bounds, name, accumulators, unroll=self.schedule.passes.get(dim, 1)) as row:
            yield from self._rows([*outer, row], accumulators)

    @property
    def window(self) -> CopiedOperand:
        """The copy of the window. The tile begins at an even position along its rows."""
        assert self.nest.copied is not None
        return self.nest.copied

    @property
    def _first(self) -> list[AffineExpr]:
        """The first step of the current block along each reduction. A block holds whole rows of taps."""
        return [*self.nest.block_start()[:-1], AffineConstantExpr(0)]

    @property
    def _corner(self) -> list[AffineExpr]:
        """The position of the tile along parallel dimensions."""
        return self.dims[: self.op.rank]

    def _check_taps(self) -> None:
        """Refuse windows of which the taps of a row do not lie side by side in the copy."""
        first, *taps = range(self.op.sizes[-1])
        rows, space = self._first[:-1], self.emitter.space
        corner = space.linear(self.window.position([*self._corner, *rows, AffineConstantExpr(first)]))
        for tap in taps:
            here = self.window.position([*self._corner, *rows, AffineConstantExpr(tap)])
            behind = space.linear(here).plus(corner, -1)
            if behind.terms or behind.constant != tap:
                raise CompilerBug(
                    f"tap {tap} of a window does not lie {tap} elements behind the first one in the copy of read "
                    f"{self.window.plan.read}; the verifier refuses that"
                )

    def _check_tile(self) -> None:
        """Refuse tiles that would begin at odd positions of a row."""
        space, first = self.emitter.space, self._first
        corner = space.linear(self.window.position([*self._corner, *first]))
        for dim in range(self.op.rank):
            tile = self.window.plan.tiles[dim]
            if dim in self.window.plan.outer or tile % 2 == 0 or tile >= self.op.sizes[dim]:
                continue
            moved = [expr + 1 if each == dim else expr for each, expr in enumerate(self._corner)]
            if space.linear(self.window.position([*moved, *first])).plus(corner, -1).constant % 2:
                raise CompilerBug(
                    f"a tile of {tile} along dimension {dim} begins at odd positions; the verifier refuses that"
                )

    def _at(self, point: TilePoint, row: Sequence[AffineExpr], tap: int = 0) -> list[AffineExpr]:
        parallel = [expr + offset for expr, offset in zip(self._corner, point.offsets, strict=False)]
        return [*parallel, *row, AffineConstantExpr(tap)]

    def _is_odd(self, point: TilePoint, row: Sequence[AffineExpr]) -> bool:
        """Return whether the first tap lies at an odd position of the copy: how far it is from the position of the
        tile's corner. Rows of the copy have even lengths, so that all rows of a block give the same answer."""
        corner = [*self._corner, *self._first]
        space = self.emitter.space
        here = space.linear(self.window.position(self._at(point, row)))
        distance = here.plus(space.linear(self.window.position(corner)), -1)
        if any(factor % 2 for factor in distance.terms.values()):
            raise CompilerBug(
                "the points of a tile lie at distances in the copy that are not constant; the verifier refuses that"
            )
        return distance.constant % 2 == 1

    def _group(self, point: TilePoint, row: Sequence[AffineExpr], part: int, made: Made) -> SSAValue:
        """Load four elements of the copy from an even position, two further for each part of the row."""
        place = self.emitter.space.linear(self.window.position(self._at(point, row)))
        place = place.plus(Linear(PAIR * part - self._is_odd(point, row)))
        key = str(place.to_expr())
        if key not in made:
            made[key] = self.load_group(self.window.buffer, place, WORD)
        return made[key]

    def _constant(self, point: TilePoint, row: Sequence[AffineExpr], part: int, made: Made) -> SSAValue:
        """Load and widen a group of a row of taps."""
        read = self.products.other(self.window.plan.read).read
        space = self.emitter.space
        places = [
            space.linear(self.reads[read].position(self._at(point, row, tap))) for tap in range(self.op.sizes[-1])
        ]
        order = tuple(place.plus(places[0], -1).constant for place in places)
        if order != tuple(range(len(order))):
            raise CompilerBug(
                f"the {len(order)} taps of a window are packed at {order} in read {read}; the verifier refuses that"
            )
        place = places[0].plus(Linear(WORD * part))
        key = str(place.to_expr())
        if key not in made:
            vector = self.load_group(self.reads[read].buffer, place, WORD)
            made[key] = self.emitter.add(loop.ExtendOp(vector), vector.name_hint).result
        return made[key]


class WholeWindowReduction(TileReduction):
    """Reduces the tile by rows of taps, each of which fills a register.

        acc0 += sum over k < n of x[k] * w0[k]
        acc0 += sum over k < n of x[distance + k] * w1[k]
        acc1 += sum over k < n of x[1 + k] * w0[k]
        …

    The window is cached as bytes, with padding of the zero point, and the constant is packed in rows of `n` elements,
    zeros behind the last tap. A row of more than `n` taps, which is the only one then, is several rows at a distance of
    `n`.
    """

    @classmethod
    def applies(cls, nest: NestState) -> bool:
        return nest.schedule.form == "dot_window"

    def sums(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        from s2s.analysis.tile_and_fuse.window_rows import window_rows

        intrinsic, plan, group = self.schedule.intrinsic, self.nest.plan, self.schedule.group
        rows = None if plan is None else window_rows(plan, group)
        if intrinsic is None or plan is None or rows is None or self.copied is None:
            raise CompilerBug("the rows of a window do not lie at one distance in a copy; the verifier refuses that")
        w, space = self.reads[products_of(self.nest).other(plan.read).read], self.emitter.space
        constants: Made = {}
        sums = starts(self.nest, points)
        for number, point in enumerate(points):
            at = self._at(point)
            window, taps = space.linear(self.copied.position(at)), space.linear(w.position(at))
            for row in range(rows.rows):
                x = self.load_group(self.copied.buffer, window.plus(Linear(row * rows.distance)), group)
                place = taps.plus(Linear(row * group))
                key = str(place.to_expr())
                if key not in constants:
                    constants[key] = self.load_group(w.buffer, place, group)
                acc = sums[number]
                products = loop.IntrinsicOp(intrinsic, acc, x, constants[key])
                sums[number] = self.emitter.add(products, acc.name_hint).result
        return sums

    def _at(self, point: TilePoint) -> list[AffineExpr]:
        """Return the position of the first tap of a point's window."""
        parallel = [expr + offset for expr, offset in zip(self.dims, point.offsets, strict=False)]
        return [*parallel[: self.op.rank], *[AffineConstantExpr(0) for _ in self.op.reduction_sizes]]
