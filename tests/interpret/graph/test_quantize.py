"""Fixed-point multiplication means what its formula says, in exact fractions; tables are looked up."""

from fractions import Fraction
from functools import partial
from math import floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import i8, i32

from s2s.dialects import graph
from s2s.dialects.graph.quantize import Rounding
from s2s.interpret.rescale import rescale_double, rescale_reduced, rescale_single
from support.reference import run_operation

INTS = st.integers(-(2**31), 2**31 - 1)
EDGES = st.sampled_from([-(2**31), 1 - 2**31, -(2**30) - 1, -(2**30), -1, 0, 1, 2**30 - 1, 2**30, 2**31 - 1])
MULTIPLIERS = st.one_of(st.integers(2**30, 2**31 - 1), EDGES.filter(lambda value: value > -(2**31)))


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def half_up(value: Fraction) -> int:
    return floor(value + Fraction(1, 2))


def half_away(value: Fraction) -> int:
    return half_up(value) if value >= 0 else -half_up(-value)


@given(st.one_of(INTS, EDGES), MULTIPLIERS, st.integers(-31, 30))
def test_double_rounding(x: int, multiplier: int, shift: int):
    high = half_up(Fraction(wrapped(x << max(shift, 0)) * multiplier, 2**31))
    expected = half_away(Fraction(high, 2 ** max(-shift, 0)))
    assert int(rescale_double(np.int32(x), np.int32(multiplier), np.int8(shift))) == wrapped(expected)


@given(st.one_of(INTS, EDGES), MULTIPLIERS, st.integers(-31, 30))
def test_single_rounding(x: int, multiplier: int, shift: int):
    expected = half_up(Fraction(x * multiplier, 2**31) * Fraction(2) ** shift)
    assert int(rescale_single(np.int32(x), np.int32(multiplier), np.int8(shift))) == wrapped(expected)


@given(st.integers(-(2**47), 2**47 - 1), MULTIPLIERS, st.integers(-31, 14))
def test_reduced_multiplier(x: int, multiplier: int, shift: int):
    reduced = min(half_up(Fraction(multiplier, 2**16)), 0x7FFF)
    expected = half_up(Fraction(x * reduced, 2**15) * Fraction(2) ** shift)
    assert int(rescale_reduced(np.int64(x), np.int32(multiplier), np.int8(shift))) == wrapped(expected)


@pytest.mark.parametrize("rounding", ["double", "single", "reduced"])
def test_rescale_moves_zero_points_and_saturates(rounding: Rounding):
    x = np.array([-128, 3, 4, 127], np.int8)
    build = partial(graph.RescaleOp, element_type=i8, rounding=rounding, input_zp=3, output_zp=-10)
    y = run_operation(build, [x, np.array(2**30, np.int32), np.array(2, np.int8)])
    assert y.tolist() == [-128, -10, -8, 127]


def test_rescale_limits_its_result():
    x = np.array([-1000, -30, 30, 1000], np.int32)
    build = partial(graph.RescaleOp, element_type=i8, rounding="double", output_zp=1, min=-7, max=9)
    y = run_operation(build, [x, np.array(2**30, np.int32), np.array(-1, np.int8)])
    assert y.tolist() == [-7, -7, 9, 9]


def test_rescale_takes_one_multiplier_for_each_index_of_an_axis():
    x = np.full((2, 3), 100, np.int32)
    multiplier, shift = np.array([2**30, 2**30, 2**30], np.int32), np.array([0, 1, -1], np.int8)
    build = partial(graph.RescaleOp, element_type=i32, rounding="double", axis=1)
    assert run_operation(build, [x, multiplier, shift]).tolist() == [[50, 100, 25]] * 2


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_table_begins_at_the_least_value(dtype: Any):
    info = np.iinfo(dtype)
    x = np.array([[info.min, 0, info.max]], dtype)
    table = np.arange(1000, 1256, dtype=np.int16)
    assert run_operation(graph.TableOp, [x, table]).tolist() == [[1000, 1000 - info.min, 1255]]
