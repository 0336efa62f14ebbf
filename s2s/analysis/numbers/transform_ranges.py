"""Compute the interval of the results of a Winograd convolution of integers.

Its three computations are linear in the image `d`: `y = A^T ((G g G^T) * (B^T d B)) A / divisor`. So each result is a
sum over the elements of a tile and the channels, whose coefficients follow from the matrices and the transformed
filter. Their absolute values bound it, however large the sums in between are: these wrap around, and the last one is
right again.

For `F(2, 3)` in one dimension and the filter 3, 1, 2 (factors 6, 6, 4, 4), the coefficients of the first result are
6, 2, 4, 0 over a divisor of 2: with elements up to 255 it is at most 6 * 255.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from s2s.analysis.structure.products import wide_product_sum
from s2s.dialects import tensor
from s2s.types.dtypes import Array

Interval = tuple[int, int]
Constants = Mapping[SSAValue, Sequence[Array]]
"""The arguments of a kernel that are weights, with their values in each call."""


def transform_interval(op: tensor.TransformOp, constants: Constants) -> Interval | None:
    """Return the interval of the numbers that the `apply` region of `op` receives; None unless they are the results of
    a convolution of bytes with known filters."""
    products = op.x.owner
    if not isinstance(products, tensor.ComputeOp) or len(products.sizes) != 4:
        return None
    factors = wide_product_sum(products)
    if factors is None:
        return None
    for w, x in ((factors.left, factors.right), (factors.right, factors.left)):
        first = products.reads[x.read].owner
        if products.reads[w.read] in constants and isinstance(first, tensor.TransformOp):
            return _bound(op, products, w.read, first, constants[products.reads[w.read]])
    return None


def _bound(
    last: tensor.TransformOp,
    products: tensor.ComputeOp,
    read: int,
    first: tensor.TransformOp,
    filters: Sequence[Array],
) -> Interval:
    largest = max(abs(-128 + first.added), abs(127 + first.added))
    bound = largest * max(_largest_sum(last, first, _by_factor(products, read, each)) for each in filters)
    return -(-bound // -last.divided_by), bound // last.divided_by


def _by_factor(products: tensor.ComputeOp, read: int, values: Array) -> Array:
    """Return the filters as `[factor, output channel, input channel]`, however they lie in memory."""
    factors, _, out_channels, in_channels = products.sizes
    grid = [*np.ix_(np.arange(factors), np.arange(out_channels), np.arange(in_channels))]
    places: list[Any] = [grid[0], 0, *grid[1:]]
    return values[tuple(expr.eval(places, []) for expr in products.read_accesses[read].map.data.results)]


def _largest_sum(last: tensor.TransformOp, first: tensor.TransformOp, filters: Array) -> int:
    """Return the largest sum of absolute coefficients of one result, over the elements of a tile and the channels."""
    left, right = (np.array(matrix, np.int64) for matrix in last.matrices)
    above, beside = (np.array(matrix, np.int64) for matrix in first.matrices)
    rows, columns = first.outputs
    u = filters.reshape(rows, columns, *filters.shape[1:]).astype(np.int64)
    sums = [
        np.abs(np.einsum("k,l,kloc,kp,lq->pqoc", i, j, u, above, beside, optimize=True)).sum(axis=(0, 1, 3)).max()
        for i in left
        for j in right
    ]
    return int(max(sums))
