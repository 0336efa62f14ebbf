"""Comparisons measure errors in three ways and name the places."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from s2s.verify.compare import EXACT, Tolerance, compare, default_tolerance

NAN, INF = float("nan"), float("inf")


def array(*values: float, dtype: Any = np.float32) -> Any:
    return np.array(values, dtype)


def test_equal_arrays_have_no_error():
    result = compare(array(1, -0.0, NAN, INF), array(1, 0.0, NAN, INF), EXACT)
    assert result.passed
    assert (result.max_abs_error, result.max_rel_error, result.max_ulp_error) == (0, 0, 0)
    assert (result.first_index, result.worst_index) == (None, None)


def test_errors_and_places():
    expected = np.array([[1.0, 2.0], [100.0, 4.0]], np.float32)
    found = np.array([[1.0, 2.5], [101.0, 4.0]], np.float32)
    result = compare(expected, found)
    assert not result.passed
    assert result.beyond == 2
    assert (result.max_abs_error, result.max_rel_error) == (1.0, 0.25)
    assert (result.first_index, result.worst_index) == ((0, 1), (1, 0))
    assert result.describe().startswith("2 of 4 elements differ, first at [0, 1], worst at [1, 0]; largest error 1 ")


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_neighbours_are_one_ulp_apart_and_signs_are_crossed_at_zero(dtype: Any):
    tiny = np.array(1, f"i{np.dtype(dtype).itemsize}").view(dtype)
    one = array(1, dtype=dtype)
    next_one = (one.view(f"i{one.dtype.itemsize}") + 1).view(dtype)
    assert compare(one, next_one).max_ulp_error == 1
    assert compare(tiny.reshape(1), (-tiny).reshape(1)).max_ulp_error == 2
    assert compare(one, one).max_ulp_error == 0


@pytest.mark.parametrize(("expected", "found"), [(1, NAN), (NAN, 1), (INF, -INF), (1, INF), (INF, 1)])
def test_what_is_not_finite_has_to_be_the_same(expected: float, found: float):
    result = compare(array(expected), array(found), Tolerance(1.0, 1e9))
    assert not result.passed
    assert result.max_abs_error == INF


def test_integers_are_equal_or_not():
    expected, found = np.array([1, 2, 2**62], np.int64), np.array([1, 5, 2**62 + 1], np.int64)
    result = compare(expected, found, Tolerance(1.0, 1e30))
    assert (result.passed, result.beyond, result.max_abs_error) == (False, 2, 3.0)
    assert compare(np.array([0], np.uint8), np.array([255], np.uint8)).max_abs_error == 255
    assert not compare(np.array([True]), np.array([False])).passed


def test_shape_and_type_have_to_match():
    result = compare(array(1, 2), array(1, 2).reshape(2, 1))
    assert not result.passed
    assert result.describe() == "expected float32[2], found float32[2, 1]"
    assert "found float64[2]" in compare(array(1, 2), array(1, 2, dtype=np.float64)).mismatch


def test_tolerance_is_absolute_and_relative_and_may_follow_the_scale():
    expected, found = array(1000, 0), array(1000, 0.005)
    assert not compare(expected, found, Tolerance(0.0, 1e-5)).passed
    assert compare(expected, found, Tolerance(0.0, 1e-5, scaled=True)).passed
    assert compare(array(1000), array(1000.5), Tolerance(1e-3, 0.0)).passed


def test_empty_and_scalar_arrays():
    assert compare(array(), array()).passed
    result = compare(array(1).reshape(()), array(2).reshape(()))
    assert (result.first_index, result.beyond) == ((), 1)


def test_default_tolerance_depends_on_the_type():
    assert not default_tolerance(np.dtype(np.float32)).scaled
    assert default_tolerance(np.dtype(np.int8)) == EXACT
    tolerances = [default_tolerance(np.dtype(dtype)).rtol for dtype in (np.float64, np.float32, np.float16)]
    assert tolerances == sorted(tolerances)
    assert default_tolerance(np.dtype(ml_dtypes.bfloat16)).rtol == 0.0625
