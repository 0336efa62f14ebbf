"""Compute the intervals of the integers in a computation, from its operand types and the values of its weights.

The weights bound a sum of products: `sum |w| * max |x - x_zp|` per output channel. All else is interval arithmetic on
Python integers: `[-3, 5] + [0, 10]` is `[-3, 15]`. A value that may overflow its type has no interval.

A Winograd convolution of integers is bounded as a whole. Its three computations are linear in the image `d`:
`y = A^T ((G g G^T) * (B^T d B)) A / divisor`. So each result is a sum over the elements of a tile and the channels,
whose coefficients follow from the matrices and the transformed filter. Their absolute values bound it, however large
the sums in between are: these wrap around, and the last one is right again.

For `F(2, 3)` in one dimension and the filter 3, 1, 2 (factors 6, 6, 4, 4), the coefficients of the first result are
6, 2, 4, 0 over a divisor of 2: with elements up to 255 it is at most 6 * 255.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from s2s.analysis.structure.products import ProductSum, product_sum, wide_product_sum
from s2s.dialects import tensor
from s2s.types.affine import linear, ranges
from s2s.types.dtypes import Array
from s2s.types.hints import isa

Interval = tuple[int, int]
Constants = Mapping[SSAValue, Sequence[Array]]
"""The arguments of a kernel that are weights, with their values in each call."""
Combine = Callable[[Interval, Interval], Interval]


def interval_of_type(type: Attribute) -> Interval | None:
    """Return the range of a signed integer type."""
    if not isa(type, IntegerType) or type.width.data == 1:
        return None
    half = 1 << (type.width.data - 1)
    return -half, half - 1


def sum_interval(op: tensor.ComputeOp, constants: Constants) -> Interval | None:
    """Return the interval of the sum of products of `op`, partial sums included; None if it is no sum of products with
    known weights."""
    products = product_sum(op)
    if products is None:
        return None
    for w, x in ((products.left, products.right), (products.right, products.left)):
        if op.reads[w.read] in constants:
            largest = max(abs(-128 + x.offset), abs(127 + x.offset))
            bound = largest * max(_largest_sum(op, products, w.read, values) for values in constants[op.reads[w.read]])
            return -bound, bound
    return None


def _largest_sum(op: tensor.ComputeOp, products: ProductSum, read: int, values: Array) -> int:
    """Return the largest sum of absolute weights over the reduction of one result; a weight that is read twice counts
    twice."""
    factor = products.factor_of(read)
    bytes = values.view(np.uint8) if factor.unsigned else values
    magnitudes = np.abs(bytes.astype(np.int64) + factor.offset)
    box = ranges(op.sizes)
    forms = [linear(expr, box) for expr in op.read_accesses[read].map.data.results]
    reduced = [
        axis
        for axis, form in enumerate(forms)
        if any(dim >= op.rank for atom in form.terms for dim in atom.used_dims())
    ]
    met = prod(magnitudes.shape[axis] for axis in reduced)
    repeated = -(-prod(op.reduction_sizes) // max(met, 1))
    return int(magnitudes.sum(axis=tuple(reduced)).max()) * max(repeated, 1)


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
            return _transform_bound(op, products, w.read, first, constants[products.reads[w.read]])
    return None


def _transform_bound(
    last: tensor.TransformOp,
    products: tensor.ComputeOp,
    read: int,
    first: tensor.TransformOp,
    filters: Sequence[Array],
) -> Interval:
    largest = max(abs(-128 + first.added), abs(127 + first.added))
    bound = largest * max(_largest_transform(last, first, _by_factor(products, read, each)) for each in filters)
    return -(-bound // -last.divided_by), bound // last.divided_by


def _by_factor(products: tensor.ComputeOp, read: int, values: Array) -> Array:
    """Return the filters as `[factor, output channel, input channel]`, however they lie in memory."""
    factors, _, out_channels, in_channels = products.sizes
    grid = [*np.ix_(np.arange(factors), np.arange(out_channels), np.arange(in_channels))]
    places: list[Any] = [grid[0], 0, *grid[1:]]
    return values[tuple(expr.eval(places, []) for expr in products.read_accesses[read].map.data.results)]


def _largest_transform(last: tensor.TransformOp, first: tensor.TransformOp, filters: Array) -> int:
    """Return the largest sum of absolute coefficients of one result, over the elements of a tile and the channels."""
    left, right = (np.array(matrix, np.int64) for matrix in last.matrices)
    above, beside = (np.array(matrix, np.int64) for matrix in first.matrices)
    rows, columns = first.outputs
    u = filters.reshape(last.window[0], columns, filters.shape[1], -1, filters.shape[2] // _summed(last, first))
    u = np.moveaxis(u, 3, 1).reshape(rows, columns, u.shape[2], -1).astype(np.int64)
    left = np.repeat(left, _summed(last, first), axis=1)
    sums = [
        np.abs(np.einsum("k,l,kloc,kp,lq->pqoc", i, j, u, above, beside, optimize=True)).sum(axis=(0, 1, 3)).max()
        for i in left
        for j in right
    ]
    return int(max(sums))


def _summed(last: tensor.TransformOp, first: tensor.TransformOp) -> int:
    """Return the rows of a tile that the products sum with the channels; 1 where each is a factor of its own."""
    return first.outputs[0] // last.window[0]


def apply_intervals(op: tensor.Computation, constants: Constants) -> dict[SSAValue, Interval]:
    """Return the intervals of the values in the `apply` region of `op`, as far as they are known."""
    block = op.apply.block
    known: dict[SSAValue, Interval] = {}
    is_transform = isinstance(op, tensor.TransformOp)
    total = transform_interval(op, constants) if is_transform else sum_interval(op, constants)
    if total is not None:
        known[block.args[0]] = total
    for argument, operand in zip(block.args[1 if is_transform else len(op.inits) :], op.epilogue, strict=False):
        given = interval_of_type(argument.type)
        if operand in constants and given is not None:
            values = constants[operand]
            given = min(int(each.min()) for each in values), max(int(each.max()) for each in values)
        if given is not None:
            known[argument] = given
    _follow(block, known)
    return known


def _follow(block: Block, known: dict[SSAValue, Interval]) -> None:
    """Add the intervals of the results of the operations of `block` to `known`."""
    for op in block.ops:
        if len(op.results) != 1:
            continue
        room, found = interval_of_type(op.results[0].type), _of(op, known)
        if found is not None and room is not None and room[0] <= found[0] and found[1] <= room[1]:
            known[op.results[0]] = found


def _of(op: Operation, known: Mapping[SSAValue, Interval]) -> Interval | None:
    if isinstance(op, arith.ConstantOp):
        number = op.value
        return (number.value.data, number.value.data) if isa(number, IntegerAttr) else None
    given = [known.get(operand) for operand in op.operands]
    match op, given:
        case tensor.SaturateOp(), _:
            return -128, 127
        case arith.ExtSIOp(), [(int(), int()) as x]:
            return x
        case arith.TruncIOp(), [(int(), int()) as x]:
            return x
        case tensor.RescaleOp(), [(int(), int()) as x, (int(), int()) as m, (int(), int()) as s]:
            return _rescaled(x, m, s, op.added)
        case _, [(int(), int()) as a, (int(), int()) as b] if type(op) in _BINARY:
            return _BINARY[type(op)](a, b)
        case _:
            return None


def _rescaled(x: Interval, multiplier: Interval, shift: Interval, added: int) -> Interval | None:
    """Return the interval of a rescaled value: at most `|x|` times the multiplier, rounded twice; None for left
    shifts."""
    if multiplier[0] < 0 or shift[1] > 0:
        return None
    reach = max(abs(x[0]), abs(x[1])) * multiplier[1] // (1 << (31 - shift[1])) + 2
    return added - reach, added + reach


def _corners(combine: Callable[[int, int], int]) -> Combine:
    def corners(a: Interval, b: Interval) -> Interval:
        ends = [combine(x, y) for x in a for y in b]
        return min(ends), max(ends)

    return corners


def _shifted_left(a: Interval, b: Interval) -> Interval:
    if b[0] < 0 or b[1] > 63:
        return -(1 << 200), 1 << 200
    return _corners(lambda x, y: x << y)(a, b)


def _shifted_right(a: Interval, b: Interval) -> Interval:
    return _corners(lambda x, y: x >> min(max(y, 0), 63))(a, b)


_BINARY: Mapping[type[Operation], Combine] = {
    arith.AddiOp: lambda a, b: (a[0] + b[0], a[1] + b[1]),
    arith.SubiOp: lambda a, b: (a[0] - b[1], a[1] - b[0]),
    arith.MuliOp: _corners(lambda x, y: x * y),
    arith.MaxSIOp: lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
    arith.MinSIOp: lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    arith.ShLIOp: _shifted_left,
    arith.ShRSIOp: _shifted_right,
}

__all__ = ["Constants", "Interval", "apply_intervals", "interval_of_type", "sum_interval", "transform_interval"]
