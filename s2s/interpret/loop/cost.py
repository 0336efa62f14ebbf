"""Estimate how many operations the interpretation of a network takes, from the affine bounds of its loops."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineExpr

from s2s.dialects import loop
from s2s.interpret.loop.run import find_function
from s2s.types.affine import Range, bounds

Ranges = dict[SSAValue, Range]
"""What is known of indices; an index that is not in here is taken as 0."""


def estimated_operations(module: ModuleOp) -> int:
    """At most how many operations `@main` carries out, those of its kernels included."""
    return _function(module, "main", {})


def _function(module: ModuleOp, name: str, costs: dict[str, int]) -> int:
    """The operations of a function and all that it calls; a loop of unknown length is taken to run once."""
    if name not in costs:
        block = find_function(module, name).body.block
        costs[name] = _block(block, {})
        for op in block.ops:
            match op:
                case CallOp():
                    costs[name] += _function(module, op.callee.string_value(), costs)
                case loop.CallForOp():
                    costs[name] += op.steps.value.data * _function(module, op.body.string_value(), costs)
                case loop.NetworkCall():
                    costs[name] += sum(_function(module, callee, costs) for callee in op.networks)
                case _:
                    pass
    return costs[name]


def _block(block: Block, ranges: Ranges) -> int:
    """The operations of one run through `block`."""
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
            case loop.ApplyOp():
                ranges[op.result] = bounds(op.map.data.results[0], _of(op.indices, ranges))
            case _:
                pass
    return total


def _enter(op: loop.ForOp, ranges: Ranges) -> int:
    """At most how often the body runs; notes the range of the index."""
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
