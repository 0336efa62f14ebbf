"""Operators of relay mean what TVM's do: the graph interpreter runs them, numpy is the reference."""

from collections.abc import Callable

import numpy as np
import pytest

import s2s.tvm.relay.nn as nn
from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay import Expr, IRModule
from s2s.types.dtypes import Array

Formula = Callable[[Expr], Expr]


def rand(*shape: int) -> Array:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def run(formula: Formula, x: Array) -> Array:
    data = relay.var("x", shape=x.shape, dtype=str(x.dtype))
    mod = IRModule.from_expr(formula(data))
    mod.module.verify()
    return run_graph(mod.module, [x], mod.weights)[0]


X = rand(2, 3, 4, 4)
W = rand(6, 3, 3, 3)


def windows(x: Array, size: int, step: int) -> Array:
    return np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))[:, :, ::step, ::step]


def conv(x: Array, w: Array) -> Array:
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    return np.einsum("nchwij,ocij->nohw", windows(padded, 3, 1), w)


CASES: dict[str, tuple[Formula, Callable[[Array], Array]]] = {
    "add": (lambda x: relay.add(x, 2.0), lambda x: x + 2),
    "arithmetic": (lambda x: (1 - x) * 3 / (x * x + 1.0), lambda x: (1 - x) * 3 / (x * x + 1)),
    "not_equal": (lambda x: relay.not_equal(x, x), lambda x: x != x),
    "clip": (lambda x: relay.clip(x, -1, 1), lambda x: np.clip(x, -1, 1)),
    "where": (lambda x: relay.where(relay.greater(x, 0.0), x, 7.0), lambda x: np.where(x > 0, x, 7)),
    "cast": (lambda x: relay.cast(x, "int32"), lambda x: x.astype(np.int32)),
    "reshape": (lambda x: relay.reshape(x, [0, -1]), lambda x: x.reshape(2, -1)),
    "reshape_rest": (lambda x: relay.reshape(x, [0, 3, -2]), lambda x: x),
    "transpose": (relay.transpose, lambda x: x.T),
    "expand_dims": (lambda x: relay.expand_dims(x, -1), lambda x: x[..., None]),
    "squeeze": (lambda x: relay.squeeze(relay.expand_dims(x, 1, 2), [1]), lambda x: x[:, None]),
    "concatenate": (lambda x: relay.concatenate([x, x], axis=-1), lambda x: np.concatenate([x, x], -1)),
    "stack": (lambda x: relay.stack([x, x], axis=1), lambda x: np.stack([x, x], 1)),
    "split": (lambda x: relay.split(x, [1, 3], axis=2)[1], lambda x: x[:, :, 1:3]),
    "split_equally": (lambda x: relay.split(x, 3, axis=1)[2], lambda x: x[:, 2:]),
    "strided_slice": (lambda x: relay.strided_slice(x, [0, 1], [1, 3]), lambda x: x[0:1, 1:3]),
    "strided_slice_size_from_the_end": (
        lambda x: relay.strided_slice(x, [-3], [2], axes=[3], slice_mode="size"),
        lambda x: x[..., -3:-1],
    ),
    "strided_slice_size": (
        lambda x: relay.strided_slice(x, [1], [2], axes=[3], slice_mode="size"),
        lambda x: x[..., 1:3],
    ),
    "take": (lambda x: relay.take(x, relay.const([2, 0]), axis=1), lambda x: x[:, [2, 0]]),
    "tile": (lambda x: relay.tile(x, [2, 1, 1, 1, 1]), lambda x: np.tile(x, [2, 1, 1, 1, 1])),
    "broadcast_to": (lambda x: relay.broadcast_to(x, [5, 2, 3, 4, 4]), lambda x: np.broadcast_to(x, [5, 2, 3, 4, 4])),
    "zeros_like": (lambda x: x + relay.zeros_like(x) + relay.ones([4]), lambda x: x + 1),
    "mean": (lambda x: relay.mean(x, [1, -1], keepdims=True), lambda x: x.mean((1, 3), keepdims=True)),
    "sum_but": (lambda x: relay.sum(x, 1, exclude=True), lambda x: x.sum((0, 2, 3))),
    "max": (relay.max, lambda x: x.max()),
    "argmax": (lambda x: relay.argmax(x, axis=-1), lambda x: x.argmax(-1).astype(np.int32)),
    "conv2d": (lambda x: nn.conv2d(x, relay.const(W), padding=1), lambda x: conv(x, W)),
    "conv2d_nhwc": (
        lambda x: nn.conv2d(
            relay.transpose(x, [0, 2, 3, 1]),
            relay.const(W.transpose(2, 3, 1, 0)),
            padding=(1, 1),
            data_layout="NHWC",
            kernel_layout="HWIO",
        ),
        lambda x: conv(x, W).transpose(0, 2, 3, 1),
    ),
    "dense": (lambda x: nn.dense(x, relay.const(rand(5, 4))), lambda x: x @ rand(5, 4).T),
    "batch_matmul": (lambda x: nn.batch_matmul(x, x), lambda x: x @ x.transpose(0, 1, 3, 2)),
    "bias_add": (lambda x: nn.bias_add(x, relay.const(rand(3))), lambda x: x + rand(3)[:, None, None]),
    "bias_add_last": (lambda x: nn.bias_add(x, relay.const(rand(4)), axis=-1), lambda x: x + rand(4)),
    "relu": (nn.relu, lambda x: np.maximum(x, 0)),
    "leaky_relu": (lambda x: nn.leaky_relu(x, 0.1), lambda x: np.where(x > 0, x, x * np.float32(0.1))),
    "softmax": (lambda x: nn.softmax(x, 1), lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    "batch_norm_last": (
        lambda x: nn.batch_norm(x, *map(relay.const, (rand(4), rand(4), rand(4), rand(4) ** 2)), axis=-1)[0],
        lambda x: (x - rand(4)) / np.sqrt(rand(4) ** 2 + 1e-5) * rand(4) + rand(4),
    ),
    "max_pool2d": (lambda x: nn.max_pool2d(x, 2, 2), lambda x: windows(x, 2, 2).max((4, 5))),
    "max_pool2d_ceil": (
        lambda x: nn.max_pool2d(x, 3, 2, ceil_mode=True),
        lambda x: windows(np.pad(x, [(0, 0), (0, 0), (0, 1), (0, 1)], constant_values=-9), 3, 2).max((4, 5)),
    ),
    "avg_pool2d": (lambda x: nn.avg_pool2d(x, 2, 2), lambda x: windows(x, 2, 2).mean((4, 5))),
    "avg_pool2d_pad": (
        lambda x: nn.avg_pool2d(x, 2, 2, padding=1, count_include_pad=True),
        lambda x: windows(np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)]), 2, 2).mean((4, 5)),
    ),
    "global_avg_pool2d": (nn.global_avg_pool2d, lambda x: x.mean((2, 3), keepdims=True)),
    "pad": (
        lambda x: nn.pad(x, [(0, 0), (1, 0), (0, 2), (0, 0)], 3.0),
        lambda x: np.pad(x, [(0, 0), (1, 0), (0, 2), (0, 0)], constant_values=3),
    ),
    "max_pool_dilated_and_ceiled": (
        lambda x: nn.max_pool2d(x, 2, 3, dilation=2, ceil_mode=True),
        lambda x: np.stack(
            [np.stack([x[:, :, r::2, c::2][:, :, :2, :2].max((2, 3)) for c in (0, 3)], -1) for r in (0, 3)], -2
        ),
    ),
    "batch_flatten": (nn.batch_flatten, lambda x: x.reshape(2, -1)),
    "dropout": (nn.dropout, lambda x: x),
}


@pytest.mark.parametrize("name", CASES)
def test_an_operator_computes_what_numpy_does(name: str):
    formula, expected = CASES[name]
    found, wanted = run(formula, X), np.asarray(expected(X))
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.astype(np.float64), wanted.astype(np.float64), rtol=1e-4, atol=1e-5)


def test_a_weight_gets_its_type_from_the_operator_that_takes_it():
    x, w, b = relay.var("x", shape=(1, 3, 8, 8)), relay.var("w"), relay.var("b")
    nn.bias_add(nn.conv2d(x, w, channels=6, kernel_size=(3, 3), groups=3), b)
    assert (w.shape, b.shape) == ((6, 1, 3, 3), (6,))


def test_a_variable_whose_type_nothing_tells_is_refused():
    with pytest.raises(InputError, match=r"w: its shape is not known here; give it to relay.var"):
        relay.add(relay.var("w"), relay.var("x", shape=(1,)))


def test_operands_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"relay: graph.matmul: .*; change the operands"):
        nn.dense(relay.var("x", shape=(2, 3)), relay.var("w", shape=(4, 5)))


REFUSED: list[tuple[Formula, str]] = [
    (lambda x: nn.softmax(x, axis=7), "axis 7 of a tensor of 4 dimensions; give one from -4 to 3"),
    (lambda x: relay.expand_dims(x, 9), "axis 9 of a tensor of 5 dimensions"),
    (lambda x: relay.sum(x, axis=[0, 4]), "axis 4 of a tensor of 4 dimensions"),
    (lambda x: relay.split(x, 0), "no 0 equal parts"),
    (lambda x: relay.reshape(x, [2, 3, 4, 4, 0]), "dimension 4 of .* is missing"),
    (lambda x: relay.cast(x, "int8") + 300, "int8 does not hold 300; convert the tensor with astype"),
    (lambda x: relay.cast(x, "int32") * 0.5, "int32 does not hold 0.5"),
    (lambda x: nn.max_pool2d(x, 2, out_layout="NHWC"), "max_pool2d: out_layout NHWC with layout NCHW"),
    (lambda x: nn.avg_pool2d(x, 2, out_layout="NHWC"), "avg_pool2d: out_layout NHWC with layout NCHW"),
]


@pytest.mark.parametrize(("formula", "reason"), REFUSED)
def test_arguments_without_a_meaning_are_refused(formula: Formula, reason: str):
    with pytest.raises(InputError, match=reason):
        run(formula, X)


def hot(x: Expr) -> Expr:
    return relay.one_hot(relay.argmax(x, axis=3), relay.const(2.0), relay.const(0.5), 4, -1, "float32")


MADE: list[tuple[Formula, Array]] = [
    (lambda x: relay.full_like(x, 3.0) + x, X + 3),
    (lambda x: relay.reshape_like(x, relay.zeros((6, 16))), X.reshape(6, 16)),
    (lambda x: relay.reverse(x, -2), X[:, :, ::-1]),
    (lambda x: relay.repeat(x, 3, 1), X.repeat(3, 1)),
    (lambda x: relay.variance(x, axis=1), X.var(1)),
    (lambda x: relay.std(x, axis=(2, 3), keepdims=True, unbiased=True), X.std((2, 3), ddof=1, keepdims=True)),
    (lambda x: relay.gather(x, 3, relay.argmax(x, axis=3, keepdims=True)), X.max(3, keepdims=True)),
    (lambda x: relay.topk(x, 2, ret_type="values"), -np.sort(-X, 3)[..., :2]),
    (lambda x: relay.topk(x, 2, ret_type="indices", is_ascend=True), np.argsort(X, 3)[..., :2].astype(np.int32)),
    (hot, np.where(np.arange(4) == X.argmax(3)[..., None], 2, 0.5).astype(np.float32)),
]


@pytest.mark.parametrize(("formula", "expected"), MADE)
def test_operators_that_others_make(formula: Formula, expected: Array):
    found = run(formula, X)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)
