"""Find the dimensions along which all computations of a kernel can be tiled and fused."""

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.tile_and_fuse.fused_groups import coordinates, operands_of
from s2s.dialects import tensor

CommonDim = Mapping[tensor.ComputeOp, int]
"""For each computation, the dimension that is tiled together with one dimension of the last computation."""


def common_dims(computes: Sequence[tensor.ComputeOp]) -> list[CommonDim]:
    """Return, for each parallel dimension of the last computation longer than one, the matching dimension of every
    other computation, where each consumer reads its producer at the same position only. For `y[i, j] = x[i, j] + 1;
    z[i, j] = sum_k y[i, k]`, `i` is such a dimension and `j` is not."""
    last = computes[-1]
    common = [_common_dim(computes, dim) for dim in range(last.rank) if last.sizes[dim] > 1]
    return [dims for dims in common if dims is not None]


def _common_dim(computes: Sequence[tensor.ComputeOp], dim: int) -> CommonDim | None:
    owners: dict[SSAValue, tensor.ComputeOp] = {result: op for op in computes for result in op.res}
    dims: dict[tensor.ComputeOp, int] = {computes[-1]: dim}
    for op in reversed(computes):
        if op not in dims or any(table in owners for table in op.tables):
            return None
        for value, access, sizes in operands_of(op):
            if value not in owners:
                continue
            owner = owners[value]
            point = coordinates(value, access, sizes, owner.parallel_sizes)
            if point is None or any(divisor > 1 for divisor in access.division):
                return None
            here = [place for place, expr in enumerate(point) if expr == AffineDimExpr(dims[op])]
            if len(here) != 1 or dims.setdefault(owner, here[0]) != here[0]:
                return None
            if owner.sizes[here[0]] != op.sizes[dims[op]]:
                return None
    return dims


def leading_dims(computes: Sequence[tensor.ComputeOp]) -> list[CommonDim]:
    """Return the common dimensions of computations without products, if they are the first dimensions of each that is
    longer than one; none otherwise. A softmax of rows has such dimensions, one along the first axis has not."""
    if len(computes) < 2 or any(len(op.reads) > 1 or op.tables for op in computes):
        return []
    common, last = common_dims(computes), computes[-1]
    long = [dim for dim in range(last.rank) if last.sizes[dim] > 1]
    return common if [each[last] for each in common] == long[: len(common)] else []
