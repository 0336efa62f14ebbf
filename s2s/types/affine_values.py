"""Evaluate affine expressions at many points at once, and find the least and the greatest value exactly."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

import numpy as np
from xdsl.ir.affine import AffineBinaryOpKind, AffineExpr

from s2s.types.affine import Range, bounds, is_binary, is_constant, is_dim
from s2s.types.dtypes import Array

MAX_POINTS = 1 << 16
"""Up to this many points are evaluated for exact bounds."""


def valued(expr: AffineExpr, points: Sequence[Array]) -> Array:
    """Return the values of `expr` at points, given by the value of each dimension at all of them."""
    if is_dim(expr):
        return points[expr.position]
    if is_constant(expr):
        return np.full(len(points[0]), expr.value, np.int64)
    assert is_binary(expr)
    left, right = valued(expr.lhs, points), valued(expr.rhs, points)
    match expr.kind:
        case AffineBinaryOpKind.Add:
            return left + right
        case AffineBinaryOpKind.Mul:
            return left * right
        case AffineBinaryOpKind.FloorDiv:
            return left // right
        case AffineBinaryOpKind.CeilDiv:
            return -(-left // right)
        case _:
            return left % right


@lru_cache(maxsize=4096)
def exact_bounds(expr: AffineExpr, box: tuple[Range, ...]) -> Range:
    """Return the smallest and the largest value of `expr` over a box; safe ones where that has too many points.

    Of `d0 - (d0 floordiv 16) * 16` with `d0` from 0 to 40 these are 0 and 15.
    """
    used = expr.used_dims()
    axes = [range(low, high + 1) if dim in used else (low,) for dim, (low, high) in enumerate(box)]
    if prod(map(len, axes)) > MAX_POINTS:
        return bounds(expr, box)
    points = [axis.reshape(-1) for axis in np.meshgrid(*axes, indexing="ij")] if axes else [np.zeros(1, np.int64)]
    values = valued(expr, points)
    return int(values.min()), int(values.max())
