"""Arguments of operators of relay have the effect that TVM documents, or are refused: numpy states the effect."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.interpret.graph import run_graph
from s2s.tvm import relay
from s2s.tvm.relay import Expr, IRModule, image, nn
from s2s.types.dtypes import Array

RNG = np.random.default_rng(11)
X = RNG.standard_normal((1, 2, 5, 3)).astype(np.float32)
M = RNG.standard_normal((4, 6)).astype(np.float32)
W = RNG.standard_normal((2, 3, 2)).astype(np.float32)
BYTES = RNG.integers(-128, 128, (1, 2, 4, 4)).astype(np.int8)
WEIGHTS = RNG.integers(-128, 128, (3, 2, 2, 2)).astype(np.int8)


def run(formula: Callable[[Any], Expr], x: Array) -> Array:
    """What the graph interpreter computes of an expression."""
    data = relay.var("x", shape=x.shape, dtype=str(x.dtype))
    mod = IRModule.from_expr(relay.Function([data], formula(data)))
    mod.module.verify()
    return run_graph(mod.module, [x], mod.weights)[0]


def windows(x: Array, size: int) -> Array:
    return np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))


def truncated(total: Array, count: Array | int) -> Array:
    """Division of integers that rounds towards zero."""
    return np.trunc(total / count).astype(np.int64)


def products(x: Array, w: Array) -> Array:
    return np.einsum("nchwij,ocij->nohw", windows(x.astype(np.int64), 2), w.astype(np.int64))


Case = tuple[Callable[[Any], Expr], Array, Callable[[Any], Any]]
CASES: dict[str, Case] = {
    "clip of bytes by bounds that they do not hold": (
        lambda x: relay.clip(x, -1000, 100.7),
        BYTES,
        lambda x: np.clip(x, -128, 100),
    ),
    "all of numbers": (lambda x: relay.all(x, 1), np.array([[0.5, 2], [0, 3]], np.float32), lambda x: x.all(1)),
    "any of numbers": (lambda x: relay.any(x, 1), np.array([[0, 0.25], [0, 0]], np.float32), lambda x: x.any(1)),
    "l2_normalize over all": (
        lambda x: nn.l2_normalize(x, 1e-3),
        X,
        lambda x: x / np.sqrt(np.maximum((x * x).sum(), 1e-3)),
    ),
    "one_hot of bytes": (
        lambda i: relay.one_hot(i, relay.const(1), relay.const(0), 300, -1, "int32"),
        np.array([1, 100], np.int8),
        lambda i: np.eye(300, dtype=np.int32)[i],
    ),
    "fixed_point_multiply": (
        lambda x: relay.fixed_point_multiply(x, 1 << 30, 1),
        np.array([7, -7, 0, 1 << 20], np.int32),
        lambda x: x,
    ),
    "fixed_point_multiply rounds halves up": (
        lambda x: relay.fixed_point_multiply(x, 1 << 30, 0),
        np.array([7, -7, 5], np.int32),
        lambda x: np.array([4, -3, 3], np.int32),
    ),
    "take at constant places of bytes": (
        lambda x: relay.take(x, relay.const(np.array([-3, 90], np.int8)), mode="wrap"),
        np.arange(200, dtype=np.float32),
        lambda x: x[[197, 90]],
    ),
    "reverse_sequence from the end": (
        lambda x: relay.reverse_sequence(x, relay.const(np.array([3, 99, 0, 1], np.int32)), -1, -2),
        M,
        lambda x: np.stack([[*x[0, 2::-1], *x[0, 3:]], x[1, ::-1], x[2], x[3]]),
    ),
    "strided_slice with fewer strides": (
        lambda x: relay.strided_slice(x, [0, 1], [4, 9], [2]),
        M,
        lambda x: x[::2, 1:],
    ),
    "strided_slice with fewer begins": (
        lambda x: relay.strided_slice(x, [1], [4, 3]),
        M,
        lambda x: x[1:4, :3],
    ),
    "strided_slice with fewer ends": (
        lambda x: relay.strided_slice(x, [1, 2], [4]),
        M,
        lambda x: x[1:4, 2:],
    ),
    "pad by negative numbers": (
        lambda x: nn.pad(x, ((-1, 2), (1, -3)), 7),
        M,
        lambda x: np.pad(x, ((0, 2), (1, 0)), constant_values=7)[1:, :-3],
    ),
    "reflect by negative numbers": (
        lambda x: nn.pad(x, ((1, -2), (0, 2)), pad_mode="reflect"),
        M,
        lambda x: np.pad(x, ((1, 0), (0, 2)), mode="reflect")[:-2],
    ),
    "strided_slice backwards": (
        lambda x: relay.strided_slice(x, [-1, 4], [-5, 0], [-1, -2]),
        M,
        lambda x: x[::-1, 4:0:-2],
    ),
    "strided_set of the first dimension": (
        lambda x: relay.strided_set(x, relay.const(np.zeros((2, 6), np.float32)), [1], [3]),
        M,
        lambda x: np.concatenate([x[:1], 0 * x[1:3], x[3:]]),
    ),
    "layout_transform of blocks": (
        lambda x: relay.layout_transform(x, "NCHW4c", "NHWC"),
        RNG.standard_normal((1, 2, 3, 2, 4)).astype(np.float32),
        lambda x: x.transpose(0, 2, 3, 1, 4).reshape(1, 3, 2, 8),
    ),
    "layout_transform from block to block": (
        lambda x: relay.layout_transform(x, "NCHW4c", "NCHW2c"),
        RNG.standard_normal((1, 2, 3, 2, 4)).astype(np.float32),
        lambda x: x.transpose(0, 1, 4, 2, 3).reshape(1, 4, 2, 3, 2).transpose(0, 1, 3, 4, 2),
    ),
    "conv2d of bytes wraps": (
        lambda x: nn.conv2d(x, relay.const(WEIGHTS)),
        BYTES,
        lambda x: products(x, WEIGHTS).astype(np.int8),
    ),
    "conv2d of bytes in wide sums": (
        lambda x: nn.conv2d(x, relay.const(WEIGHTS), out_dtype="int32"),
        BYTES,
        lambda x: products(x, WEIGHTS).astype(np.int32),
    ),
    "dense of bytes in 16 bits": (
        lambda x: nn.dense(x, relay.const(BYTES.reshape(4, 8)), out_dtype="int16"),
        BYTES.reshape(4, 8),
        lambda x: (x.astype(np.int64) @ BYTES.reshape(4, 8).T.astype(np.int64)).astype(np.int16),
    ),
    "dense of halves in singles": (
        lambda x: nn.dense(x, relay.const(M.astype(np.float16)), out_dtype="float32"),
        M.astype(np.float16),
        lambda x: x.astype(np.float32) @ M.astype(np.float16).astype(np.float32).T,
    ),
    "avg_pool2d of integers": (
        lambda x: nn.avg_pool2d(x, 2),
        BYTES,
        lambda x: truncated(windows(x.astype(np.int64), 2).sum((-1, -2)), 4).astype(np.int8),
    ),
    "avg_pool2d of integers with padding": (
        lambda x: nn.avg_pool2d(x, 2, padding=(1, 0)),
        BYTES,
        lambda x: truncated(
            windows(np.pad(x.astype(np.int64), ((0, 0), (0, 0), (1, 1), (0, 0))), 2).sum((-1, -2)),
            np.array([2, 4, 4, 4, 2])[:, None],
        ).astype(np.int8),
    ),
    "dilation2d": (
        lambda x: image.dilation2d(x, relay.const(W), (2, 1), (1, 0), (1, 2)),
        X,
        lambda x: np.stack(
            [
                np.max(
                    [
                        np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)), constant_values=-9)[:, :, a : a + 5 : 2, b : b + 1]
                        + W[:, a, b // 2, None, None]
                        for a, b in np.ndindex(3, 3)
                        if b != 1
                    ],
                    axis=0,
                )
            ]
        )[0],
    ),
    "adaptive_avg_pool2d of the whole": (lambda x: nn.adaptive_avg_pool2d(x), X, lambda x: x),
}


@pytest.mark.parametrize("name", CASES)
def test_an_argument_has_its_effect(name: str):
    formula, x, reference = CASES[name]
    expected = np.asarray(reference(x))
    result = run(formula, x)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def position(mode: str, at: int, size: int, count: int, region: tuple[float, float]) -> float:
    """The place in the data of an output, as TVM documents coordinate_transformation_mode."""
    scale = size / count
    return {
        "half_pixel": (at + 0.5) * scale - 0.5,
        "align_corners": at * (size - 1) / (count - 1) if count > 1 else 0.0,
        "asymmetric": at * scale,
        "pytorch_half_pixel": (at + 0.5) * scale - 0.5 if count > 1 else 0.0,
        "tf_half_pixel_for_nn": (at + 0.5) * scale,
        "tf_crop_and_resize": region[0] * (size - 1) + at * (region[1] - region[0]) * (size - 1) / max(count - 1, 1),
    }[mode]


def weight_of(method: str, place: float, tap: int, alpha: float) -> float:
    """The weight of an element in an output at `place`."""
    away = abs(place - tap)
    if method == "linear":
        return max(0.0, 1 - away)
    if away <= 1:
        return (alpha + 2) * away**3 - (alpha + 3) * away**2 + 1
    return alpha * (away**3 - 5 * away**2 + 8 * away - 4) if away < 2 else 0.0


def resized_axis(x: Array, count: int, method: str, mode: str, region: tuple[float, float]) -> Array:
    """The last axis with `count` elements, positions outside of it repeating its ends."""
    size, outputs = x.shape[-1], list[Array]()
    for at in range(count):
        place = position(mode, at, size, count, region)
        if method == "nearest_neighbor":
            nearest = math.floor(place + 0.5) if mode == "align_corners" else math.floor(place + 1e-5)
            outputs.append(x[..., min(max(nearest, 0), size - 1)])
            continue
        taps = range(math.floor(place) - 2, math.floor(place) + 4)
        parts = [x[..., min(max(tap, 0), size - 1)] * weight_of(method, place, tap, -0.5) for tap in taps]
        outputs.append(np.sum(parts, 0))
    return np.stack(outputs, -1)


MODES = ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn")


@pytest.mark.parametrize("size", [(3, 7), (1, 3), (10, 1)], ids=str)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["nearest_neighbor", "linear", "cubic"])
def test_resize_reads_where_tvm_does(method: str, mode: str, size: tuple[int, int]):
    expected = X
    for axis, count in zip((2, 3), size, strict=True):
        moved = np.moveaxis(expected, axis, -1)
        expected = np.moveaxis(resized_axis(moved, count, method, mode, (0, 1)), -1, axis)
    result = run(lambda x: image.resize2d(x, size, None, "NCHW", method, mode), X)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


def test_resize_crops_and_fills_what_is_outside():
    region = (0.0, 0.5, 1.25, 1.0)
    result = run(
        lambda x: image.resize2d(
            x, (6, 3), region, method="linear", coordinate_transformation_mode="tf_crop_and_resize",
            extrapolation_value=9.0,
        ),
        X,
    )  # fmt: skip
    rows = np.moveaxis(resized_axis(np.moveaxis(X, 2, -1), 6, "linear", "tf_crop_and_resize", (0, 1.25)), -1, 2)
    expected = resized_axis(rows, 3, "linear", "tf_crop_and_resize", (0.5, 1.0))
    expected[:, :, 5] = 9.0
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


REFUSED: dict[str, tuple[Callable[[Any], Expr], str]] = {
    "clip": (lambda x: relay.clip(x.astype("int8"), math.nan, 1), "a bound of int8 is nan"),
    "fixed_point_multiply": (lambda x: relay.fixed_point_multiply(x, 1, 0), "give int32"),
    "reshape": (lambda x: relay.reshape(x, [-4, -1, -1, 6]), "one may be -1"),
    "strided_slice": (lambda x: relay.strided_slice(x, [0], [1, 2], axes=[0]), "do not cut"),
    "stride 0": (lambda x: relay.strided_slice(x, [0], [1], [0]), "no stride 0"),
    "slice_mode": (lambda x: relay.strided_slice(x, [0], [1], slice_mode="ends"), "give 'end' or 'size'"),
    "layout of other dimensions": (lambda x: relay.layout_transform(x, "NC", "NCH"), "name the same ones"),
    "layout twice": (lambda x: relay.layout_transform(x, "NN", "NN"), "is no layout"),
    "layout of another rank": (lambda x: relay.layout_transform(x, "NCH", "NHC"), "give its layout"),
    "layout that does not divide": (lambda x: relay.layout_transform(x, "NC", "NC4c"), "a block that divides"),
    "dilate": (lambda x: nn.dilate(x, [1]), "give a positive one for each"),
    "pad": (lambda x: nn.pad(x, ((0, 0), (1, 1)), 0, "wrap"), "pad_mode 'wrap'"),
    "resize": (lambda x: image.resize2d(relay.const(X), (2, 2), method="area"), "method 'area' is not known"),
    "size": (lambda x: image.resize2d(relay.const(X), (0, 2)), "positive sizes"),
    "strides": (lambda x: nn.max_pool2d(relay.const(X), 2, strides=(1, 1, 1)), "one for each of 2 dimensions"),
    "output_size": (lambda x: nn.adaptive_avg_pool2d(relay.const(X), (0, 1)), "give positive sizes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_argument_without_a_meaning_is_refused(name: str):
    formula, message = REFUSED[name]
    with pytest.raises(InputError, match=message):
        run(formula, M)
