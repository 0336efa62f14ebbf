"""Unary and binary elementwise operations mean what ONNX says, special values included."""

from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp
from s2s.types.dtypes import Array, from_numpy
from support.reference import assert_close, run_onnx, run_operation

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 3.0, -7.25, 80.0, -100.0])
HALF_ULP = {np.dtype(np.float16): 2e-3, np.dtype(ml_dtypes.bfloat16): 1.6e-2}
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float32, np.float64, np.float16]

FLOAT_UNARY: dict[str, Callable[..., GraphOp]] = {
    "Ceil": graph.CeilOp,
    "Floor": graph.FloorOp,
    "Round": graph.RoundOp,
    "Exp": graph.ExpOp,
    "Log": graph.LogOp,
    "Sqrt": graph.SqrtOp,
    "Reciprocal": graph.ReciprocalOp,
    "Sin": graph.SinOp,
    "Cos": graph.CosOp,
    "Tan": graph.TanOp,
    "Asin": graph.AsinOp,
    "Acos": graph.AcosOp,
    "Atan": graph.AtanOp,
    "Sinh": graph.SinhOp,
    "Cosh": graph.CoshOp,
    "Tanh": graph.TanhOp,
    "Asinh": graph.AsinhOp,
    "Acosh": graph.AcoshOp,
    "Atanh": graph.AtanhOp,
    "Erf": graph.ErfOp,
    "Sigmoid": graph.SigmoidOp,
    "Abs": graph.AbsOp,
    "Neg": graph.NegOp,
    "Sign": graph.SignOp,
    "Identity": graph.IdentityOp,
}

ARITHMETIC: dict[str, Callable[..., GraphOp]] = {
    "Add": graph.AddOp,
    "Sub": graph.SubOp,
    "Mul": graph.MulOp,
    "Div": graph.DivOp,
    "Min": graph.MinimumOp,
    "Max": graph.MaximumOp,
}

COMPARISONS: dict[str, Callable[..., GraphOp]] = {
    "Equal": graph.EqualOp,
    "Less": graph.LessOp,
    "LessOrEqual": graph.LessEqualOp,
    "Greater": graph.GreaterOp,
    "GreaterOrEqual": graph.GreaterEqualOp,
}


def cast_to(dtype: Any) -> Callable[..., GraphOp]:
    return partial(graph.CastOp, element_type=from_numpy(np.dtype(dtype)))


def values(dtype: Any, shape: tuple[int, ...], seed: int = 0) -> Array:
    """Random numbers in `dtype`, none of them zero, so that one can divide by them."""
    generator = np.random.default_rng(seed)
    if np.dtype(dtype).kind in "iu":
        low = -9 if np.dtype(dtype).kind == "i" else 1
        drawn = generator.integers(low, 10, shape)
        return np.where(drawn == 0, 3, drawn).astype(dtype)
    return generator.standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", [*FLOATS, ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("kind", FLOAT_UNARY)
def test_unary_on_special_values(kind: str, dtype: Any):
    x = SPECIAL.astype(dtype)
    wide = x.astype(np.float32) if np.dtype(dtype).itemsize == 2 else x
    with np.errstate(over="ignore"):
        expected = run_onnx(kind, [wide], {})[0].astype(dtype)
    assert_close(run_operation(FLOAT_UNARY[kind], [x]), expected, HALF_ULP.get(np.dtype(dtype), 1e-6))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("kind", ["Abs", "Sign"])
def test_unary_on_integers(kind: str, dtype: Any):
    x = np.concatenate([values(dtype, (5,)), np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0], dtype)])
    assert_close(run_operation(FLOAT_UNARY[kind], [x]), run_onnx(kind, [x], {})[0])


def test_rsqrt_is_reciprocal_of_sqrt():
    x = SPECIAL.astype(np.float32)
    expected = run_onnx("Reciprocal", run_onnx("Sqrt", [x], {}), {})[0]
    assert_close(run_operation(graph.RsqrtOp, [x]), expected)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_bitwise_not(dtype: Any):
    x = values(dtype, (7,))
    assert_close(run_operation(graph.BitwiseNotOp, [x]), run_onnx("BitwiseNot", [x], {})[0])


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_leading_zeros(dtype: Any):
    bits = np.iinfo(dtype).bits
    x = np.array([0, 1, 2, 3, 100, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    expected = [bits - (int(value) % 2**bits).bit_length() for value in x]
    assert_close(run_operation(graph.CountLeadingZerosOp, [x]), np.array(expected, dtype))


def test_logical_not():
    x = np.array([True, False])
    assert_close(run_operation(graph.LogicalNotOp, [x]), run_onnx("Not", [x], {})[0])


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
@pytest.mark.parametrize("kind", ARITHMETIC)
def test_arithmetic_broadcasts(kind: str, dtype: Any):
    a, b = values(dtype, (2, 1, 3)), values(dtype, (4, 1), 1)
    assert_close(run_operation(ARITHMETIC[kind], [a, b]), run_onnx(kind, [a, b], {})[0])


@pytest.mark.parametrize("kind", [*ARITHMETIC, *COMPARISONS])
def test_binary_on_special_values(kind: str):
    a, b = (side.ravel() for side in np.meshgrid(SPECIAL.astype(np.float32), SPECIAL.astype(np.float32)))
    assert_close(run_operation((ARITHMETIC | COMPARISONS)[kind], [a, b]), run_onnx(kind, [a, b], {})[0])


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16], ids=str)
@pytest.mark.parametrize("kind", ARITHMETIC)
def test_half_precision_arithmetic_rounds_once(kind: str, dtype: Any):
    a, b = values(dtype, (50,)), values(dtype, (50,), 1)
    expected = run_onnx(kind, [a.astype(np.float32), b.astype(np.float32)], {})[0].astype(dtype)
    assert_close(run_operation(ARITHMETIC[kind], [a, b]), expected, 0)


@given(st.integers(-128, 127), st.integers(-128, 127).filter(bool))
def test_integer_division_truncates(a: int, b: int):
    expected = int(a / b) if (a, b) != (-128, -1) else -128
    assert run_operation(graph.DivOp, [np.array(a, np.int8), np.array(b, np.int8)]) == expected


@pytest.mark.parametrize("fmod", [False, True])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.float32], ids=str)
def test_mod(dtype: Any, fmod: bool):
    a, b = values(dtype, (40,)), values(dtype, (40,), 1)
    expected = np.fmod(a, b) if fmod else np.mod(a, b)
    assert_close(run_operation(partial(graph.ModOp, fmod=fmod), [a, b]), expected)
    if fmod or dtype != np.float32:
        assert_close(expected, run_onnx("Mod", [a, b], {"fmod": int(fmod)})[0])


def test_pow():
    a, b = (side.ravel() for side in np.meshgrid(SPECIAL.astype(np.float32), SPECIAL.astype(np.float32)))
    assert_close(run_operation(graph.PowOp, [a, b]), run_onnx("Pow", [a, b], {})[0])


@given(st.integers(-5, 5), st.integers(-4, 4))
def test_integer_pow_truncates(a: int, b: int):
    expected = int(float(a) ** b) if a else int(b == 0)
    assert run_operation(graph.PowOp, [np.array(a, np.int32), np.array(b, np.int32)]) == expected


@pytest.mark.parametrize(
    ("kind", "build"),
    [("And", graph.LogicalAndOp), ("Or", graph.LogicalOrOp), ("Xor", graph.LogicalXorOp)],
)
def test_logical(kind: str, build: Callable[..., GraphOp]):
    a, b = np.array([[True], [False]]), np.array([True, False])
    assert_close(run_operation(build, [a, b]), run_onnx(kind, [a, b], {})[0])


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize(
    ("kind", "build"),
    [("BitwiseAnd", graph.BitwiseAndOp), ("BitwiseOr", graph.BitwiseOrOp), ("BitwiseXor", graph.BitwiseXorOp)],
)
def test_bitwise(kind: str, build: Callable[..., GraphOp], dtype: Any):
    a, b = values(dtype, (3, 1)), values(dtype, (4,), 1)
    assert_close(run_operation(build, [a, b]), run_onnx(kind, [a, b], {})[0])


@pytest.mark.parametrize(("direction", "build"), [("LEFT", graph.ShiftLeftOp), ("RIGHT", graph.ShiftRightOp)])
def test_shift(direction: str, build: Callable[..., GraphOp]):
    a, b = np.array([1, 200, 255, 3], np.uint8), np.array([1, 2, 7, 0], np.uint8)
    assert_close(run_operation(build, [a, b]), run_onnx("BitShift", [a, b], {"direction": direction})[0])


def test_shift_beyond_the_width_leaves_the_sign():
    a, b = np.array([77, -77], np.int32), np.array([32, 40], np.int32)
    assert run_operation(graph.ShiftLeftOp, [a, b]).tolist() == [0, 0]
    assert run_operation(graph.ShiftRightOp, [a, b]).tolist() == [0, -1]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint8, np.float16], ids=str)
@pytest.mark.parametrize("kind", COMPARISONS)
def test_comparisons(kind: str, dtype: Any):
    a, b = values(dtype, (3, 1)), values(dtype, (4,), 1)
    assert_close(run_operation(COMPARISONS[kind], [a, b]), run_onnx(kind, [a, b], {})[0])


def test_equal_compares_bools():
    a, b = np.array([[True], [False]]), np.array([True, False])
    assert_close(run_operation(graph.EqualOp, [a, b]), run_onnx("Equal", [a, b], {})[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32], ids=str)
def test_prelu(dtype: Any):
    x, slope = values(dtype, (2, 3, 4)), values(dtype, (3, 1), 1)
    assert_close(run_operation(graph.PreluOp, [x, slope]), run_onnx("PRelu", [x, slope], {})[0], 2e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.bool_], ids=str)
def test_select_broadcasts_all_three(dtype: Any):
    cond, a, b = np.array([[True], [False]]), values(np.int8, (3,)).astype(dtype), values(np.int8, (), 1).astype(dtype)
    assert_close(run_operation(graph.SelectOp, [cond, a, b]), run_onnx("Where", [cond, a, b], {})[0])


@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, None), (None, 0.5), (None, None)])
def test_clamp_hands_nan_on(low: float | None, high: float | None):
    x = SPECIAL.astype(np.float32)
    expected = np.clip(x, -np.inf if low is None else low, np.inf if high is None else high).astype(np.float32)
    assert_close(run_operation(partial(graph.ClampOp, min=low, max=high), [x]), expected)


def test_clamp_of_relu_is_relu():
    x = SPECIAL.astype(np.float32)
    assert_close(run_operation(partial(graph.ClampOp, min=0.0), [x]), run_onnx("Relu", [x], {})[0])


def test_integer_bound_beyond_the_type_bounds_nothing():
    x = np.array([-128, 0, 127], np.int8)
    assert run_operation(partial(graph.ClampOp, min=-1000, max=1000), [x]).tolist() == x.tolist()


@pytest.mark.parametrize(("negative", "positive"), [(True, True), (True, False), (False, True), (False, False)])
def test_is_inf(negative: bool, positive: bool):
    x = SPECIAL.astype(np.float32)
    expected = run_onnx("IsInf", [x], {"detect_negative": int(negative), "detect_positive": int(positive)})[0]
    build = partial(graph.IsInfOp, detect_negative=negative, detect_positive=positive)
    assert_close(run_operation(build, [x]), expected)


@pytest.mark.parametrize("dtype", [*FLOATS, ml_dtypes.bfloat16], ids=str)
def test_is_nan(dtype: Any):
    assert run_operation(graph.IsNanOp, [SPECIAL.astype(dtype)]).tolist() == np.isnan(SPECIAL).tolist()


@pytest.mark.parametrize("target", [*FLOATS, *INTEGERS, np.bool_, ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("source", [*FLOATS, *INTEGERS, np.bool_, ml_dtypes.bfloat16], ids=str)
def test_cast_of_values_that_fit(source: Any, target: Any):
    x = np.array([0, 1, 2, 17.75, 100]).astype(source)
    expected = (x.astype(np.float64) != 0) if target is np.bool_ else x.astype(target)
    assert_close(run_operation(cast_to(target), [x]), expected)


@pytest.mark.parametrize("target", INTEGERS, ids=str)
def test_cast_from_float_saturates(target: Any):
    limits = np.iinfo(target)
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, -0.75, float(limits.max), float(limits.min)])
    expected = [0, limits.max, limits.min, limits.max, limits.min, 0, limits.max, limits.min]
    assert run_operation(cast_to(target), [x]).tolist() == expected


def test_cast_between_integers_wraps():
    x = np.array([300, -1, 128], np.int32)
    assert run_operation(cast_to(np.uint8), [x]).tolist() == [44, 255, 128]


def test_cast_of_nan_to_bool_is_true():
    x = np.array([np.nan, 0.0, -0.0, 1e-40], np.float32)
    cast = run_operation(cast_to(np.bool_), [x])
    assert cast.tolist() == [True, False, False, True]
