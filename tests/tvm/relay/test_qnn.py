"""Quantised operators give the integers of TVM's lowering: numpy and Python's whole numbers state what it documents."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest

from s2s import tvm
from s2s.errors import S2SError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay import Expr, IRModule, const
from s2s.types.dtypes import Array
from support.together import Case, Function, applied

qnn: Any = relay.qnn.op
RNG = np.random.default_rng(11)
I8 = RNG.integers(-128, 128, (2, 3, 4, 4), np.int8)
OTHER = RNG.integers(-128, 128, (2, 3, 4, 4), np.int8)
U8 = RNG.integers(0, 256, (2, 3, 4, 4), np.uint8)
I32 = RNG.integers(-40000, 40000, (2, 3, 5), np.int32)
REAL = np.array([[-70.3, -1.5, -0.5, 0.49, 0.5, 1.5, 2.5, 90.0]], np.float32)
KERNEL = RNG.integers(-128, 128, (6, 3, 3, 3), np.int8)
ROWS, WEIGHT = RNG.integers(-128, 128, (4, 8), np.int8), RNG.integers(-128, 128, (5, 8), np.int8)


def scale(value: Any) -> Expr:
    return const(np.asarray(value, np.float32))


def zero(value: Any) -> Expr:
    return const(np.asarray(value, np.int32))


def away(values: Array) -> Array:
    """Rounded to the nearest integer, halves away from zero."""
    return np.copysign(np.floor(np.abs(values) + np.float32(0.5)), values)


def quantized(values: Array, step: Any, offset: Any, low: int = -128, high: int = 127) -> Array:
    steps = away(values / np.asarray(step, np.float32)) + np.asarray(offset, np.float32)
    return np.clip(steps, low, high).astype(np.int32)


def moved(values: Array, old: Any, old_zero: int, new: float, new_zero: int, nearest: bool = False) -> Array:
    """Integers of one scale in another one, by factors of 31 fractional bits."""

    def one(value: int, old_scale: float) -> int:
        factor = Fraction(float(np.float32(old_scale)) / float(np.float32(new)))
        exponent = 0
        while factor >= 1:
            factor, exponent = factor / 2, exponent + 1
        while factor < Fraction(1, 2):
            factor, exponent = factor * 2, exponent - 1
        product = Fraction(value * floor(factor * 2**31 + Fraction(1, 2)), 2 ** (31 - exponent))
        half = Fraction(1, 2)
        return -floor(-product + half) if nearest and product < 0 else floor(product + half)

    scales = np.broadcast_to(np.asarray(old, np.float32), values.shape)
    pairs = zip(values.astype(np.int64).reshape(-1) - old_zero, scales.reshape(-1), strict=True)
    return np.array([one(int(value), float(each)) + new_zero for value, each in pairs]).reshape(values.shape)


def fitting(values: Array, dtype: str) -> Array:
    info = np.iinfo(dtype)
    return np.clip(values, info.min, info.max).astype(dtype)


def convolved(x: Array, w: Array, pad: int) -> Array:
    padded = np.pad(x, [(0, 0), (0, 0), (pad, pad), (pad, pad)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], (2, 3))
    return np.einsum("nchwij,ocij->nohw", windows, w)


PAIR: tuple[Any, ...] = (scale(0.25), zero(3), scale(0.125), zero(-7), scale(0.5), zero(5))
STEPS = np.array([0.1, 0.25, 0.7], np.float32)
CASES: dict[str, Case] = {
    "quantize": (lambda x: qnn.quantize(x, scale(0.5), zero(3)), [REAL], lambda x: quantized(x, 0.5, 3)),
    "quantize to bytes": (
        lambda x: qnn.quantize(x, scale(0.5), zero(100), out_dtype="uint8"),
        [REAL],
        lambda x: quantized(x, 0.5, 100, 0, 255),
    ),
    "quantize of channels": (
        lambda x: qnn.quantize(x, scale(STEPS), zero([1, 2, 3]), axis=1),
        [I32.astype(np.float32) / 999],
        lambda x: quantized(x, STEPS[:, None], np.array([1, 2, 3])[:, None]),
    ),
    "dequantize": (
        lambda x: qnn.dequantize(x, scale(0.3), zero(-5)),
        [I8],
        lambda x: (x.astype(np.int32) + 5).astype(np.float32) * np.float32(0.3),
    ),
    "dequantize of channels": (
        lambda x: qnn.dequantize(x, scale(STEPS), zero(0), 1),
        [I8],
        lambda x: x.astype(np.float32) * STEPS[:, None, None],
    ),
    "simulated_quantize": (
        lambda x: qnn.simulated_quantize(x, scale(0.5), zero(3)),
        [REAL],
        lambda x: quantized(x, 0.5, 3).astype(np.float32),
    ),
    "simulated_dequantize": (
        lambda x: qnn.simulated_dequantize(x, scale(0.5), zero(3)),
        [REAL],
        lambda x: (x - 3) * np.float32(0.5),
    ),
    "requantize": (
        lambda x: qnn.requantize(x, scale(0.001), zero(4), scale(0.25), zero(-3)),
        [I32],
        lambda x: fitting(moved(x, 0.001, 4, 0.25, -3), "int8"),
    ),
    "requantize to the nearest": (
        lambda x: qnn.requantize(x, scale(0.5), zero(0), scale(1.0), zero(0), rounding="TONEAREST", out_dtype="int32"),
        [I32],
        lambda x: moved(x, 0.5, 0, 1.0, 0, nearest=True),
    ),
    "requantize upwards": (
        lambda x: qnn.requantize(x, scale(0.5), zero(0), scale(1.0), zero(0), rounding="UPWARD", out_dtype="int32"),
        [I32],
        lambda x: moved(x, 0.5, 0, 1.0, 0),
    ),
    "requantize of channels": (
        lambda x: qnn.requantize(x, scale(STEPS), zero(0), scale(7.0), zero(9), axis=1, out_dtype="int32"),
        [I32],
        lambda x: moved(x, STEPS[:, None], 0, 7.0, 9),
    ),
    "requantize to a finer scale": (
        lambda x: qnn.requantize(x, scale(3.0), zero(0), scale(0.7), zero(0), out_dtype="int32"),
        [I32],
        lambda x: moved(x, 3.0, 0, 0.7, 0),
    ),
    "requantize by floats": (
        lambda x: qnn.requantize(x, scale(0.5), zero(0), scale(1.0), zero(1), -1, "UPWARD", "float32", "int32"),
        [I32],
        lambda x: np.floor(x.astype(np.float32) * np.float32(0.5) + 1 + np.float32(0.5)).astype(np.int32),
    ),
    "requantize by floats to the nearest": (
        lambda x: qnn.requantize(x, scale(0.5), zero(0), scale(1.0), zero(0), -1, "TONEAREST", "float64", "int32"),
        [I32],
        lambda x: away(x * 0.5).astype(np.int32),
    ),
    "conv2d": (
        lambda x: qnn.conv2d(x, const(KERNEL), zero(5), zero(0), scale(0.5), scale(0.25), (3, 3), 6, padding=(1, 1)),
        [I8],
        lambda x: convolved(x.astype(np.int32) - 5, KERNEL.astype(np.int32), 1),
    ),
    "conv2d of bytes": (
        lambda x: qnn.conv2d(x, const(KERNEL), zero(128), zero(-3), scale(0.5), scale(0.25), (3, 3), 6),
        [U8],
        lambda x: convolved(x.astype(np.int32) - 128, KERNEL.astype(np.int32) + 3, 0),
    ),
    "conv2d_transpose": (
        lambda x: qnn.conv2d_transpose(
            x,
            const(KERNEL.transpose(1, 0, 2, 3).copy()),
            zero(2),
            zero(0),
            scale(0.5),
            scale(0.25),
            channels=6,
            kernel_size=(3, 3),
        ),
        [I8],
        lambda x: convolved(x.astype(np.int32) - 2, KERNEL[:, :, ::-1, ::-1].astype(np.int32), 2),
    ),
    "dense": (
        lambda x: qnn.dense(x, const(WEIGHT), zero(4), zero(-2), scale(0.5), scale(0.25), units=5),
        [ROWS],
        lambda x: (x.astype(np.int32) - 4) @ (WEIGHT.astype(np.int32) + 2).T,
    ),
    "batch_matmul": (
        lambda x, y: qnn.batch_matmul(x, y, zero(1), zero(-1), scale(0.5), scale(0.25)),
        [ROWS[None], WEIGHT[None]],
        lambda x, y: (x.astype(np.int32) - 1) @ (y.astype(np.int32) + 1).transpose(0, 2, 1),
    ),
    "add": (
        lambda x, y: qnn.add(x, y, *PAIR),
        [I8, OTHER],
        lambda x, y: fitting(moved(x, 0.25, 3, 0.5, 5) + moved(y, 0.125, -7, 0.5, 5) - 5, "int8"),
    ),
    "add of one scale": (
        lambda x, y: qnn.add(x, y, *[scale(0.5), zero(2)] * 3),
        [U8, U8[::-1].copy()],
        lambda x, y: fitting(x.astype(np.int32) + y - 2, "uint8"),
    ),
    "subtract": (
        lambda x, y: qnn.subtract(x, y, *PAIR),
        [I8, OTHER],
        lambda x, y: fitting(moved(x, 0.25, 3, 0.5, 5) - moved(y, 0.125, -7, 0.5, 5) + 5, "int8"),
    ),
    "mul": (
        lambda x, y: qnn.mul(x, y, *PAIR),
        [I8, OTHER],
        lambda x, y: fitting(moved((x.astype(np.int32) - 3) * (y.astype(np.int32) + 7), 0.03125, 0, 0.5, 5), "int8"),
    ),
    "concatenate": (
        lambda x, y: qnn.concatenate([x, y], PAIR[0:4:2], PAIR[1:4:2], scale(0.25), zero(3), axis=1),
        [I8, OTHER],
        lambda x, y: np.concatenate([x, fitting(moved(y, 0.125, -7, 0.25, 3), "int8")], 1),
    ),
    "leaky_relu": (
        lambda x: qnn.leaky_relu(x, 0.125, scale(0.25), zero(3), scale(0.25), zero(3)),
        [I8],
        lambda x: np.where(x < 3, moved(x, 0.125, 0, 1, 0) + moved(np.array(3), 0.875, 0, 1, 0), x),
    ),
}
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "tanh": np.tanh,
    "exp": np.exp,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "abs": np.abs,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "log": np.log,
}


def module_of(formula: Function, arrays: Sequence[Array]) -> IRModule:
    variables = [relay.var(f"x{at}", shape=each.shape, dtype=str(each.dtype)) for at, each in enumerate(arrays)]
    return IRModule.from_expr(relay.Function(variables, applied(formula, variables)))


def computed(mod: IRModule, arrays: Sequence[Array]) -> Array:
    return run_graph(mod.module, list(arrays), mod.weights)[0]


@pytest.mark.parametrize("name", CASES)
def test_an_operator_gives_the_integers_of_tvm(name: str):
    formula, arrays, reference = CASES[name]
    mod = module_of(formula, arrays)
    np.testing.assert_array_equal(computed(mod, arrays), applied(reference, arrays))
    again = tvm.parser.fromtext(mod.astext())
    assert again.astext() == mod.astext()
    np.testing.assert_array_equal(computed(again, arrays), applied(reference, arrays))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_quantised_values(name: str):
    steps = np.arange(6, 128, dtype=np.int8)

    def formula(x: Expr) -> Expr:
        return getattr(qnn, name)(x, scale(0.0625), zero(5), scale(0.03), zero(-9))

    result = computed(module_of(formula, [steps]), [steps])
    real = (steps.astype(np.float32) - 5) * np.float32(0.0625)
    wanted = FUNCTIONS[name](real.astype(np.float64)) / float(np.float32(0.03))
    assert (np.abs(result - np.clip(wanted - 9, -128, 127)) <= 0.5001).all()


def test_the_error_function_of_quantised_values():
    steps = np.arange(-128, 128, dtype=np.int16).astype(np.int8)

    def formula(x: Expr) -> Expr:
        return qnn.erf(x, scale(0.02), zero(0), scale(1 / 127), zero(0))

    mod = module_of(formula, [steps])
    result = computed(mod, [steps]).astype(np.int32)
    assert (np.diff(result) >= 0).all()
    assert (result[0], result[128], result[-1]) == (-127, 0, 127)


def test_a_quantised_network_is_compiled():
    arrays = [I8]

    def network(x: Expr) -> Expr:
        sums = qnn.conv2d(x, const(KERNEL), zero(5), zero(0), scale(0.5), scale(0.25), (3, 3), 6, padding=(1, 1))
        return qnn.requantize(sums, scale(0.125), zero(0), scale(60.0), zero(-4))

    mod = module_of(network, arrays)
    evaluate: Any = relay.create_executor("graph", mod).evaluate()
    sums = convolved(I8.astype(np.int32) - 5, KERNEL.astype(np.int32), 1)
    np.testing.assert_array_equal(evaluate(I8).numpy(), fitting(moved(sums, 0.125, 0, 60.0, -4), "int8"))


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: qnn.requantize(x, scale(1), zero(0), scale(2), zero(0), rounding="DOWN"), "rounding DOWN"),
    (lambda x: qnn.requantize(x, scale(1), zero(0), qnn.dequantize(x, scale(1), zero(0)), zero(0)), "constant"),
    (lambda x: qnn.requantize(x, scale(2.0**40), zero(0), scale(1), zero(0)), "ratio of scales"),
    (lambda x: qnn.mul(x, x, *PAIR, 0, 1), "give one axis"),
    (lambda x: qnn.concatenate([x], [], [], scale(1), zero(0), 0), "0 scales"),
]


@pytest.mark.parametrize(("formula", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_what_no_integers_are_known_of_is_refused(formula: Callable[[Any], Any], message: str):
    with pytest.raises(S2SError, match=message):
        formula(relay.var("x", shape=(2, 2), dtype="int8"))


def test_quantised_operators_become_those_that_they_are_made_of():
    def formula(x: Expr) -> Expr:
        return qnn.add(x, x, *PAIR)

    mod = module_of(formula, [I8])
    made = relay.qnn.transform.Legalize()(relay.qnn.transform.CanonicalizeOps()(mod))
    assert "qnn.add" in mod.astext()
    assert "qnn." not in made.astext()
    np.testing.assert_array_equal(computed(made, [I8]), computed(mod, [I8]))
