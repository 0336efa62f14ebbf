"""Compute the shape of a packed constant, and the access map by which a computation reads it.

[64, 16] packed as [0 floordiv 32, 1, 0 mod 32]  ->  [2, 16, 32]
w[o, i]                                          ->  w[o floordiv 32, i, o mod 32]
"""

from collections.abc import Sequence
from math import prod

from xdsl.ir.affine import AffineExpr, AffineMap

from s2s.dialects import tensor
from s2s.types.affine import flat_index, ranges, simplify


def packed_shape(shape: Sequence[int], axes: Sequence[tensor.PackedAxis]) -> tuple[int, ...]:
    """Return the shape of a tensor of `shape` packed as `axes`."""
    return tuple(axis.modulus or -(-_extent(shape, axis) // axis.divisor) for axis in axes)


def _extent(shape: Sequence[int], axis: tensor.PackedAxis) -> int:
    return prod(shape[each] for each in axis.axes)


def packed_access(
    access: tensor.AccessAttr, shape: Sequence[int], axes: Sequence[tensor.PackedAxis], sizes: Sequence[int]
) -> tensor.AccessAttr:
    """Return the access to a tensor of `shape`, over a domain of `sizes`, once it is packed as `axes`."""
    results: list[AffineExpr] = []
    for axis in axes:
        expr = flat_index([access.map.data.results[each] for each in axis.axes], [shape[each] for each in axis.axes])
        if axis.divisor > 1:
            expr = expr // axis.divisor
        if axis.modulus:
            expr = expr % axis.modulus
        # Index combined axes as one dimension: written as several, their divisions could not be merged again.
        results.append(simplify(expr, ranges(sizes)) if len(axis.axes) == 1 else expr)
    return tensor.AccessAttr.of(AffineMap(access.map.data.num_dims, 0, tuple(results)))
