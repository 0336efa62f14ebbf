"""Each function of TVM's tensor expressions, in one compiled kernel: numpy and C state what TVM documents."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from s2s.tvm import te, tir
from s2s.types.dtypes import Array
from support.together import Case, check, computed, elementwise

ANY = np.array([-2.5, -1.75, -1, -0.5, -0.25, 0.25, 0.5, 1, 1.5, 2.5], np.float32)
POSITIVE = np.abs(ANY)
UNIT = (ANY / 3).astype(np.float32)
ABOVE_ONE = (POSITIVE + 1).astype(np.float32)
SPECIAL = np.array([0, -1, np.inf, -np.inf, np.nan, 3, -0.5, 1e30, 2, -7], np.float32)
INTS = np.array([-9, -8, -5, -1, 0, 1, 4, 7, 8, 9], np.int32)
DIVISORS = np.array([4, -3, 2, 7, 5, -2, 3, -4, 3, 2], np.int32)
BYTES = np.array([0, 1, 2, 127, 128, 129, 200, 253, 254, 255], np.uint8)


def away(x: Array) -> Array:
    """Rounded, halves away from zero."""
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of the C library, element by element."""
    return lambda x: np.array([function(float(value)) for value in x], x.dtype)


CASES: list[Case] = [
    (te.abs, [ANY], np.abs),
    (tir.abs, [INTS], np.abs),
    (te.abs, [BYTES], lambda x: x),
    (te.acos, [UNIT], np.arccos),
    (te.acosh, [ABOVE_ONE], np.arccosh),
    (te.asin, [UNIT], np.arcsin),
    (te.asinh, [ANY], np.arcsinh),
    (te.atan, [ANY], np.arctan),
    (te.atanh, [UNIT], np.arctanh),
    (te.ceil, [ANY], np.ceil),
    (te.ceil, [INTS], lambda x: x),
    (te.cos, [ANY], np.cos),
    (te.cosh, [ANY], np.cosh),
    (te.erf, [ANY], each(math.erf)),
    (te.exp, [ANY], np.exp),
    (te.floor, [ANY], np.floor),
    (te.floor, [BYTES], lambda x: x),
    (te.log, [POSITIVE], np.log),
    (te.log10, [POSITIVE], np.log10),
    (te.log2, [POSITIVE], np.log2),
    (te.nearbyint, [ANY], np.rint),
    (te.nearbyint, [INTS], lambda x: x),
    (te.round, [ANY], away),
    (te.round, [INTS], lambda x: x),
    (te.rsqrt, [POSITIVE], lambda x: 1 / np.sqrt(x)),
    (te.sigmoid, [ANY], lambda x: 1 / (1 + np.exp(-x))),
    (te.sin, [ANY], np.sin),
    (te.sinh, [ANY], np.sinh),
    (te.sqrt, [POSITIVE], np.sqrt),
    (te.tan, [UNIT], np.tan),
    (te.tanh, [ANY], np.tanh),
    (te.trunc, [ANY], np.trunc),
    (te.trunc, [INTS], lambda x: x),
    (te.isnan, [SPECIAL], np.isnan),
    (te.isnan, [INTS], np.isnan),
    (te.isinf, [SPECIAL], np.isinf),
    (te.isinf, [INTS], np.isinf),
    (te.isfinite, [SPECIAL], np.isfinite),
    (te.isfinite, [INTS], np.isfinite),
    (te.power, [POSITIVE, ANY], np.power),
    (te.max, [ANY, UNIT], np.maximum),
    (te.min, [INTS, DIVISORS], np.minimum),
    (te.floordiv, [INTS, DIVISORS], np.floor_divide),
    (te.floormod, [INTS, DIVISORS], np.mod),
    (te.truncdiv, [INTS, DIVISORS], lambda a, b: np.trunc(a / b).astype(np.int32)),
    (te.truncmod, [INTS, DIVISORS], np.fmod),
    (te.indexdiv, [np.abs(INTS), np.abs(DIVISORS)], np.floor_divide),
    (te.indexmod, [np.abs(INTS), np.abs(DIVISORS)], np.mod),
    (lambda a, b: te.all(a > 0, b > 0, a > b), [ANY, UNIT], lambda a, b: (a > 0) & (b > 0) & (a > b)),
    (lambda a, b: te.any(a > 1, b < 0), [ANY, UNIT], lambda a, b: (a > 1) | (b < 0)),
    (lambda a, b: te.if_then_else(a > b, a, b), [ANY, UNIT], np.maximum),
    (lambda a, b: tir.Select(a > b, a, b), [ANY, UNIT], np.maximum),
    (lambda a: -a, [INTS], np.negative),
    (lambda a, b: a + b * 2 - a / 2.0, [ANY, UNIT], lambda a, b: a + b * 2 - a / 2),
    (lambda a, b: (a // b) * b + a % b, [INTS, DIVISORS], lambda a, b: a),
    (lambda a: te.min_value("int32") + a * 0, [INTS], lambda a: np.full_like(a, np.iinfo(np.int32).min)),
    (lambda a: te.max_value("float32") + a * 0, [ANY], lambda a: np.full_like(a, np.finfo(np.float32).max)),
    (lambda a: te.infinity("float32") + a, [ANY], lambda a: np.full_like(a, np.inf)),
]
NAMES = [f"{number} {getattr(case[0], '__name__', '')}" for number, case in enumerate(CASES)]


@pytest.fixture(scope="module")
def results() -> list[Array]:
    """The result of each case."""
    return computed([(elementwise(formula), operands, reference) for formula, operands, reference in CASES])


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_a_function_gives_what_tvm_documents(number: int, results: list[Array]):
    check(CASES[number], results[number], 2e-6)
