"""Cut a kernel into tiles along its loops, so that no tile takes more than a bound.

    loop.for %i = 0 to 62 { 900 of work }                with a bound of 4000
->
    %tile = loop.tile of 16
    loop.for %i = max affine_map<(d0) -> (d0 * 4)>(%tile) to min affine_map<(d0) -> (d0 * 4 + 4, 62)>(%tile) { … }

Where an iteration takes more than the bound, its body is cut, too: of a body of 5 tiles, tile 17 is tile 2 of
iteration 3. The operations run in the order of the whole kernel, and what one tile leaves to the next is in memory;
so whatever a kernel computes, its tiles compute the same. Constants, and loads of what the kernel never writes, are
read again in each tile.

A loop that carries sums from one iteration to the next is never cut.
"""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)

from s2s.analysis.cost.loops import Count, Prices
from s2s.analysis.memory.buffers import read_by, written_by
from s2s.analysis.network.arguments import IN_PLACE
from s2s.dialects import loop
from s2s.dialects.loop.control import SERIAL
from s2s.errors import EndsEarly
from s2s.passes.loop.tile_across import Across, Piece, tiles_across, tiling_work

SHARE = 0.25
"""The part of a tile that operations before a loop may take, so that its first tile does them."""
_CROSSING = "a value passes from one part of it to the next"


class UncutError(EndsEarly):
    """A part of a kernel takes more than the bound and cannot be cut."""

    def __init__(self, least: int, why: str) -> None:
        super().__init__(why)
        self.least, self.why = least, why
        """The bound with which this part would be one tile."""


class Part(NamedTuple):
    """Operations of a block that follow each other, in one or several tiles. Of several tiles the last operation is a
    loop that is cut, and the first tile does what stands before it."""

    ops: tuple[Operation, ...]
    tiles: int
    cost: int
    """What the longest tile takes."""
    trips: int = 0
    """The iterations of a tile, of a loop that is cut between its iterations."""
    inside: "tuple[Part, ...]" = ()
    """The parts of each iteration, of a loop whose body is cut."""
    across: Across | None = None
    """Tiles that begin and end inside of iterations."""


class KernelParts:
    """Finds the parts of one kernel, of which no tile takes more than `most`."""

    def __init__(self, kernel: FuncOp, prices: Prices, most: int) -> None:
        self.count = Count(prices)
        self.total = self.count.block(kernel.body.block)
        aliases = kernel.attributes.get(IN_PLACE)
        in_place = (
            {int(member) for member in aliases.get_values()} if isinstance(aliases, DenseArrayBase) else set[int]()
        )
        self._fixed = {member for member in kernel.args if member.index not in in_place} - written_by(kernel)
        self.most, self.shared = most, self._again(kernel.body.block)
        self.parts = self._parts_of(kernel.body.block, most)

    @property
    def longest(self) -> int:
        """The cost of the longest tile, operations included that every tile computes again."""
        return max((part.cost for part in self.parts), default=0) + sum(self.count.costs[op] for op in self.shared)

    def _parts_of(self, block: Block, most: int) -> tuple[Part, ...]:
        again = self._again(block)
        most -= sum(self.count.costs[op] for op in again)
        parts, waiting = list[Part](), list[Operation]()
        for op in block.ops:
            if op in again or isinstance(op, ReturnOp | loop.YieldOp):
                continue
            cost, before = self.count.costs[op], self._cost(waiting)
            if waiting and before + cost > most and not self._may_precede(before, op, most):
                parts.append(Part(tuple(waiting), 1, before))
                waiting = []
            if cost > most:
                parts.append(self._loop(op, waiting, most))
                waiting = []
            else:
                waiting.append(op)
        if waiting:
            parts.append(Part(tuple(waiting), 1, self._cost(waiting)))
        if not _are_apart(parts):
            raise UncutError(self._cost([op for part in parts for op in part.ops]) + self.most - most, _CROSSING)
        return tuple(parts)

    def _cost(self, ops: Sequence[Operation]) -> int:
        return sum(self.count.costs[op] for op in ops)

    def _may_precede(self, before: int, op: Operation, most: int) -> bool:
        """Whether the first tile of a loop has room for what takes `before`, at little loss for the others."""
        if not isinstance(op, loop.ForOp) or self.count.costs[op] <= most:
            return False
        return before <= most * SHARE and self._iteration(op) <= most - before

    def _iteration(self, op: loop.ForOp) -> int:
        return self.count.costs[op] // self.count.trips[op]

    def _loop(self, op: Operation, waiting: Sequence[Operation], most: int) -> Part:
        """Cut an operation that takes more than the bound; its first tile does what is waiting before it."""
        least = self.count.costs[op] + self.most - most
        if not isinstance(op, loop.ForOp):
            raise UncutError(least, f"{op.name} is one piece")
        if op.inits:
            raise UncutError(least, "a loop carries sums from one iteration to the next")
        if op.kind.data != SERIAL or len(op.lower.data.results) > 1:
            raise UncutError(least, "a loop begins at the greater one of two places")
        plain = self._between_iterations(op, waiting, most)
        across = None if waiting else tiles_across(op, self.count, self._again, most)
        if across is None or not _are_separate(across):
            return plain
        if across.work >= tiling_work(plain.tiles, max(plain.tiles, across.trips)):
            return plain
        return Part((op,), across.tiles, across.cost, across=across)

    def _between_iterations(self, op: loop.ForOp, waiting: Sequence[Operation], most: int) -> Part:
        """Give each tile some iterations of a loop, or each iteration some tiles."""
        trips, turn, body = self.count.trips[op], self.count.prices.turn, op.body.block
        iteration, before = self._iteration(op), self._cost(waiting)
        if iteration <= most:
            tiles = ceil(trips / ((most - before) // iteration))
            length = ceil(trips / tiles)
            return Part((*waiting, op), tiles, before + length * iteration, trips=length)
        inside = self._parts_of(body, most - turn)
        again = sum(self.count.costs[member] for member in self._again(body))
        longest = max(part.cost for part in inside) + again + turn
        return Part((op,), trips * sum(part.tiles for part in inside), longest, inside=inside)

    def _again(self, block: Block) -> list[Operation]:
        """Return the operations of a block that every tile computes again: they give values, of each other and of
        memory that the kernel never writes."""
        again: list[Operation] = []
        for op in block.ops:
            plain = not op.regions and op.results and not written_by(op) and read_by(op) <= self._fixed
            if (
                plain
                and not isinstance(op, loop.IfOp)
                and all(_is_before(member, block, again) for member in op.operands)
            ):
                again.append(op)
        return again


def _is_before(value: SSAValue, block: Block, again: Sequence[Operation]) -> bool:
    """Whether a value is of another block, or of one of the operations in `again`."""
    owner = value.owner
    return not isinstance(owner, Operation) or owner.parent is not block or owner in again


def _are_apart(parts: Sequence[Part]) -> bool:
    """Whether no value passes from one part to another, or from what stands before a loop that is cut into it."""
    pieces = [piece for part in parts for piece in ([part.ops] if part.tiles == 1 else [part.ops[:-1], part.ops[-1:]])]
    owner = {op: number for number, piece in enumerate(pieces) for op in piece}
    return all(
        owner.get(operand.owner, number) == number
        for number, piece in enumerate(pieces)
        for member in piece
        for op in member.walk()
        for operand in op.operands
        if isinstance(operand.owner, Operation)
    )


def _are_separate(across: Across) -> bool:
    """Whether no value passes from one piece of a nest to another."""
    return _are_apart([Part(piece.ops, 1 if piece.trips is None else 2, 0) for piece in across.pieces])


def write_tiles(kernel: FuncOp, part: Part, shared: Sequence[Operation]) -> None:
    """Write the body of a kernel anew, which is one part and what every tile computes again."""
    block = Block(arg_types=kernel.body.block.arg_types)
    values: dict[SSAValue, SSAValue] = dict(zip(kernel.args, block.args, strict=True))
    for old, new in zip(kernel.args, block.args, strict=True):
        new.name_hint = old.name_hint
    tile = loop.TileOp(part.tiles)
    tile.result.name_hint = "tile"
    block.add_op(tile)
    block.add_ops([op.clone(values) for op in shared])
    _Writer(tile.result, values).part(block, part, AffineDimExpr(0))
    block.add_op(ReturnOp())
    kernel.body.detach_block(0)
    kernel.body.add_block(block)


class _Writer:
    """Writes what a tile does of each part."""

    def __init__(self, tile: SSAValue, values: dict[SSAValue, SSAValue]) -> None:
        self.tile, self.values = tile, values

    def part(self, block: Block, part: Part, place: AffineExpr) -> None:
        """Append what tile number `place` of a part does; nothing for numbers outside of its own."""
        *before, last = part.ops
        if not isinstance(last, loop.ForOp) or part.tiles == 1:
            block.add_ops([op.clone(self.values) for op in part.ops])
            return
        if before:
            block.add_op(self._if_first(before, place))
        if part.across is not None:
            block.add_op(self._across(part.across, place))
        elif part.trips:
            block.add_op(self._some_iterations(last, part.trips, place))
        else:
            self._one_iteration(block, last, part, place)

    def _some_iterations(self, op: loop.ForOp, trips: int, place: AffineExpr) -> loop.ForOp:
        """`for (i = lower + place * trips; i < min(upper, lower + (place + 1) * trips); i++)`; a loop that counts down
        counts its iterations up."""
        step, dims = op.step.value.data, [self.values.get(member, member) for member in op.dims]
        (lower,), ends = op.lower.data.results, op.upper.data.results
        if op.fixed_bounds is not None and op.down is not None:
            lower, ends, step = AffineConstantExpr(0), (AffineConstantExpr(op.trips or 0),), 1
        start = lower + _at(place, len(dims)) * (trips * step)
        body = Block(arg_types=op.body.block.arg_types)
        cut = loop.ForOp(
            AffineMap(len(dims) + 1, 0, (start,)),
            AffineMap(len(dims) + 1, 0, (start + trips * step, *ends)),
            body,
            step=step,
            dims=[*dims, self.tile],
            unroll=1 if op.unroll is None else op.unroll.value.data,
        )
        cut.attributes |= op.attributes
        self.values[op.index] = cut.index
        cut.index.name_hint = op.index.name_hint
        if op.down is not None:
            self._enter(body, op, AffineDimExpr(0), cut)
        body.add_ops([member.clone(self.values) for member in op.body.block.ops])
        return cut

    def _enter(self, block: Block, op: loop.ForOp, number: AffineExpr, counter: loop.ForOp) -> None:
        """Append the index of iteration `number` of a loop, an expression of the index of `counter`."""
        index = loop.ApplyOp(AffineMap(1, 0, (_iteration(op, number).simplify(1, 0),)), [counter.index])
        index.result.name_hint, counter.index.name_hint = op.index.name_hint, "turn"
        self.values[op.index] = index.result
        block.add_op(index)

    def _window(self, op: loop.ForOp, lower: AffineMap, upper: AffineMap, turn: loop.ForOp) -> loop.ForOp:
        """Do some iterations of a loop, which are counted from 0."""
        body = Block(arg_types=op.body.block.arg_types)
        unroll = 1 if op.unroll is None else op.unroll.value.data
        cut = loop.ForOp(lower, upper, body, dims=[turn.index, self.tile], unroll=unroll)
        cut.attributes |= op.attributes
        if op.fixed_bounds == (0, op.trips) and op.down is None:
            self.values[op.index], cut.index.name_hint = cut.index, op.index.name_hint
        else:
            self._enter(body, op, AffineDimExpr(0), cut)
        body.add_ops([member.clone(self.values) for member in op.body.block.ops])
        return cut

    def _one_iteration(self, block: Block, op: loop.ForOp, part: Part, place: AffineExpr) -> None:
        """`i = lower + place / tiles`, with the parts of this iteration of which each has a range of numbers."""
        tiles = sum(member.tiles for member in part.inside)
        dims = [self.values.get(member, member) for member in op.dims]
        number = _at(place, len(dims)) // tiles
        index = loop.ApplyOp(AffineMap(len(dims) + 1, 0, (_iteration(op, number),)), [*dims, self.tile])
        index.result.name_hint = op.index.name_hint
        self.values[op.index] = index.result
        block.add_op(index)
        inside = [member for inner in part.inside for member in inner.ops]
        block.add_ops(
            [member.clone(self.values) for member in op.body.block.ops if member not in inside and member.results]
        )
        begin = 0
        for inner in part.inside:
            if len(part.inside) == 1:
                self.part(block, inner, place % tiles)
            else:
                block.add_op(self._if_within(inner, place % tiles - begin, tiles - begin - inner.tiles, begin))
            begin += inner.tiles

    def _across(self, plan: Across, place: AffineExpr) -> loop.ForOp:
        """`for (i = first / units; …)` over all loops of a nest at once, with the pieces that a tile does of each."""
        first, body = place * plan.length, Block(arg_types=plan.nest[0].body.block.arg_types)
        cut = loop.ForOp(
            AffineMap(1, 0, (first // plan.units,)),
            AffineMap(1, 0, ((first + plan.length + plan.units - 1) // plan.units, AffineConstantExpr(plan.trips))),
            body,
            dims=[self.tile],
        )
        cut.index.name_hint = "turn"
        inner, inside = plan.trips, {op for piece in plan.pieces for op in piece.ops} | set(plan.nest)
        for op in plan.nest:
            trips = op.trips or 1
            inner //= trips
            number = AffineDimExpr(0) // inner
            self._enter(body, op, number if op is plan.nest[0] else number % trips, cut)
            kept = [member for member in op.body.block.ops if member not in inside and member.results]
            body.add_ops([member.clone(self.values) for member in kept])
        begin = AffineDimExpr(0) * plan.units - _at(first, 1)
        for piece in plan.pieces:
            body.add_op(self._piece(piece, begin, plan.length, cut))
            begin += piece.units
        body.add_op(loop.YieldOp())
        return cut

    def _piece(self, piece: Piece, begin: AffineExpr, length: int, turn: loop.ForOp) -> Operation:
        """Do what a tile of `length` units does of a piece that begins at unit `begin` of the tile."""
        zero, (first, *_) = AffineConstantExpr(0), piece.ops
        if piece.trips is not None and isinstance(first, loop.ForOp):
            upper = AffineConstantExpr(piece.trips), begin * -1 + length
            return self._window(first, AffineMap(2, 0, (zero, begin * -1)), AffineMap(2, 0, upper), turn)
        then = Block([op.clone(self.values) for op in piece.ops])
        then.add_op(loop.YieldOp())
        tests = (begin, begin * -1 + (length - 1))
        within = AffineSet(2, 0, tuple(AffineConstraintExpr(AffineConstraintKind.ge, each, zero) for each in tests))
        return loop.IfOp(within, [turn.index, self.tile], Region(then))

    def _if_first(self, ops: Sequence[Operation], place: AffineExpr) -> loop.IfOp:
        """Do what stands before a loop in its first tile."""
        then = Block([op.clone(self.values) for op in ops])
        return self._if([AffineConstraintExpr(AffineConstraintKind.eq, place, AffineConstantExpr(0))], then)

    def _if_within(self, part: Part, place: AffineExpr, behind: int, before: int) -> loop.IfOp:
        """Do a part with `before` tiles in front of it and `behind` ones after it, where `place` is one of its own."""
        then = Block()
        self.part(then, part, place)
        zero, last = AffineConstantExpr(0), AffineConstantExpr(part.tiles - 1)
        if part.tiles == 1:
            return self._if([AffineConstraintExpr(AffineConstraintKind.eq, place, zero)], then)
        tests = [AffineConstraintExpr(AffineConstraintKind.ge, place, zero)] if before else []
        tests += [AffineConstraintExpr(AffineConstraintKind.ge, last - place, zero)] if behind else []
        return self._if(tests, then)

    def _if(self, tests: Sequence[AffineConstraintExpr], then: Block) -> loop.IfOp:
        then.add_op(loop.YieldOp())
        return loop.IfOp(AffineSet(1, 0, tuple(tests)), [self.tile], Region(then))


def _iteration(op: loop.ForOp, number: AffineExpr) -> AffineExpr:
    """Return the index of iteration `number` of a loop."""
    (lower,), step = op.lower.data.results, op.step.value.data
    if op.down is None:
        return lower + number * step
    return lower + ((op.trips or 1) - 1) * step - number * step


def _at(place: AffineExpr, dims: int) -> AffineExpr:
    """Return an expression of the tile, dimension 0, as one of dimension `dims`."""
    return place.replace_dims_and_symbols([AffineDimExpr(dims)], [])


__all__ = ["KernelParts", "Part", "UncutError", "write_tiles"]
