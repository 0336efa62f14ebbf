"""TOPI's operators that compute or move elements, in one compiled kernel: numpy states what TVM documents."""

import math

import numpy as np
import pytest

from s2s.tvm import topi
from s2s.types.dtypes import Array
from support.together import Case, check, computed

RNG = np.random.default_rng(3)
CUBE = RNG.standard_normal((2, 3, 4)).astype(np.float32)
ROWS = RNG.standard_normal((3, 1)).astype(np.float32)
POSITIVE = np.abs(CUBE) + np.float32(0.1)
UNIT = np.tanh(CUBE)
SPECIAL = np.array([0, -1, np.inf, -np.inf, np.nan, 3], np.float32)
INTS = np.array([-9, -8, 5, 1, 7, 12], np.int32)
DIVISORS = np.array([4, -3, 2, 7, -5, 3], np.int32)
BITS = np.array([0, 1, 2, 3, 1, 5], np.int32)
YES = np.array([True, True, False, False])
OR_NO = np.array([True, False, True, False])
THIN = RNG.standard_normal((3, 1, 4, 1)).astype(np.float32)
SQUARE = RNG.standard_normal((4, 4)).astype(np.float32)
DEEP = RNG.standard_normal((3, 4)).astype(np.float32)
ERF = np.vectorize(math.erf, otypes=[np.float32])

CASES: list[Case] = [
    (topi.abs, [INTS], np.abs),
    (topi.acos, [UNIT], np.arccos),
    (lambda x: topi.acosh(topi.add(x, 1.0)), [POSITIVE], lambda x: np.arccosh(x + 1)),
    (topi.add, [CUBE, ROWS], np.add),
    (lambda x: topi.any(topi.less(x, -1.0), axis=(0, 2)), [CUBE], lambda x: (x < -1).any((0, 2))),
    (topi.asin, [UNIT], np.arcsin),
    (topi.asinh, [CUBE], np.arcsinh),
    (topi.atan, [CUBE], np.arctan),
    (topi.atanh, [UNIT], np.arctanh),
    (topi.bitwise_and, [INTS, DIVISORS], np.bitwise_and),
    (topi.bitwise_not, [INTS], np.bitwise_not),
    (topi.bitwise_or, [INTS, DIVISORS], np.bitwise_or),
    (lambda x: topi.broadcast_to(x, (2, 3, 5)), [ROWS], lambda x: np.broadcast_to(x, (2, 3, 5))),
    (lambda x: topi.cast(topi.multiply(x, 9.0), "int8"), [CUBE], lambda x: (x * 9).astype(np.int8)),
    (topi.ceil, [CUBE], np.ceil),
    (lambda x: topi.clip(x, -0.5, 0.25), [CUBE], lambda x: np.clip(x, -0.5, 0.25)),
    (topi.cos, [CUBE], np.cos),
    (topi.cosh, [CUBE], np.cosh),
    (topi.divide, [CUBE, ROWS], np.divide),
    (topi.divide, [INTS, DIVISORS], lambda a, b: np.trunc(a / b).astype(np.int32)),
    (topi.equal, [INTS, BITS], np.equal),
    (topi.erf, [CUBE], ERF),
    (topi.exp, [CUBE], np.exp),
    (lambda x: topi.expand_dims(x, -2, 2), [DEEP], lambda x: x[:, None, None, :]),
    (topi.fast_erf, [CUBE], ERF),
    (topi.fast_exp, [CUBE], np.exp),
    (topi.fast_tanh, [CUBE], np.tanh),
    (topi.floor, [CUBE], np.floor),
    (topi.floor_divide, [INTS, DIVISORS], np.floor_divide),
    (topi.floor_divide, [CUBE, ROWS], np.floor_divide),
    (topi.floor_mod, [CUBE, ROWS], lambda a, b: a - np.floor(a / b) * b),
    (lambda: topi.full((2, 3), "int16", -7), [], lambda: np.full((2, 3), -7, np.int16)),
    (lambda x: topi.full_like(x, 2.5), [DEEP], lambda x: np.full_like(x, 2.5)),
    (topi.greater_equal, [CUBE, ROWS], np.greater_equal),
    (topi.identity, [CUBE], lambda x: x),
    (topi.isfinite, [SPECIAL], np.isfinite),
    (topi.isinf, [SPECIAL], np.isinf),
    (topi.isnan, [SPECIAL], np.isnan),
    (lambda x: topi.layout_transform(x, "NCHW", "NHWC"), [THIN], lambda x: x.transpose(0, 2, 3, 1)),
    (topi.less, [CUBE, ROWS], np.less),
    (topi.less_equal, [INTS, BITS], np.less_equal),
    (topi.log, [POSITIVE], np.log),
    (topi.log10, [POSITIVE], np.log10),
    (topi.logical_and, [YES, OR_NO], np.logical_and),
    (topi.logical_not, [YES], np.logical_not),
    (topi.logical_or, [YES, OR_NO], np.logical_or),
    (topi.logical_xor, [YES, OR_NO], np.logical_xor),
    (lambda a, b: topi.matmul(a, b, True, True), [DEEP, np.asarray(DEEP.T[:, :3], order="C")], lambda a, b: a.T @ b.T),
    (lambda x: topi.max(x, (0, 2), keepdims=True), [CUBE], lambda x: x.max((0, 2), keepdims=True)),
    (topi.min, [CUBE], np.min),
    (topi.maximum, [CUBE, ROWS], np.maximum),
    (topi.minimum, [CUBE, ROWS], np.minimum),
    (topi.multiply, [CUBE, ROWS], np.multiply),
    (topi.negative, [CUBE], np.negative),
    (topi.not_equal, [INTS, BITS], np.not_equal),
    (topi.power, [POSITIVE, ROWS], np.power),
    (topi.right_shift, [INTS, BITS], np.right_shift),
    (topi.rsqrt, [POSITIVE], lambda x: 1 / np.sqrt(x)),
    (topi.sigmoid, [CUBE], lambda x: 1 / (1 + np.exp(-x))),
    (topi.sign, [SPECIAL], lambda x: np.where(np.isnan(x), 0, np.sign(x)).astype(np.float32)),
    (topi.sin, [CUBE], np.sin),
    (topi.sinh, [CUBE], np.sinh),
    (topi.sqrt, [POSITIVE], np.sqrt),
    (topi.squeeze, [THIN], np.squeeze),
    (lambda x: topi.squeeze(x, -1), [THIN], lambda x: x.squeeze(-1)),
    (topi.subtract, [CUBE, ROWS], np.subtract),
    (topi.tan, [UNIT], np.tan),
    (topi.tanh, [CUBE], np.tanh),
]


@pytest.fixture(scope="module")
def results() -> list[Array]:
    """The result of each case."""
    return computed(CASES)


@pytest.mark.parametrize("number", range(len(CASES)), ids=[str(at) + case[0].__name__ for at, case in enumerate(CASES)])
def test_an_operator_gives_what_tvm_documents(number: int, results: list[Array]):
    check(CASES[number], results[number], 5e-6)
