"""Choose the sections of a network that run row by row in line buffers, so that its activations fit into little RAM.

The estimate counts activations only, and places a result over an operand that dies; compiling a plan tells its exact
size. The search starts from the step with the largest peak and buffers sections around it, as long as that helps. It
takes the plan that moves fewest bytes in rings among the plans that reach the goal, else the smallest.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from s2s.analysis.network.buffered_sections import operations, section
from s2s.analysis.network.functions import main_of
from s2s.analysis.network.line_buffers import LineBuffers, row_bytes
from s2s.analysis.network.reshapes import root_of
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.dialects.graph.base import type_of
from s2s.support.frozen import frozen
from s2s.types.dtypes import size_in_bytes
from s2s.types.shapes.sliding import last_free_distance

MAX_OPERATORS = 40
"""Upper bound of the operators in a section."""
ROUNDS = 6
"""Upper bound of the sections that the search adds one after the other."""
_POINTWISE = (graph.ElementwiseOp, graph.BinaryElementwiseOp, graph.RescaleOp, graph.TableOp)

Sections = tuple[tuple[int, int], ...]
"""First and last operation of each section."""


class _Candidate(NamedTuple):
    """Sections with the bytes and the step of their peak, and the bytes that their rings move."""

    sections: Sections
    peak: int
    step: int
    moved: int


@frozen
class _Rows:
    """What a section takes."""

    x: SSAValue
    wholes: tuple[SSAValue, ...]
    kept: int
    """Bytes of its rings, and of the rows that a group of its operators computes."""
    over: int
    """Bytes that its largest result shares with `x`, where that is not read later."""
    moved: int
    """Bytes that its rings move up."""


def plans(module: ModuleOp, goal: int) -> list[Sections]:
    """Return sets of sections for a peak of `goal` bytes, the cheapest first; none where line buffers do not help."""
    network = _Network(main_of(module))
    found = [network.search(bytes) for bytes in dict.fromkeys((goal, goal * 15 // 16, 0))]
    return [sections for sections in dict.fromkeys(found) if sections]


def peak_of(module: ModuleOp, sections: Sections) -> int:
    """Return the peak of the activations in bytes, as the search estimates it; `sections` have to be possible."""
    return _Network(main_of(module)).estimated(sections).peak


class _Network:
    """The activations of `main`, as the estimate models them."""

    def __init__(self, main: FuncOp) -> None:
        self.ops = operations(main)
        self.lives: dict[SSAValue, tuple[int, int]] = dict.fromkeys(main.args, (-1, -1))
        for number, op in enumerate(self.ops):
            self.lives |= {result: (number, number) for result in op.results if root_of(result) is result}
            for operand in op.operands:
                self._read(operand, number)
        last = main.body.block.last_op
        for operand in () if last is None else last.operands:
            self._read(operand, len(self.ops))
        self.sizes = {value: 0 if _is_hidden(value) else _bytes(value) for value in self.lives}
        self.heads = [number for number, op in enumerate(self.ops) if not (is_pointwise(op) and _continues(op))]
        """Operators that begin a kernel: sections begin and end in front of them."""
        self.alone = [self._step(number) for number in range(len(self.ops))]
        """The bytes that are live while each operation runs."""
        self.measured: dict[tuple[int, int], tuple[int, int] | None] = {}
        """What `_measured` returned for a section; a search asks many times."""

    def search(self, goal: int) -> Sections:
        """Return the sections to run row by row."""
        best = self.estimated(())
        for _ in range(ROUNDS):
            if best.peak <= goal:
                break
            tried = [self.estimated(_with(best.sections, one)) for one in self._around(best.step)]
            better = [one for one in tried if one.peak < best.peak]
            if not better:
                break
            best = min(better, key=lambda one: (max(one.peak, goal), one.moved))
        return best.sections

    def estimated(self, sections: Sections) -> _Candidate:
        """Estimate the peak of `sections`, and the bytes that they move."""
        starts = dict(sections)
        peak, at, moved, number = 0, 0, 0, 0
        while number < len(self.ops):
            last = starts.get(number, number)
            measured = self._measured(number, last) if number in starts else None
            total, bytes = (self.alone[number], 0) if measured is None else measured
            moved += bytes
            if total > peak:
                peak, at = total, number
            number = last + 1
        return _Candidate(sections, peak, at, moved)

    def _read(self, value: SSAValue, number: int) -> None:
        root = root_of(value)
        if root in self.lives:
            self.lives[root] = self.lives[root][0], number

    def _around(self, step: int) -> list[tuple[int, int]]:
        """Return the sections that contain `step` or the operator behind it."""
        ends = [*(head - 1 for head in self.heads[1:]), len(self.ops) - 1]
        pairs = [
            (first, last)
            for first in self.heads
            for last in ends
            if first <= step + 1 and step <= last and 0 < last - first < MAX_OPERATORS
        ]
        return [pair for pair in pairs if self._measured(*pair) is not None]

    def _measured(self, first: int, last: int) -> tuple[int, int] | None:
        """Return the bytes that are live while a section runs, and the bytes that its rings move; None if there is no
        such section."""
        if (first, last) not in self.measured:
            plan = section(self.ops, first, last)
            rows = None if plan is None else _rows_of(plan)
            self.measured[first, last] = None if rows is None else (self._section(first, last, rows), rows.moved)
        return self.measured[first, last]

    def _section(self, first: int, last: int, rows: _Rows) -> int:
        """Return the bytes that are live while operators `first` to `last` run row by row."""
        inside = {result for op in self.ops[first : last + 1] for result in op.results}
        alive = [
            value
            for value, (born, died) in self.lives.items()
            if born <= last and first <= died and value not in inside
        ]
        total = sum(self.sizes[value] for value in alive) + sum(_bytes(value) for value in rows.wholes) + rows.kept
        return total - (rows.over if self.lives.get(root_of(rows.x), (0, len(self.ops)))[1] <= last else 0)

    def _step(self, number: int) -> int:
        """Return the bytes that are live while an operator runs, with its result over the largest operand that dies."""
        op = self.ops[number]
        alive = sum(self.sizes[value] for value, (first, last) in self.lives.items() if first < number < last)
        dying = [self.sizes[value] for value, (first, last) in self.lives.items() if first < number == last]
        results = sum(self.sizes[value] for value in op.results if value in self.lives)
        dies = max(dying, default=0)
        return alive + sum(dying) - dies + max(dies, results)


def is_pointwise(op: Operation) -> bool:
    """Return whether `op` is fused into the kernel of the previous operation."""
    return isinstance(op, _POINTWISE) and fusion_kind(op) <= FusionKind.BROADCAST


def _continues(op: Operation) -> bool:
    """Return whether an operand of `op` has no other reader."""
    return any(operand.has_one_use() and isinstance(operand.owner, Operation) for operand in op.operands[:2])


def _with(sections: Sections, added: tuple[int, int]) -> Sections:
    """Return `sections` with one more, in place of sections that it overlaps."""
    return tuple(sorted([*(one for one in sections if one[1] < added[0] or added[1] < one[0]), added]))


def _rows_of(plan: LineBuffers) -> _Rows:
    rings = sum(ring.bytes for ring in plan.rings)
    moved = sum(ring.bytes * (ring.clock.size + ring.fills) for ring in plan.rings)
    computed = max(_stored_rows(group.ops, plan) for group in plan.groups)
    return _Rows(plan.x, tuple(ring.value for ring in plan.wholes), rings + computed, _shared(plan), moved)


def _stored_rows(ops: Sequence[Operation], plan: LineBuffers) -> int:
    """Return the bytes of the rows that a group computes and stores."""
    kept = {ring.value for ring in (*plan.rings, *plan.wholes)}
    values = [op.results[0] for op in ops if op.results[0] not in kept and not _is_hidden(op.results[0])]
    return sum(row_bytes(value, plan.clocks[value]) for value in values)


def _shared(plan: LineBuffers) -> int:
    """Return the bytes that the largest result may share with `x`."""
    size, shared = _bytes(plan.x), 0
    for number, group in enumerate(plan.groups):
        for ring in group.rings:
            if ring.is_whole:
                row, taken = row_bytes(plan.x, plan.clocks[plan.x]), number == 0
                clock = ring.clock
                free = last_free_distance(
                    (clock.first, clock.last), ring.bytes // ring.size, ring.size, row, reads_row=taken
                )
                low, high = min(0, free), max(size, free + ring.bytes)
                shared = max(shared, size + ring.bytes - (high - low))
    return shared


def _is_hidden(value: SSAValue) -> bool:
    """Return whether `value` stays inside a kernel because the next operation is fused into it."""
    uses = list(value.uses)
    return len(uses) == 1 and not isinstance(value, BlockArgument) and is_pointwise(uses[0].operation)


def _bytes(value: SSAValue) -> int:
    type = type_of(value)
    return prod(type.get_shape()) * size_in_bytes(type.element_type)
