"""Choose the chains of a network to compute in row tiles so that its activations fit into little RAM, by an estimate.

The estimate counts activations only, and places a result over an operand that dies; compiling a plan tells its exact
size. The search starts from the step with the largest peak and tiles chains around it, as long as that helps. It takes
the cheapest plan that reaches the goal, else the smallest.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from s2s.analysis.network.functions import main_of
from s2s.analysis.network.reshapes import root_of
from s2s.analysis.row_tiles.operator_chains import (
    ChainedOperator,
    anchors,
    chain,
    chained_operator,
    equal_tiles,
    is_pointwise,
    operations,
    recomputed,
)
from s2s.types.dtypes import as_tensor_type, size_in_bytes

ROWS = (8, 4, 2, 1)
MAX_LAYERS = 8
"""Upper bound of the layers in a chain in row tiles."""
ROUNDS = 6
"""Upper bound of the chains that the search tiles one after the other."""

Tiles = tuple[int, int, int]
"""First operation, last operation and rows of a tile of a chain."""
Plan = tuple[Tiles, ...]


class _Candidate(NamedTuple):
    """A plan with the bytes and the step of its peak, and its recomputed multiply-adds."""

    plan: Plan
    peak: int
    step: int
    cost: int


def plans(module: ModuleOp, goal: int) -> list[Plan]:
    """Return sets of chains to compute in row tiles for a peak of `goal` bytes, the cheapest first; none where tiles do
    not help."""
    network = _Network(main_of(module))
    wanted = [(goal, ROWS), (goal * 15 // 16, ROWS), *((0, ROWS[:count]) for count in (2, 3, 4))]
    found = [network.search(bytes, rows) for bytes, rows in (wanted if goal else wanted[2:])]
    return [plan for plan in dict.fromkeys(found) if plan]


def peak_of_plan(module: ModuleOp, plan: Plan) -> int:
    """Return the peak of the activations in bytes, as the search estimates it; `plan` has to be possible."""
    return _Network(main_of(module)).estimated(plan).peak


class _Network:
    """The activations of `main`, as the estimate models them."""

    def __init__(self, main: FuncOp) -> None:
        self.ops = operations(main)
        self.numbers = {op: number for number, op in enumerate(self.ops)}
        self.lives: dict[SSAValue, tuple[int, int]] = dict.fromkeys(main.args, (-1, -1))
        for number, op in enumerate(self.ops):
            self.lives |= {result: (number, number) for result in op.results if root_of(result) is result}
            for operand in op.operands:
                self._read(operand, number)
        last = main.body.block.last_op
        for operand in () if last is None else last.operands:
            self._read(operand, len(self.ops))
        self.sizes = {value: 0 if _is_hidden(value) else _bytes(value) for value in self.lives}
        self.chains = self._chains()
        self.alone = [self._at(number, op) for number, op in enumerate(self.ops)]
        """The bytes that are live while each operation runs."""
        self.known: dict[Tiles, tuple[int, int] | None] = {}
        """What `_measured` returned for a chain; a search asks thousands of times."""

    def search(self, goal: int, rows: Sequence[int]) -> Plan:
        """Return the chains to compute in row tiles."""
        best = self.estimated(())
        for _ in range(ROUNDS):
            if best.peak <= goal:
                break
            tried = [self.estimated(self._with(best.plan, each)) for each in self._around(best.step, rows)]
            better = [each for each in tried if each.peak < best.peak]
            if not better:
                break
            best = min(better, key=lambda each: (max(each.peak, goal), each.cost))
        return best.plan

    def _read(self, value: SSAValue, number: int) -> None:
        root = root_of(value)
        if root in self.lives:
            self.lives[root] = self.lives[root][0], number

    def _chains(self) -> list[tuple[int, ...]]:
        """Return the longest chains, each as the numbers of the operations at which it may be cut."""
        found: list[tuple[int, ...]] = []
        reached: set[Operation] = set()
        for op in self.ops:
            chained = self._longest(op) if op not in reached else []
            reached |= {each.op for each in chained}
            if chained:
                cuts = [self.numbers[chained[place].op] for place in anchors(chained)]
                end = self.numbers[chained[-1].op]
                found.append((*cuts, end + 1))
        return found

    def _longest(self, op: Operation) -> list[ChainedOperator]:
        chained: list[ChainedOperator] = []
        following = chained_operator(op)
        while following is not None:
            chained.append(following)
            uses = list(following.y.uses)
            after = chained_operator(uses[0].operation) if len(uses) == 1 else None
            following = after if after is not None and after.operand == uses[0].index else None
        return chained

    def _around(self, step: int, rows: Sequence[int]) -> list[Tiles]:
        """Return the sections of chains that contain `step`, with each tile size."""
        found: list[Tiles] = []
        for cuts in self.chains:
            for begin, first in enumerate(cuts):
                for end in cuts[begin + 2 : begin + MAX_LAYERS + 1]:
                    if first <= step + 1 and step < end:
                        found += [(first, self._last(first, end), each) for each in rows]
        return [each for each in found if self._measured(each) is not None]

    def _last(self, first: int, end: int) -> int:
        """Return the last operation of the chain that begins with `first` and ends before `end`."""
        return max(number for number in range(first, end) if chained_operator(self.ops[number]) is not None)

    @staticmethod
    def _with(plan: Plan, added: Tiles) -> Plan:
        """Return `plan` with one more chain, which replaces the chains that it overlaps."""
        return tuple(sorted([*(each for each in plan if each[1] < added[0] or added[1] < each[0]), added]))

    def _measured(self, tile: Tiles) -> tuple[int, int] | None:
        """Return the bytes that are live while a chain runs and its recomputed multiply-adds; None if it cannot be
        tiled."""
        if tile not in self.known:
            self.known[tile] = self._measure(tile)
        return self.known[tile]

    def _measure(self, tile: Tiles) -> tuple[int, int] | None:
        chained = chain(self.ops, tile[0], tile[1])
        if chained is None or tile[2] >= as_tensor_type(chained[-1].y.type).get_shape()[1]:
            return None
        tiles = equal_tiles(chained, tile[2])
        if not all(each.read for equal in tiles for each in equal.tiles):
            return None
        inside = [0]
        for equal in tiles:
            for (each, own), (after, _) in pairwise(zip(chained, equal.tiles, strict=True)):
                if not is_pointwise(after.op):
                    shape = as_tensor_type(each.y.type).get_shape()
                    inside.append(_bytes(each.y) // shape[1] * len(own.written))
        return max(inside) + self._around_chain(tile), recomputed(chained, tiles)

    def _around_chain(self, tile: Tiles) -> int:
        """Return the bytes of the values outside of a chain that are live while it runs."""
        hidden = {result for number in range(tile[0], tile[1]) for result in self.ops[number].results}
        return sum(
            self.sizes[value]
            for value, (first, last) in self.lives.items()
            if first <= tile[1] and tile[0] <= last and value not in hidden
        )

    def estimated(self, plan: Plan) -> _Candidate:
        """Estimate the peak and the recomputation of `plan`."""
        inside = {number: tile for tile in plan for number in range(tile[0], tile[1] + 1)}
        peak, at, cost = 0, 0, 0
        for number, alone in enumerate(self.alone):
            total = alone
            if number in inside:
                tile = inside[number]
                if number != tile[0]:
                    continue
                measured = self._measured(tile)
                assert measured is not None
                total, cost = measured[0], cost + measured[1]
            if total > peak:
                peak, at = total, number
        return _Candidate(plan, peak, at, cost)

    def _at(self, number: int, op: Operation) -> int:
        """Return the bytes that are live while `op` runs, with its result over the largest operand that dies."""
        alive = sum(self.sizes[value] for value, (first, last) in self.lives.items() if first < number < last)
        dying = [self.sizes[value] for value, (first, last) in self.lives.items() if first < number == last]
        made = sum(self.sizes[value] for value in op.results if value in self.lives)
        dies = max(dying, default=0)
        return alive + sum(dying) - dies + max(dies, made)


def _is_hidden(value: SSAValue) -> bool:
    """Return whether `value` stays inside a kernel because the next operation is fused into it."""
    uses = list(value.uses)
    return len(uses) == 1 and not isinstance(value, BlockArgument) and is_pointwise(uses[0].operation)


def _bytes(value: SSAValue) -> int:
    kind = as_tensor_type(value.type)
    return prod(kind.get_shape()) * size_in_bytes(kind.element_type)
