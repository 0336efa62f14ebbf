"""Compute Winograd's minimal filters F(outputs, taps): `outputs` results of a filter with `taps` taps from `outputs +
taps - 1` products.

    y = A^T ((G g) * (B^T d))                                       in one dimension
    Y = A^T ((G g G^T) * (B^T d B)) A                               in two, F(outputs x outputs, taps x taps)

Two dimensions may differ. Where tiles have one row of results, the taps of a column are summed with the channels: F(2,
3) along the rows of a 3x3 window takes 12 products for 2 results, where the convolution takes 18 and F(2x2, 3x3) 8.

Toom and Cook multiply polynomials by their values at points; Winograd's filters are the transposed algorithm. The
matrices follow from the points, in fractions, so that nothing is rounded before `G g G^T` is. Points in pairs `a, -a`
give matrices whose rows differ in signs. Those of F(4, 3) are not the integers of the literature: of the small dyadic
fractions, with which `A` and `B` are exact in 32 bits, these leave the smallest error, a fourth of that of 1 and 2.

Integers are filtered exactly with the points 0, 1 and 2: `G` is scaled to integers, and results are `scale` times as
large in each dimension, 2 for F(2, 3) and 24 for F(4, 3). A row of `G` takes as much of the scale as leaves factors in
16 bits, the column of `A` that its product meets takes the rest.

S. Winograd, Arithmetic Complexity of Computations, 1980; A. Lavin and S. Gray, Fast Algorithms for Convolutional
Neural Networks, 2015; B. Barabasz et al., Error Analysis and Improving the Accuracy of Winograd Convolution, 2020.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache, reduce
from math import lcm, prod
from typing import Any, NamedTuple

import numpy as np
from xdsl.dialects.builtin import StringAttr
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineMap

from s2s.analysis.structure.compute import dim_names
from s2s.analysis.structure.convolutions import Convolution
from s2s.types.affine import at_dims, flat_index, ranges, simplify
from s2s.types.dtypes import Array

Rows = tuple[tuple[Fraction, ...], ...]
POINTS = {4: ("0", "1", "-1"), 6: ("0", "5/8", "-5/8", "3/2", "-3/2")}
"""The interpolation points for each tile size; infinity is one more point."""
INTEGER_POINTS = {4: ("0", "1", "-1"), 6: ("0", "1", "-1", "2", "-2")}
"""The same for filters of integers."""
LARGEST_ROW = 16
"""The largest sum of absolute values in a row of an integer `G`: its square times 127 fits 16 bits."""
FILTERS_AT_ONCE = 4096
"""The filters that are transformed together."""


class MinimalFilter(NamedTuple):
    """The three matrices of a one-dimensional Winograd filter, by rows."""

    data: Rows
    """B^T: maps a tile of the image to factors."""
    filter: Rows
    """G: maps a filter to factors."""
    result: Rows
    """A^T: maps products to results."""
    scale: int = 1
    """The factor by which results are too large, where all matrices are of integers."""

    @property
    def outputs(self) -> int:
        """The number of results of one tile."""
        return len(self.result)

    @property
    def size(self) -> int:
        """The number of elements of one image tile, and of products."""
        return len(self.data)

    @property
    def products(self) -> int:
        """The number of products for each channel and tap that is summed: one where all taps are."""
        return len(self.result[0])

    @property
    def terms(self) -> int:
        """The number of taps that are summed with the channels: one where there are minimal products instead."""
        return self.size // self.products

    @property
    def growth(self) -> int:
        """The factor by which a factor of the image may exceed the largest element of the image."""
        return int(max(sum(map(abs, row)) for row in self.data))


class PlaneFilter(NamedTuple):
    """A Winograd filter of two dimensions."""

    rows: MinimalFilter
    columns: MinimalFilter

    @property
    def outputs(self) -> tuple[int, int]:
        """The rows and columns of results of one tile."""
        return self.rows.outputs, self.columns.outputs

    @property
    def products(self) -> int:
        """The number of products of one tile, each of which is summed over channels and `terms`."""
        return self.rows.products * self.columns.products

    @property
    def terms(self) -> int:
        """The number of taps that are summed with the channels; these are taps of a column."""
        return self.rows.terms

    @property
    def scale(self) -> int:
        """The factor by which results are too large."""
        return self.rows.scale * self.columns.scale

    @property
    def growth(self) -> int:
        """The factor by which a factor of the image may exceed the largest element of the image."""
        return self.rows.growth * self.columns.growth

    def transformed(self, weights: Array) -> Array:
        """Compute `G g G^T` for every filter of `[…, in_channels, taps, taps]`, as `[products, …, terms *
        in_channels]`: of floats in 64 bits, rounded once; of bytes as integers of 16 bits."""
        in_bytes = weights.dtype == np.int8
        convert, dtype = (int, np.dtype(np.int16)) if in_bytes else (float, weights.dtype)
        left, right = (np.array([[convert(value) for value in row] for row in transform.filter]) for transform in self)
        factors = _on_both_sides(left, right, weights, dtype)
        grid = factors.reshape(self.rows.products, self.terms, self.columns.products, *weights.shape[:-2])
        return np.moveaxis(grid, 1, -2).reshape(self.products, *weights.shape[:-3], self.terms * weights.shape[-3])


def _on_both_sides(left: Array, right: Array, weights: Array, dtype: np.dtype[Any]) -> Array:
    """Compute `left w right^T` for every filter `w` of `[…, taps, taps]`, as `[rows * columns, …]` of `dtype`.

    The terms are added in their order, so that all machines round alike: a library of matrix products may not. Blocks
    of filters stay in cache.
    """
    (height, rows_of_taps), (width, taps) = left.shape, right.shape
    filters = np.moveaxis(weights, (-2, -1), (0, 1)).reshape(rows_of_taps, taps, -1)
    factors = np.empty((height, width, filters.shape[-1]), dtype)
    for start in range(0, filters.shape[-1], FILTERS_AT_ONCE):
        block = filters[..., start : start + FILTERS_AT_ONCE].astype(left.dtype)
        rows = reduce(np.add, [np.multiply.outer(left[:, tap], block[tap]) for tap in range(rows_of_taps)])
        columns = [rows[:, None, tap] * right[:, tap, None] for tap in range(taps)]
        factors[..., start : start + FILTERS_AT_ONCE] = reduce(np.add, columns)
    return factors.reshape(height * width, *weights.shape[:-2])


@cache
def plane_filter(outputs: tuple[int, int], taps: tuple[int, int], *, integers: bool) -> PlaneFilter:
    """Construct F(outputs, taps) of two dimensions; with one row of outputs, taps of a column are summed."""
    make = integer_filter if integers else minimal_filter
    rows = _sum_of(taps[0]) if outputs[0] == 1 else make(outputs[0], taps[0])
    return PlaneFilter(rows, make(outputs[1], taps[1]))


def _sum_of(taps: int) -> MinimalFilter:
    """Return the filter of one result that multiplies each tap as it is, and leaves the sum to the channels."""
    unit = _rows([[Fraction(row == column) for column in range(taps)] for row in range(taps)])
    return MinimalFilter(unit, unit, _rows([[Fraction(1)]]))


@cache
def minimal_filter(outputs: int, taps: int) -> MinimalFilter:
    """Construct F(outputs, taps) by the Toom-Cook method."""
    return _toom_cook(outputs, taps, POINTS[outputs + taps - 1])


@cache
def integer_filter(outputs: int, taps: int) -> MinimalFilter:
    """Construct F(outputs, taps) in integers; results are `scale` times as large."""
    plain = _toom_cook(outputs, taps, INTEGER_POINTS[outputs + taps - 1])
    scale = lcm(*(value.denominator for row in plain.filter for value in row))
    scales = [_row_scale(row, scale) for row in plain.filter]
    filter = [[factor * value for value in row] for factor, row in zip(scales, plain.filter, strict=True)]
    result = [[scale // scales[place] * value for place, value in enumerate(row)] for row in plain.result]
    return MinimalFilter(plain.data, _rows(filter), _rows(result), scale)


def _row_scale(row: Sequence[Fraction], scale: int) -> int:
    """Return the largest divisor of `scale` that makes `row` integers of 16 bits on both sides of a filter."""
    least, total = lcm(*(value.denominator for value in row)), sum(map(abs, row))
    fitting = [
        factor for factor in range(least, scale + 1, least) if scale % factor == 0 and factor * total <= LARGEST_ROW
    ]
    return max(fitting)


def _toom_cook(outputs: int, taps: int, interpolated: Sequence[str]) -> MinimalFilter:
    points = tuple(map(Fraction, interpolated))
    data, scaled = list[Sequence[Fraction]](), list[Sequence[Fraction]]()
    for number, point in enumerate(points):
        others = [other for other in points if other != point]
        divisor = prod((point - other for other in others), start=Fraction(1))
        sign = 1 if number else (1 if divisor > 0 else -1)
        polynomial = _from_roots(others)
        data.append([sign * value for value in [*polynomial, Fraction(0)]])
        scaled.append([sign * point**power / divisor for power in range(taps)])
    data.append(_from_roots(points))
    scaled.append([Fraction(int(power == taps - 1)) for power in range(taps)])
    result = [[*(point**power for point in points), Fraction(int(power == outputs - 1))] for power in range(outputs)]
    return MinimalFilter(_rows(data), _rows(scaled), _rows(result))


def _from_roots(roots: Sequence[Fraction]) -> list[Fraction]:
    """Return the coefficients of the polynomial with these roots, lowest power first."""
    coefficients = [Fraction(1)]
    for root in roots:
        shifted = [Fraction(0), *coefficients]
        scaled = [*(-root * value for value in coefficients), Fraction(0)]
        coefficients = [a + b for a, b in zip(shifted, scaled, strict=True)]
    return coefficients


def _rows(rows: Sequence[Sequence[Fraction]]) -> Rows:
    return tuple(tuple(row) for row in rows)


def exact_division(divisor: int) -> tuple[int, int]:
    """Return the shift to the right and the factor, a signed integer of 32 bits, that divide a multiple of `divisor`.

    For 576 = 2^6 * 9, the product of 576 * q and the inverse of 9 modulo 2^32 is 64 * q, which is shifted by 6. The
    quotient is right if it fits 26 bits, even where the multiple has wrapped around.
    """
    places = (divisor & -divisor).bit_length() - 1
    inverse = pow(divisor >> places, -1, 1 << 32)
    return places, inverse - (1 << 32 if inverse >= 1 << 31 else 0)


class Tiling(NamedTuple):
    """A convolution, and the division of its result into tiles."""

    conv: Convolution
    filter: PlaneFilter
    in_words: bool = False
    """Whether images are transformed in 16 bits, of which scalar registers hold two, and not in 32."""

    @property
    def counts(self) -> tuple[int, int]:
        """The number of tile rows, and of tiles in a row."""
        rows, columns = (-(-size // step) for size, step in zip(self.conv.size, self.filter.outputs, strict=True))
        return rows, columns

    @property
    def tiles(self) -> int:
        """The number of tiles of all images."""
        rows, columns = self.counts
        return self.conv.images * rows * columns

    @property
    def overhangs(self) -> bool:
        """Whether tiles extend beyond the result."""
        return any(size % step for size, step in zip(self.conv.size, self.filter.outputs, strict=True))

    def domain(self, channels: Sequence[int]) -> list[int]:
        """Return the sizes of a domain over tiles and the given channel dimensions of the convolution."""
        sizes = self.conv.op.sizes
        return [*(sizes[dim] for dim in self.conv.batch), *self.counts, *(sizes[dim] for dim in channels)]

    def names(self, channels: Sequence[int]) -> StringAttr:
        """Names for the dimensions of that domain."""
        names = dim_names(self.conv.op)
        return StringAttr(" ".join([*(names[d] for d in self.conv.batch), "ty", "tx", *(names[d] for d in channels)]))

    def moved(self, channels: Sequence[int], *, into: bool) -> list[AffineExpr]:
        """Express the convolution's dimensions over that domain, followed by two dimensions of an input tile or, with
        `into`, of an output tile."""
        conv, batch = self.conv, len(self.conv.batch)
        place: list[AffineExpr] = [AffineConstantExpr(0)] * len(conv.op.sizes)
        for number, dim in enumerate(conv.batch):
            place[dim] = AffineDimExpr(number)
        for number, dim in enumerate(channels):
            place[dim] = AffineDimExpr(batch + 2 + number)
        for number, slide in enumerate((conv.rows, conv.columns)):
            if slide is None:
                continue
            start = AffineDimExpr(batch + number) * self.filter.outputs[number]
            place[slide.tap] = AffineDimExpr(batch + 2 + len(channels) + number)
            place[slide.position] = start + place[slide.tap] if into else start
        return place

    def tile_index(self) -> AffineExpr:
        """Return the index of a tile."""
        sizes = self.domain(())
        return flat_index([AffineDimExpr(dim) for dim in range(len(sizes))], sizes)

    def factors(self, channel: AffineExpr, channels: Sequence[int], rows: int) -> AffineMap:
        """Return the index of a transformed factor or product: `[columns * i + j, tile, channel]` for `rows` of them,
        or `[j, tile, in_channels * i + channel]` where rows are summed."""
        domain, width = self.domain(channels), self.filter.columns.size
        rank, box = len(domain), ranges([*domain, rows, width])
        i, j = AffineDimExpr(rank), AffineDimExpr(rank + 1)
        at, moved = i * width + j, at_dims(channel, self.moved(channels, into=False))
        if rows > self.filter.rows.products:
            at, moved = j, i * self.conv.in_channels + moved
        return AffineMap(rank + 2, 0, tuple(simplify(expr, box) for expr in (at, self.tile_index(), moved)))
