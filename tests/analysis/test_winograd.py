"""Minimal filters: exact in fractions, cheap to apply, and as precise as is stated."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.analysis.structure.butterflies import Butterflies, butterflies
from s2s.analysis.structure.winograd import (
    FILTERS_AT_ONCE,
    PlaneFilter,
    Rows,
    exact_division,
    integer_filter,
    minimal_filter,
    plane_filter,
)
from s2s.interpret.tensor.transform import exact_quotient
from s2s.types.dtypes import Array


@pytest.mark.parametrize("outputs", [2, 4])
def test_a_minimal_filter_is_exact_in_fractions(outputs: int):
    minimal = minimal_filter(outputs, 3)
    data = [Fraction(n * n + 3 * n + 1, n + 2) for n in range(minimal.size)]
    taps = [Fraction(2), Fraction(-5, 3), Fraction(7, 4)]
    factors = [sum(a * b for a, b in zip(row, data, strict=True)) for row in minimal.data]
    weights = [sum(a * b for a, b in zip(row, taps, strict=True)) for row in minimal.filter]
    products = [a * b for a, b in zip(factors, weights, strict=True)]
    found = [sum(a * b for a, b in zip(row, products, strict=True)) for row in minimal.result]
    assert found == [sum(data[n + k] * taps[k] for k in range(3)) for n in range(outputs)]


@pytest.mark.parametrize("outputs", [2, 4])
def test_matrices_of_images_and_results_are_exact_in_32_bits(outputs: int):
    minimal = minimal_filter(outputs, 3)
    values = [value for row in [*minimal.data, *minimal.result] for value in row]
    assert all(Fraction(float(np.float32(float(value)))) == value for value in values)


def dense(rows: Rows) -> Array:
    """A matrix of fractions in 64 bits."""
    return np.array([[float(value) for value in row] for row in rows])


def apply(steps: Butterflies, values: Array) -> Array:
    """What the steps make of `values`."""
    x = values.astype(np.float64)
    for a, b in steps.before:
        x[a], x[b] = x[a] + x[b], x[a] - x[b]
    y = np.array(steps.rows) @ x
    for p, q, scale in steps.after:
        y[p], y[q] = y[p] + scale * y[q], y[p] - scale * y[q]
    return y


@pytest.mark.parametrize("outputs", [2, 4])
def test_butterflies_multiply_by_the_matrix(outputs: int):
    minimal = minimal_filter(outputs, 3)
    for matrix in (minimal.data, minimal.result):
        x: Array = np.random.default_rng(3).standard_normal(len(matrix[0]))
        found = apply(butterflies([[float(value) for value in row] for row in matrix]), x)
        np.testing.assert_allclose(found, dense(matrix) @ x, rtol=1e-12)


def test_rows_that_differ_in_signs_share_their_halves():
    steps = butterflies([[float(value) for value in row] for row in minimal_filter(4, 3).data])
    assert steps.after == ((1, 2, 0.625), (3, 4, 1.5))
    assert sum(value != 0 for row in steps.rows for value in row) == 14


def test_columns_that_differ_in_signs_share_their_sums():
    steps = butterflies([[float(value) for value in row] for row in minimal_filter(4, 3).result])
    assert steps.before == ((1, 2), (3, 4))


def test_a_matrix_without_such_rows_stays_as_it_is():
    assert butterflies([[1.0, 2.0], [0.0, 5.0]]) == Butterflies(((1.0, 2.0), (0.0, 5.0)))


@pytest.mark.parametrize("outputs", [2, 4])
def test_filters_of_several_blocks_are_transformed(outputs: int):
    minimal = minimal_filter(outputs, 3)
    w = np.random.default_rng(5).standard_normal((FILTERS_AT_ONCE // 64 + 1, 64, 3, 3)).astype(np.float32)
    g = dense(minimal.filter)
    expected = np.einsum("ik,ockl,jl->ijoc", g, w.astype(np.float64), g).reshape(-1, *w.shape[:2])
    np.testing.assert_allclose(PlaneFilter(minimal, minimal).transformed(w), expected, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(("outputs", "scale"), [(2, 2), (4, 24)])
def test_a_filter_of_integers_is_exact(outputs: int, scale: int):
    minimal = integer_filter(outputs, 3)
    assert minimal.scale == scale
    assert all(value.denominator == 1 for rows in minimal[:3] for row in rows for value in row)
    data, taps = [7 * n * n - 3 * n + 1 for n in range(minimal.size)], [2, -5, 11]
    factors = [sum(a * b for a, b in zip(row, data, strict=True)) for row in minimal.data]
    weights = [sum(a * b for a, b in zip(row, taps, strict=True)) for row in minimal.filter]
    products = [a * b for a, b in zip(factors, weights, strict=True)]
    found = [sum(a * b for a, b in zip(row, products, strict=True)) for row in minimal.result]
    assert found == [scale * sum(data[n + k] * taps[k] for k in range(3)) for n in range(outputs)]


@pytest.mark.parametrize("outputs", [2, 4])
def test_factors_of_bytes_fit_16_bits(outputs: int):
    minimal = integer_filter(outputs, 3)
    assert minimal.growth**2 * 255 < 1 << 15
    assert max(sum(map(abs, row)) for row in minimal.filter) ** 2 * 128 <= 1 << 15


@pytest.mark.parametrize("outputs", [2, 4])
def test_bytes_are_transformed_exactly(outputs: int):
    minimal = integer_filter(outputs, 3)
    w = np.random.default_rng(5).integers(-128, 128, (3, 2, 3, 3), np.int8)
    g = dense(minimal.filter)
    expected = np.einsum("ik,ockl,jl->ijoc", g, w.astype(np.float64), g).reshape(-1, *w.shape[:2])
    found = PlaneFilter(minimal, minimal).transformed(w)
    assert found.dtype == np.int16
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(("outputs", "taps"), [((1, 2), (1, 3)), ((1, 4), (3, 3)), ((2, 4), (3, 3))])
def test_two_dimensions_of_integers_are_exact(outputs: tuple[int, int], taps: tuple[int, int]):
    """Taps of a column that are summed stand before the channels, whose factors follow them in the same order."""
    plane = plane_filter(outputs, taps, integers=True)
    rng = np.random.default_rng(7)
    w = rng.integers(-128, 128, (5, 2, *taps), np.int8)
    image = rng.integers(-255, 256, (2, plane.rows.size, plane.columns.size))
    data, across = dense(plane.rows.data), dense(plane.columns.data)
    v = np.einsum("ik,ckl,jl->ijc", data, image, across).reshape(plane.rows.products, plane.terms, -1, 2)
    v = v.transpose(0, 2, 1, 3).reshape(plane.products, -1)
    m = np.einsum("fi,foi->fo", v, plane.transformed(w)).reshape(plane.rows.products, -1, 5)
    y = np.einsum("ik,klo,jl->oij", dense(plane.rows.result), m, dense(plane.columns.result))
    windows = np.lib.stride_tricks.sliding_window_view(image, taps, axis=(1, 2))
    assert np.array_equal(y, plane.scale * np.einsum("cijkl,ockl->oij", windows, w.astype(np.int64)))


@given(st.integers(1, 1 << 12), st.integers(-(1 << 31), (1 << 31) - 1))
def test_multiples_are_divided_exactly(divisor: int, number: int):
    """Also those that have wrapped around, where the quotient fits the bits that the shift leaves."""
    places, inverse = exact_division(divisor)
    quotient = number >> places
    found = exact_quotient(np.array(quotient * divisor).astype(np.int32), divisor)
    assert found == quotient
    assert -(1 << 31) <= inverse < 1 << 31


def computed(outputs: int, x: Array, w: Array) -> Array:
    """The convolution of `x[c, h, w]` with `w[o, c, 3, 3]` by tiles, rounded to 32 bits where the kernel rounds."""
    minimal = minimal_filter(outputs, 3)
    data, result = (
        np.array([[float(v) for v in row] for row in m], np.float32) for m in (minimal.data, minimal.result)
    )
    u = PlaneFilter(minimal, minimal).transformed(w)
    size = minimal.size
    tiles = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(1, 2))[:, ::outputs, ::outputs]
    v = np.einsum("ik,ctukl,jl->ijtuc", data, tiles, data, dtype=np.float32)
    u = u.reshape(size, size, *u.shape[1:])
    m = np.stack([[np.asarray(v[i, j] @ u[i, j].T) for j in range(size)] for i in range(size)])
    y = np.einsum("ik,kltuo,jl->otiuj", result, m, result, dtype=np.float32)
    return y.reshape(y.shape[0], y.shape[1] * outputs, -1)


def direct(x: Array, w: Array) -> Array:
    """The convolution in 64 bits."""
    windows = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64), (3, 3), axis=(1, 2))
    return np.einsum("cyxkl,ockl->oyx", windows, w.astype(np.float64), optimize=True)


ERROR = {2: 1.5e-6, 4: 7e-6}
"""Of the largest result, by results along the side of a tile."""


@pytest.mark.parametrize("outputs", [2, 4])
@pytest.mark.parametrize("spread", [0.0, 3.0], ids=["even", "wide range"])
def test_the_error_stays_small_with_many_channels(outputs: int, spread: float):
    rng = np.random.default_rng(7)
    scale = np.exp(spread * rng.standard_normal((512, 1, 1)))
    x = (rng.standard_normal((512, 14, 14)) * scale).astype(np.float32)
    w = (rng.standard_normal((32, 512, 3, 3)) * 0.02).astype(np.float32)
    expected = direct(x, w)
    assert np.abs(computed(outputs, x, w) - expected).max() <= ERROR[outputs] * np.abs(expected).max()
