"""Each operator of relay on elements, in one module: numpy and the C library state what TVM documents."""

import math

import numpy as np
import pytest

from s2s.tvm import relay
from s2s.types.dtypes import Array
from support.together import Case, check, interpreted

RNG = np.random.default_rng(7)
CUBE = RNG.standard_normal((2, 3, 4)).astype(np.float32)
ROWS = RNG.standard_normal((3, 1)).astype(np.float32)
POSITIVE = np.abs(CUBE) + np.float32(0.1)
UNIT = np.tanh(CUBE)
ABOVE_ONE = POSITIVE + 1
HALVES = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5], np.float32)
SPECIAL = np.array([0, -1, np.inf, -np.inf, np.nan, 3], np.float32)
INTS = np.array([-9, -8, 5, 1, 7, 12], np.int32)
OTHERS = np.array([4, -3, 5, 7, -5, 3], np.int32)
BITS = np.array([0, 1, 2, 3, 1, 5], np.int32)
BYTES = np.array([0, 1, 127, 128, 254, 255], np.uint8)
SHORT = np.array([-128, -100, -1, 0, 1, 127], np.int8)
YES = np.array([True, True, False, False])
OR_NO = np.array([True, False, True, False])

CASES: list[Case] = [
    (relay.abs, [CUBE], np.abs),
    (relay.abs, [BYTES], lambda x: x),
    (relay.acos, [UNIT], np.arccos),
    (relay.acosh, [ABOVE_ONE], np.arccosh),
    (relay.asin, [UNIT], np.arcsin),
    (relay.asinh, [CUBE], np.arcsinh),
    (relay.atan, [CUBE], np.arctan),
    (relay.atanh, [UNIT], np.arctanh),
    (relay.add, [BYTES, BYTES], np.add),
    (relay.bitwise_and, [INTS, OTHERS], np.bitwise_and),
    (relay.bitwise_not, [BYTES], np.bitwise_not),
    (relay.bitwise_or, [INTS, OTHERS], np.bitwise_or),
    (relay.bitwise_xor, [INTS, OTHERS], np.bitwise_xor),
    (relay.cast_like, [CUBE, INTS], lambda x, _: x.astype(np.int32)),
    (lambda x: relay.cast(x, "bool"), [INTS - 1], lambda x: x != 0),
    (lambda x: relay.cast(x, "bool"), [HALVES], lambda x: x != 0),
    (lambda x: relay.cast(x, "int8"), [BYTES], lambda x: x.astype(np.int8)),
    (relay.ceil, [HALVES], np.ceil),
    (relay.ceil, [INTS], lambda x: x),
    (relay.copy, [CUBE], lambda x: x),
    (relay.cos, [CUBE], np.cos),
    (relay.cosh, [CUBE], np.cosh),
    (relay.divide, [SHORT, SHORT[::-1] | 1], lambda a, b: np.trunc(a / b).astype(np.int8)),
    (relay.equal, [INTS, OTHERS], np.equal),
    (relay.equal, [YES, OR_NO], np.equal),
    (relay.erf, [CUBE], np.vectorize(math.erf, otypes=[np.float32])),
    (relay.exp, [CUBE], np.exp),
    (relay.floor, [HALVES], np.floor),
    (relay.floor, [INTS], lambda x: x),
    (relay.greater, [BYTES, BYTES[::-1].copy()], np.greater),
    (relay.greater_equal, [CUBE, ROWS], np.greater_equal),
    (relay.identity, [BYTES], lambda x: x),
    (relay.isfinite, [SPECIAL], np.isfinite),
    (relay.isfinite, [INTS], np.isfinite),
    (relay.isinf, [SPECIAL], np.isinf),
    (relay.isinf, [INTS], np.isinf),
    (relay.isnan, [SPECIAL], np.isnan),
    (relay.isnan, [INTS], np.isnan),
    (relay.left_shift, [INTS, BITS], np.left_shift),
    (relay.less, [CUBE, ROWS], np.less),
    (relay.less_equal, [INTS, OTHERS], np.less_equal),
    (relay.log, [POSITIVE], np.log),
    (relay.log10, [POSITIVE], np.log10),
    (relay.log2, [POSITIVE], np.log2),
    (relay.logical_and, [YES, OR_NO], np.logical_and),
    (relay.logical_not, [YES], np.logical_not),
    (relay.logical_or, [YES, OR_NO], np.logical_or),
    (relay.logical_xor, [YES, OR_NO], np.logical_xor),
    (relay.maximum, [CUBE, ROWS], np.maximum),
    (lambda x: relay.min(x, (0, -1), True), [CUBE], lambda x: x.min((0, -1), keepdims=True)),
    (relay.minimum, [CUBE, ROWS], np.minimum),
    (relay.multiply, [SHORT, SHORT], np.multiply),
    (relay.ndarray_size, [CUBE], lambda x: np.int32(x.size)),
    (lambda x: relay.ndarray_size(x, "int64"), [CUBE], lambda x: np.int64(x.size)),
    (relay.negative, [SHORT], np.negative),
    (relay.not_equal, [CUBE, ROWS], np.not_equal),
    (relay.ones_like, [BYTES], np.ones_like),
    (relay.power, [POSITIVE, ROWS], np.power),
    (relay.power, [INTS, BITS], np.power),
    (lambda x: relay.reinterpret(x, "int32"), [HALVES], lambda x: x.view(np.int32)),
    (relay.right_shift, [INTS, BITS], np.right_shift),
    (relay.right_shift, [BYTES, BYTES // 100], np.right_shift),
    (relay.round, [INTS], lambda x: x),
    (relay.rsqrt, [POSITIVE], lambda x: 1 / np.sqrt(x)),
    (relay.shape_of, [CUBE], lambda x: np.array(x.shape, np.int32)),
    (lambda x: relay.shape_of(x, "int64"), [CUBE], lambda x: np.array(x.shape, np.int64)),
    (relay.sigmoid, [CUBE], lambda x: 1 / (1 + np.exp(-x))),
    (relay.sign, [CUBE], np.sign),
    (relay.sign, [BYTES], np.sign),
    (relay.sin, [CUBE], np.sin),
    (relay.sinh, [CUBE], np.sinh),
    (relay.sqrt, [POSITIVE], np.sqrt),
    (relay.subtract, [CUBE, ROWS], np.subtract),
    (relay.subtract, [BYTES, BYTES[::-1].copy()], np.subtract),
    (relay.tan, [UNIT], np.tan),
    (relay.tanh, [CUBE], np.tanh),
    (lambda: relay.arange(5), [], lambda: np.arange(5, dtype=np.float32)),
    (lambda: relay.arange(1, 5, 1.5), [], lambda: np.array([1, 2.5, 4], np.float32)),
    (lambda: relay.arange(0, 2.5, 1, "int32"), [], lambda: np.array([0, 1, 2], np.int32)),
    (lambda: relay.arange(5, 1, -2, dtype="int64"), [], lambda: np.array([5, 3], np.int64)),
    (
        lambda x: relay.adv_index([x, relay.const([[0], [1]]), relay.const([0, 2])]),
        [CUBE],
        lambda x: x[[[0], [1]], [0, 2]],
    ),
    (relay.broadcast_to_like, [ROWS, CUBE], lambda x, y: np.broadcast_to(x, y.shape)),
    (lambda x: relay.collapse_sum_to(x, (3, 1)), [CUBE], lambda x: x.sum((0, 2)).reshape(3, 1)),
    (relay.collapse_sum_like, [CUBE, ROWS], lambda x, y: x.sum((0, 2)).reshape(y.shape)),
    (relay.invert_permutation, [np.array([3, 4, 0, 2, 1, 5], np.int32)], lambda x: np.argsort(x).astype(np.int32)),
    (
        lambda x: relay.scatter_nd(x, relay.const([[0, 1], [1, 2]]), relay.const(np.zeros((2, 4), np.float32))),
        [CUBE],
        lambda x: x * np.array([[1, 0, 1], [1, 1, 0]], np.float32)[..., None],
    ),
    (
        lambda x: relay.scatter_nd(x, relay.const([[1, 1, 0]]), relay.const(np.array([3, 5, 7], np.int32)), "add"),
        [INTS],
        lambda x: x + np.array([7, 8, 0, 0, 0, 0], np.int32),
    ),
    (lambda x, y: relay.slice_like(x, y), [CUBE, CUBE[:1, :2, :3].copy()], lambda x, _: x[:1, :2, :3]),
    (lambda x, y: relay.slice_like(x, y, axes=(-1,)), [CUBE, CUBE[:1, :2, :3].copy()], lambda x, _: x[..., :3]),
    (lambda x: relay.zeros_like(x), [SHORT], np.zeros_like),
]
NAMES = [f"{number} {case[0].__name__}" for number, case in enumerate(CASES)]


@pytest.fixture(scope="module")
def results() -> list[Array]:
    """The result of each case."""
    return interpreted(CASES)


@pytest.mark.parametrize("number", range(len(CASES)), ids=NAMES)
def test_an_operator_gives_what_tvm_documents(number: int, results: list[Array]):
    check(CASES[number], results[number], 5e-6)
