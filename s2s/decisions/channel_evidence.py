"""Infer from a computation which dimension of its operands and results holds the channels."""

from xdsl.ir import SSAValue

from s2s.analysis.structure.compute import shape_of, slots
from s2s.decisions.channel_blocks import CHANNEL
from s2s.dialects import tensor

SIGNAL = 3
"""The rank of a signal: `[N, C, W]`."""
RANKS = (SIGNAL, 4)
"""The ranks of what is blocked: signals and images."""


def undivided(op: tensor.ComputeOp, value: SSAValue) -> bool:
    """Return whether `op` reads `value` at every position."""
    operands = [*slots(op.reads, op.read_accesses), *slots(op.epilogue, op.epilogue_accesses)]
    return all(access.division == (1,) * len(access.division) for operand, access in operands if operand is value)


def why_channels_last(op: tensor.ComputeOp, value: SSAValue) -> str | None:
    """Return the evidence that `op` reduces `value` as an image whose channels come last; None if there is none."""
    for operand, access in slots(op.reads, op.read_accesses):
        if operand is not value or len(shape_of(value)) != 4:
            continue
        _, second, third, last = (expr.used_dims() for expr in access.map.data.results)
        if len(second) > 1:
            return "slides a window along the second dimension: channels come last already"
        if [any(dim >= op.rank for dim in dims) for dims in (second, third, last)] == [False, False, True]:
            return "reduces the last dimension alone: channels come last already"
    return None


def convolves(op: tensor.ComputeOp, value: SSAValue, constants: frozenset[SSAValue]) -> bool:
    """Return whether `op` sums products of constants and the second dimension of `value` for each position of the last
    dimension, or writes such sums to the second dimension of `value`."""
    reads = slots(op.reads, op.read_accesses)
    weights = [access for operand, access in reads if operand in constants]
    if not weights:
        return False
    moving = {dim for access in weights for expr in access.map.data.results for dim in expr.used_dims()}
    writes_second = CHANNEL in moving and op.rank - 1 not in moving
    if value in op.res:
        return op.parallel_sizes == shape_of(value) and writes_second
    read = [access.map.data.results for operand, access in reads if operand is value]
    return any(
        bool(results[CHANNEL].used_dims() & moving)
        and (not results[-1].used_dims() <= moving or (writes_second and op.rank == len(results)))
        for results in read
    )
