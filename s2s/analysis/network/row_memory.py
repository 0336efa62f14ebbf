"""Choose how many operators run row by row, by the memory that rings and the rest of the network take."""

from collections.abc import Sequence, Set
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.line_buffers import Clocked, LineBuffers, line_buffers, row_bytes
from s2s.analysis.network.row_clocks import RowClock
from s2s.analysis.numbers.known_values import is_known
from s2s.dialects.graph import FusionKind, fusion_kind
from s2s.dialects.graph.base import type_of
from s2s.types.dtypes import size_in_bytes


def least_memory(main: FuncOp, x: SSAValue, clock: RowClock, ops: Clocked) -> int:
    """Return how many of `ops`, from the first one on, run row by row in the plan with the least memory; more of them
    where that is equal."""
    counts = [count for count in range(1, len(ops) + 1) if _is_stored(ops[count - 1][0].results[0])]
    return min(counts, key=lambda count: (_bytes(main, line_buffers(x, clock, ops[:count])), -count), default=0)


def _bytes(main: FuncOp, plan: LineBuffers) -> int:
    """Estimate the memory of a plan: of rings and the rows of a group, or of what runs behind them."""
    rings = sum(ring.bytes for ring in (*plan.rings, *plan.wholes))
    rows = max(_rows(group.ops, plan) for group in plan.groups)
    inside = {op for group in plan.groups for op in group.ops}
    return max(rings + rows, _rest(main, inside))


def _rows(ops: Sequence[Operation], plan: LineBuffers) -> int:
    """Return the bytes of the rows that a group computes."""
    return sum(row_bytes(op.results[0], plan.clocks[op.results[0]]) for op in ops if _is_stored(op.results[0]))


def _rest(main: FuncOp, inside: Set[Operation]) -> int:
    """Return the largest sum of stored tensors that live at the same time behind the operators `inside`."""
    ops = [op for op in main.body.block.ops if op not in inside]
    last = {operand: number for number, op in enumerate(ops) for operand in op.operands}
    live = {value: _size(value) for op in inside for value in op.results if value in last}
    most = sum(live.values())
    for number, op in enumerate(ops):
        live |= {value: _size(value) for value in op.results if _is_stored(value) and value in last}
        most = max(most, sum(live.values()))
        live = {value: size for value, size in live.items() if last[value] > number}
    return most


def _is_stored(value: SSAValue) -> bool:
    """Return whether a tensor lies in memory: not if it is part of the operator that alone reads it."""
    if is_known(value):
        return False
    readers = {use.operation for use in value.uses}
    return len(readers) != 1 or fusion_kind(next(iter(readers))) > FusionKind.BROADCAST


def _size(value: SSAValue) -> int:
    return prod(type_of(value).get_shape()) * size_in_bytes(type_of(value).element_type)
