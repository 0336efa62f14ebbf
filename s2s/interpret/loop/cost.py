"""Estimate the number of operations that interpreting a network takes, from the affine bounds of its loops."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.dialects import loop
from s2s.interpret.loop.run import find_function
from s2s.types.affine import Range, bounds

Ranges = dict[SSAValue, Range]
"""The known ranges of indices; an index without one is taken as 0."""


def estimated_operations(module: ModuleOp) -> int:
    """Return an upper bound of the operations that `@main` and its kernels execute."""
    return _function(module, "main", {})


def _function(module: ModuleOp, name: str, costs: dict[str, int]) -> int:
    """Return the operations of a function and its callees; a loop of unknown length counts as one iteration."""
    if name not in costs:
        block = find_function(module, name).body.block
        costs[name] = _block(block, {})
        for op in block.ops:
            match op:
                case CallOp():
                    costs[name] += _function(module, op.callee.string_value(), costs)
                case loop.CallForOp():
                    costs[name] += op.steps.value.data * _function(module, op.body.string_value(), costs)
                case loop.CallRowsOp():
                    costs[name] += sum(each.steps * _function(module, each.body, costs) for each in op.pieces)
                case loop.NetworkCall():
                    costs[name] += sum(_function(module, callee, costs) for callee in op.networks)
                case _:
                    pass
    return costs[name]


def _block(block: Block, ranges: Ranges) -> int:
    """Return the operations of one execution of `block`."""
    total = 0
    for op in block.ops:
        total += 1
        match op:
            case loop.ForOp():
                trips = _enter(op, ranges)
                total += trips * _block(op.body.block, ranges) if trips else 0
            case loop.IfOp():
                branches = [op.then] if op.otherwise is None else [op.then, op.otherwise]
                total += max(_block(branch.block, ranges) for branch in branches)
            case loop.SizeOp() | loop.TileOp():
                ranges[op.result] = op.bounds
            case loop.ApplyOp():
                ranges[op.result] = bounds(op.map.data.results[0], _of(op.indices, ranges))
            case _:
                pass
    return total


def _enter(op: loop.ForOp, ranges: Ranges) -> int:
    """Return an upper bound of the trip count; record the range of the index in `ranges`."""
    dims = _of(op.dims, ranges)
    lower, upper = op.lower.data.results, op.upper.data.results
    first = max(bounds(each, dims)[0] for each in lower)
    last = min(bounds(each, dims)[1] for each in upper) - 1
    ranges[op.index] = (first, max(first, last))
    span = min(_largest(high - low, dims) for high in upper for low in lower)
    return max(0, -(-span // op.step.value.data))


def _largest(expr: AffineExpr, dims: Sequence[Range]) -> int:
    return bounds(expr, dims)[1]


def _of(values: Sequence[SSAValue], ranges: Ranges) -> list[Range]:
    return [ranges.get(value, (0, 0)) for value in values]
