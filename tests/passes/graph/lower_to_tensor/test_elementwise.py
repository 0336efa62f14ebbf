"""Elementwise operators keep their numbers when they are lowered, at the borders of their types too."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.types.dtypes import Array, from_numpy
from support.kernels import check_lowering, rand
from support.operator_cases import FLOATS, values

SIGNED = (np.int8, np.int16, np.int32, np.int64)
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
NUMBERS = (*FLOATS, *SIGNED, *UNSIGNED)
ALL = (*NUMBERS, np.bool_)


def pairs(dtype: Any) -> tuple[Array, Array]:
    """Every value of `values` with every other."""
    first = values(dtype)
    return first.reshape(-1, 1), first


FLOAT_FUNCTIONS = [
    graph.AcosOp,
    graph.AcoshOp,
    graph.AsinOp,
    graph.AsinhOp,
    graph.AtanOp,
    graph.AtanhOp,
    graph.CeilOp,
    graph.CosOp,
    graph.CoshOp,
    graph.ErfOp,
    graph.ExpOp,
    graph.FloorOp,
    graph.LogOp,
    graph.ReciprocalOp,
    graph.RoundOp,
    graph.RsqrtOp,
    graph.SigmoidOp,
    graph.SinOp,
    graph.SinhOp,
    graph.SqrtOp,
    graph.TanOp,
    graph.TanhOp,
    graph.IsNanOp,
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("build", FLOAT_FUNCTIONS)
def test_function_of_floats(build: Callable[..., Operation], dtype: Any):
    check_lowering(build, values(dtype))


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("build", [graph.AbsOp, graph.SignOp])
def test_function_of_numbers(build: Callable[..., Operation], dtype: Any):
    check_lowering(build, values(dtype))


@pytest.mark.parametrize("dtype", [*FLOATS, *SIGNED])
def test_negation(dtype: Any):
    check_lowering(graph.NegOp, values(dtype))


@pytest.mark.parametrize("dtype", ALL)
def test_identity(dtype: Any):
    check_lowering(graph.IdentityOp, values(dtype))


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_bits_turned(dtype: Any):
    check_lowering(graph.BitwiseNotOp, values(dtype))


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_leading_zeros(dtype: Any):
    check_lowering(graph.CountLeadingZerosOp, values(dtype))


def test_logical_not():
    check_lowering(graph.LogicalNotOp, values(np.bool_))


@pytest.mark.parametrize("low", [None, -0.5, 0.0, -np.inf])
@pytest.mark.parametrize("high", [None, 6.0, 1e6])
@pytest.mark.parametrize("dtype", FLOATS)
def test_clamp_of_floats(dtype: Any, low: float | None, high: float | None):
    check_lowering(lambda x: graph.ClampOp(x, low, high), values(dtype))


@pytest.mark.parametrize("low", [None, 0, -300])
@pytest.mark.parametrize("high", [None, 6, 300])
@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_clamp_of_integers(dtype: Any, low: int | None, high: int | None):
    check_lowering(lambda x: graph.ClampOp(x, low, high), values(dtype))


@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_infinities(dtype: Any, negative: bool, positive: bool):
    check_lowering(lambda x: graph.IsInfOp(x, detect_negative=negative, detect_positive=positive), values(dtype))


@pytest.mark.parametrize("source", ALL)
@pytest.mark.parametrize("target", ALL)
def test_cast(source: Any, target: Any):
    check_lowering(lambda x: graph.CastOp(x, from_numpy(np.dtype(target))), values(source), rtol=0)


@pytest.mark.parametrize(("source", "target"), [("float32", "int32"), ("int32", "float32"), ("uint8", "int8")])
def test_bitcast(source: str, target: str):
    numbers = np.arange(-6, 6).astype(source).reshape(3, 4)
    check_lowering(lambda x: graph.BitcastOp(x, from_numpy(np.dtype(target))), numbers, rtol=0)


ARITHMETIC = [
    graph.AddOp,
    graph.SubOp,
    graph.MulOp,
    graph.DivOp,
    graph.MaximumOp,
    graph.MinimumOp,
    graph.LessOp,
    graph.LessEqualOp,
    graph.GreaterOp,
    graph.GreaterEqualOp,
    graph.PreluOp,
]


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("build", ARITHMETIC)
def test_two_numbers(build: Callable[..., Operation], dtype: Any):
    x, y = pairs(dtype)
    if build is graph.PreluOp:
        check_lowering(build, np.broadcast_to(x, (x.size, y.size)), y)
    else:
        check_lowering(build, x, y)


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_integer_power(dtype: Any):
    exponents = np.array([0, 1, 2, 3, 7, 50, 200], np.int64).astype(dtype)
    check_lowering(graph.PowOp, values(dtype).reshape(-1, 1), exponents)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_power(dtype: Any):
    check_lowering(graph.PowOp, *pairs(dtype))


@pytest.mark.parametrize("fmod", [False, True])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_remainder(dtype: Any, fmod: bool):
    check_lowering(lambda a, b: graph.ModOp(a, b, fmod=fmod), *pairs(dtype))


@pytest.mark.parametrize("dtype", ALL)
def test_equal(dtype: Any):
    check_lowering(graph.EqualOp, *pairs(dtype))


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
@pytest.mark.parametrize("build", [graph.BitwiseAndOp, graph.BitwiseOrOp, graph.BitwiseXorOp])
def test_two_bit_patterns(build: Callable[..., Operation], dtype: Any):
    check_lowering(build, *pairs(dtype))


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
@pytest.mark.parametrize("build", [graph.ShiftLeftOp, graph.ShiftRightOp])
def test_shifts(build: Callable[..., Operation], dtype: Any):
    check_lowering(build, values(dtype).reshape(-1, 1), np.array([0, 1, 7, 8, 31, 32, 64, 100], dtype))


@pytest.mark.parametrize("build", [graph.LogicalAndOp, graph.LogicalOrOp, graph.LogicalXorOp])
def test_two_truth_values(build: Callable[..., Operation]):
    check_lowering(build, *pairs(np.bool_))


@pytest.mark.parametrize("dtype", ALL)
def test_select(dtype: Any):
    check_lowering(graph.SelectOp, rand(3, 1, dtype=np.bool_), rand(1, 4, dtype=dtype), rand(3, 4, dtype=dtype, seed=1))


@pytest.mark.parametrize("shapes", [((2, 3), ()), ((), (2, 3)), ((2, 1, 4), (3, 1)), ((1,), (1,)), ((), ())])
def test_broadcasting(shapes: tuple[tuple[int, ...], tuple[int, ...]]):
    check_lowering(graph.SubOp, rand(*shapes[0]), rand(*shapes[1], seed=1))


def test_constant_is_taken_into_the_computation():
    check_lowering(lambda x: graph.MulOp(x, graph.ConstantOp(np.array([[2.5]], np.float32))), rand(3, 4))
    check_lowering(lambda x: graph.SubOp(graph.ConstantOp(np.array(200, np.uint8)), x), rand(5, dtype=np.uint8))
