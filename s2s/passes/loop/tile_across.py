"""Plan tiles of a nest of loops that begin and end anywhere among the iterations of its inner loops.

    loop.for %i = 0 to 64 { copy: 2,000; loop.for %j = 0 to 16 { 1,000 } }           with a bound of 9,800

An iteration of `%i` takes 18,000. Counted in units, the copy is 2 of them, and each iteration of `%j` is one; a tile of
9 units takes 9,000, whatever it begins with, and two of them are an iteration of `%i`:

    %tile = loop.tile of 128
    loop.for %i = (tile * 9) floordiv 18 to min (tile * 9 + 26) floordiv 18, 64 {
      loop.if 0 <= %i * 18 - tile * 9 < 9 { copy }
      loop.for %j = max 0, tile * 9 - %i * 18 - 2 to min 16, tile * 9 + 9 - %i * 18 - 2 { 1,000 }
    }
"""

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import NamedTuple, TypeGuard

from xdsl.ir import Block, Operation

from s2s.analysis.cost.loops import Count
from s2s.dialects import loop
from s2s.dialects.loop.control import SERIAL

Again = Callable[[Block], Sequence[Operation]]
"""Gives the operations of a block that every tile computes again."""


class Piece(NamedTuple):
    """Operations of the innermost body that are done at once, or a loop of which a tile does some iterations."""

    ops: tuple[Operation, ...]
    cost: int
    """Of all operations, or of an iteration of the loop."""
    units: int
    trips: int | None = None
    """The iterations of the loop, of a unit each."""


class Across(NamedTuple):
    """Tiles of a nest of loops."""

    nest: tuple[loop.ForOp, ...]
    """The loops around the pieces, each the only part of the one before."""
    pieces: tuple[Piece, ...]
    length: int
    """The units of a tile."""
    tiles: int
    cost: int
    """What the longest tile takes."""
    turns: int
    """Iterations of the nest that all tiles together do, or do a part of."""

    @property
    def work(self) -> int:
        """What all tiles take beside their pieces, as a number to compare."""
        return tiling_work(self.tiles, self.turns)

    @property
    def units(self) -> int:
        """The units of an iteration of the nest."""
        return sum(piece.units for piece in self.pieces)

    @property
    def trips(self) -> int:
        """The iterations of the nest."""
        return prod(op.trips or 0 for op in self.nest)


def tiling_work(tiles: int, turns: int) -> int:
    """Return the cost of cutting, to compare: 5 a tile for a call and a switch, 3 an iteration of the nest for the
    addresses that it computes before its loops."""
    return 5 * tiles + 3 * turns


def tiles_across(op: loop.ForOp, count: Count, again: Again, most: int) -> Across | None:
    """Return the cheapest tiles of a nest of loops, none of which takes more than `most`; None if no loop is inside."""
    nest = tuple(_nest(op, again))
    if not all(map(_is_cut, nest)):
        return None
    iterations = [count.costs[inner] // count.trips[inner] for inner in _inside(nest[-1], again) if _is_long(inner)]
    if not iterations or max(iterations) > most:
        return None
    plans = [
        _plan(nest, tuple(_weighed(parts, max(iterations), halves)), _iteration_cost(nest, parts, count, again), most)
        for parts in (_pieces(nest[-1], count, again, least) for least in (max(iterations) // 2, max(iterations)))
        for halves in range(4)
    ]
    return min((plan for plan in plans if plan is not None), key=lambda plan: plan.work, default=None)


def _iteration_cost(nest: Sequence[loop.ForOp], parts: Sequence[Piece], count: Count, again: Again) -> int:
    """Return what an iteration of a nest takes beside its pieces."""
    cost = count.prices.turn + sum(count.costs[member] for one in nest for member in again(one.body.block))
    return cost + sum(count.prices.entry if piece.trips else 2 * count.prices.turn for piece in parts)


def _is_cut(op: loop.ForOp) -> bool:
    """Whether a tile may do some iterations of a loop."""
    return not op.inits and op.kind.data == SERIAL and op.fixed_bounds is not None and (op.trips or 0) > 0


def _inside(op: loop.ForOp, again: Again) -> list[Operation]:
    kept = again(op.body.block)
    return [member for member in op.body.block.ops if member not in kept and not isinstance(member, loop.YieldOp)]


def _nest(op: loop.ForOp, again: Again) -> Iterator[loop.ForOp]:
    """Yield a loop, then the only loop of each body, down to a body of several parts."""
    yield op
    match _inside(op, again):
        case [loop.ForOp() as inner] if _is_cut(inner) and any(
            isinstance(member, loop.ForOp) and _is_cut(member) for member in _inside(inner, again)
        ):
            yield from _nest(inner, again)
        case _:
            return


def _is_long(op: Operation) -> TypeGuard[loop.ForOp]:
    return isinstance(op, loop.ForOp) and _is_cut(op) and (op.trips or 0) > 1


def _pieces(op: loop.ForOp, count: Count, again: Again, least: int) -> Sequence[Piece]:
    """Return the pieces of a loop's body, none of them weighed; loops whose iterations take below `least` are done at
    once."""
    pieces, waiting = list[Piece](), list[Operation]()

    def flush() -> None:
        if waiting:
            pieces.append(Piece(tuple(waiting), sum(count.costs[member] for member in waiting), 1))
            waiting.clear()

    for member in _inside(op, again):
        if _is_long(member) and (turn := count.costs[member] // count.trips[member]) >= least:
            flush()
            pieces.append(Piece((member,), turn, count.trips[member], count.trips[member]))
        else:
            waiting.append(member)
    flush()
    return pieces


def _weighed(pieces: Sequence[Piece], iteration: int, halves: int) -> Iterator[Piece]:
    """Count what is done at once as a unit, or as `halves` half units for each `iteration` of its cost."""
    for piece in pieces:
        yield piece if piece.trips else piece._replace(units=max(1, -(-piece.cost * halves // (2 * iteration))))


def _plan(nest: tuple[loop.ForOp, ...], pieces: tuple[Piece, ...], iteration: int, most: int) -> Across | None:
    """Return the cheapest plan among the longest tiles; None if a single unit takes too much."""
    units, begins = 0, list[int]()
    for piece in pieces:
        costs = [piece.cost] * piece.trips if piece.trips else [piece.cost] + [0] * (piece.units - 1)
        begins += costs
        units += piece.units
    before = [0]
    for cost in begins:
        before.append(before[-1] + cost)
    end = units * prod(op.trips or 0 for op in nest)

    def until(unit: int) -> int:
        return unit // units * before[-1] + before[unit % units]

    def cost_of(first: int, length: int) -> int:
        last = min(first + length, end)
        return until(last) - until(first) + ((last - 1) // units - first // units + 1) * iteration

    best: Across | None = None
    longest_tile = min(end, 1 + units * most // max(before[-1], 1))
    for length in range(longest_tile, 0, -1):
        tiles = -(-end // length)
        if best is not None and (tiling_work(tiles, tiles) >= best.work or length < longest_tile // 2):
            break
        longest = max(cost_of(number * length, length) for number in range(min(tiles, units)))
        if longest <= most:
            turns = sum((min(end, first + length) - 1) // units - first // units + 1 for first in range(0, end, length))
            plan = Across(nest, pieces, length, tiles, longest, turns)
            best = plan if best is None or plan.work < best.work else best
    return best


__all__ = ["Across", "Piece", "tiles_across", "tiling_work"]
