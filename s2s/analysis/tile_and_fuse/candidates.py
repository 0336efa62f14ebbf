"""Which dimensions the computations of a kernel could walk through together."""

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.tile_and_fuse.fused_groups import coordinates, operands_of
from s2s.dialects import tensor

Walk = Mapping[tensor.ComputeOp, int]
"""The dimension of each computation that runs along one of the last."""


def common_dims(computes: Sequence[tensor.ComputeOp]) -> list[Walk]:
    """The parallel dimensions of the last computation, longer than one, along which every other one only ever reads
    what lies at the same position; with the dimension of each that this is."""
    last = computes[-1]
    walks = [_walk(computes, dim) for dim in range(last.rank) if last.sizes[dim] > 1]
    return [walk for walk in walks if walk is not None]


def _walk(computes: Sequence[tensor.ComputeOp], dim: int) -> Walk | None:
    owners: dict[SSAValue, tensor.ComputeOp] = {result: op for op in computes for result in op.res}
    walk: dict[tensor.ComputeOp, int] = {computes[-1]: dim}
    for op in reversed(computes):
        if op not in walk or any(table in owners for table in op.tables):
            return None
        for value, access, sizes in operands_of(op):
            if value not in owners:
                continue
            owner = owners[value]
            point = coordinates(value, access, sizes, owner.parallel_sizes)
            if point is None or any(divisor > 1 for divisor in access.division):
                return None
            here = [place for place, expr in enumerate(point) if expr == AffineDimExpr(walk[op])]
            if len(here) != 1 or walk.setdefault(owner, here[0]) != here[0]:
                return None
            if owner.sizes[here[0]] != op.sizes[walk[op]]:
                return None
    return walk
