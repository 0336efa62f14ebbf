"""Operators of quantised networks keep their numbers when they are lowered."""

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import i8, i16, i32
from xdsl.ir import Attribute

from s2s.dialects import graph
from s2s.dialects.graph.quantize import Rounding
from s2s.types.dtypes import ui8
from support.kernels import check_lowering, rand


@pytest.mark.parametrize("element", [i8, ui8, i16, i32], ids=str)
@pytest.mark.parametrize("rounding", ["double", "single", "reduced"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32])
def test_rescale(dtype: Any, rounding: Rounding, element: Attribute):
    x = rand(2, 5, 3, dtype=dtype)
    multipliers, shifts = np.array([2**30, 2**31 - 1, 0x7FFF0000], np.int32), np.array([-31, 3, -7], np.int8)
    check_lowering(
        lambda value, multiplier, shift: graph.RescaleOp(
            value, multiplier, shift, element, rounding=rounding, input_zp=7, output_zp=100, axis=2
        ),
        x,
        multipliers,
        shifts,
    )
    check_lowering(
        lambda value, multiplier, shift: graph.RescaleOp(
            value, multiplier, shift, element, rounding=rounding, min=3, max=90
        ),
        x,
        multipliers[0].reshape(()),
        shifts[2].reshape(()),
    )


def test_rescale_of_wide_sums():
    x = rand(4, 3, dtype=np.int64) // 2**17
    check_lowering(
        lambda value, multiplier, shift: graph.RescaleOp(value, multiplier, shift, i16, rounding="reduced", axis=1),
        x,
        np.array([2**30, 2**31 - 1, 0x7FFF0000], np.int32),
        np.array([-31, 3, -7], np.int8),
    )


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_table(dtype: Any):
    check_lowering(graph.TableOp, rand(3, 50, dtype=dtype), rand(256, dtype=np.int16, seed=1))
