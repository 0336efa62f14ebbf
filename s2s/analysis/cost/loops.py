"""Bound the number of operations that a loop-level kernel executes, from its affine loop bounds."""

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.dialects import loop
from s2s.types.affine import Range, bounds

FUNCTION = 16
"""The number of simple operations that one call of a mathematical library function counts as."""


def operations_of(kernel: FuncOp) -> int:
    """Return an upper bound of the loads, stores and scalar operations of one call of `kernel`."""
    return _block(kernel.body.block, {})


def operations_in(op: Operation) -> int:
    """Return an upper bound of the loads, stores and scalar operations of one outermost operation of a kernel, whose
    loops may end at sizes of the run."""
    ranges: dict[SSAValue, Range] = {}
    for each in () if op.parent is None else op.parent.ops:
        if isinstance(each, loop.SizeOp | loop.ApplyOp):
            _operation(each, ranges)
    return _operation(op, ranges)


def runs_of(kernel: FuncOp) -> dict[Operation, int]:
    """Return an upper bound of how often each operation runs in one call of `kernel`."""
    found: dict[Operation, int] = {}
    ranges: dict[SSAValue, Range] = {}

    def count(block: Block, runs: int) -> None:
        for op in block.ops:
            found[op] = runs
            _operation(op, ranges)  # which notes the ranges of indices
            inner = runs * trips_of(op, ranges) if isinstance(op, loop.ForOp) else runs
            for region in op.regions:
                for each in region.blocks:
                    count(each, inner)

    count(kernel.body.block, 1)
    return found


def _block(block: Block, ranges: dict[SSAValue, Range]) -> int:
    return sum(_operation(op, ranges) for op in block.ops)


def _operation(op: Operation, ranges: dict[SSAValue, Range]) -> int:
    match op:
        case loop.ForOp():
            return trips_of(op, ranges) * _block(op.body.block, ranges)
        case loop.IfOp():
            return max(_block(region.block, ranges) for region in op.regions if region.blocks)
        case loop.ApplyOp():
            ranges[op.result] = range_of(op, ranges)
            return 0
        case loop.SizeOp():
            ranges[op.result] = op.bounds
            return 0
        case arith.ConstantOp() | loop.YieldOp():
            return 0
        case loop.WorkInterface():
            return op.work
        case _ if op.results and isinstance(op.results[0].type, IndexType):
            return 0
        case _:
            return FUNCTION if op.name.startswith(math.Math.name) else 1


def range_of(op: loop.ApplyOp, ranges: dict[SSAValue, Range]) -> Range:
    """Return the range of a computed index."""
    return _bounds(op.map.data.results[0], op.indices, ranges)


def trips_of(op: loop.ForOp, ranges: dict[SSAValue, Range]) -> int:
    """Return an upper bound of the trip count of a loop; record the range of its induction variable in `ranges`."""
    first = max(_bounds(each, op.dims, ranges)[0] for each in op.lower.data.results)
    last = min(_bounds(each, op.dims, ranges)[1] for each in op.upper.data.results) - 1
    ranges[op.index] = (first, max(first, last))
    lengths = [
        _bounds(high - low, op.dims, ranges)[1] for high in op.upper.data.results for low in op.lower.data.results
    ]
    return max(0, -(-min(lengths) // op.step.value.data))


def _bounds(expr: AffineExpr, operands: Sequence[SSAValue], ranges: dict[SSAValue, Range]) -> Range:
    return bounds(expr, [ranges.get(operand, (0, 0)) for operand in operands])
