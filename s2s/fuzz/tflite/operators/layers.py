"""Convolutions, fully connected layers and products of matrices."""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from s2s.frontends.tflite.writer import ACTIVATIONS, SAME, VALID, TensorSpec
from s2s.fuzz.network import Rejected
from s2s.fuzz.tflite.network import Network, Value
from s2s.support.frozen import frozen

MAX_WEIGHTS = 2048
INT32_OF_SCHEMA = 2
PLAIN = ("INT8", "INT16", "UINT8", "FLOAT32")


class Window(NamedTuple):
    """A window over an image, and how many positions it has."""

    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    padding: int
    places: tuple[int, int]

    @property
    def fields(self) -> dict[str, Any]:
        """Padding and strides as fields of the options."""
        return {"padding": self.padding, "stride_h": self.strides[0], "stride_w": self.strides[1]}

    @property
    def with_dilations(self) -> dict[str, Any]:
        """All fields of a convolution."""
        return {**self.fields, "dilation_h_factor": self.dilations[0], "dilation_w_factor": self.dilations[1]}


def window(net: Network, image: tuple[int, int], *, dilated: bool) -> Window:
    """A window that fits into an image."""

    def pair(*sizes: int) -> tuple[int, int]:
        one = net.random.choice(sizes)
        return one, one if net.chance(0.6) else net.random.choice(sizes)

    kernel, strides = pair(1, 1, 2, 3, 3, 4, 5), pair(1, 1, 1, 2, 3)
    dilations = pair(1, 2, 3) if dilated and net.chance(0.25) else (1, 1)
    padding = net.random.choice((SAME, VALID))
    extent = [(size - 1) * dilation + 1 for size, dilation in zip(kernel, dilations, strict=True)]
    places = [
        -(-size // stride) if padding == SAME else (size - reach) // stride + 1
        for size, stride, reach in zip(image, strides, extent, strict=True)
    ]
    if min(places) < 1:
        raise Rejected("the window is larger than the image")
    return Window(kernel, strides, dilations, padding, (places[0], places[1]))


def activation(net: Network) -> int:
    """A fused activation, none the most often."""
    return 0 if net.chance(0.5) else net.random.choice(ACTIVATIONS)


@frozen
class Weights:
    """Weights and bias of a layer, and the fields and the type that go with them."""

    w: Value
    b: Value | None
    reach: float
    """About the largest sum."""
    fields: Mapping[str, Any]


def weights(net: Network, x: Value, shape: list[int], axis: int, terms: int, *, per_channel: bool = True) -> Weights:
    """Weights of a shape, whose axis `axis` counts outputs of `terms` products each."""
    if prod(shape) > MAX_WEIGHTS:
        raise Rejected("the weights are large")
    outputs = shape[axis]
    if x.kind == "FLOAT32":
        w = net.constant("FLOAT32", shape)
        return Weights(w, net.constant("FLOAT32", [outputs]) if net.chance(0.8) else None, 1.0, {})
    assert x.quant is not None
    w = _filters(net, x.kind, shape, axis, per_channel=per_channel and x.kind != "UINT8" and net.chance(0.7))
    scales = np.atleast_1d(np.asarray(w.spec.scale, np.float32))
    typical = x.reach / x.quant[0] * 75.0 * terms**0.5
    bias_kind = np.dtype(np.int32) if x.kind != "INT16" or net.chance(0.2) else np.dtype(np.int64)
    fields = {"quantized_bias_type": INT32_OF_SCHEMA} if x.kind == "INT16" and bias_kind == np.int32 else {}
    bias = None
    if net.chance(0.85):
        rng = np.random.default_rng(net.random.getrandbits(64))
        most = min(int(typical * net.random.choice((0.1, 1, 3))) + 1, 2**30)
        data = rng.integers(-most, most, outputs, endpoint=True).astype(bias_kind)
        bias_scale = (np.float32(x.quant[0]) * scales).astype(np.float32)
        scale = bias_scale if len(bias_scale) > 1 else float(bias_scale[0])
        bias = net.keep(TensorSpec(net.name("c"), data.shape, data=data, scale=scale))
    return Weights(w, bias, float(x.quant[0] * np.median(scales) * typical), fields)


def _filters(net: Network, kind: str, shape: list[int], axis: int, *, per_channel: bool) -> Value:
    """Weights of eight bits, a shared constant where it fits."""
    narrow = kind == "INT8" and net.chance(0.15)
    if narrow or not per_channel:
        scale = float(np.float32(np.exp(net.random.uniform(-11, -4))))
        if narrow:
            return net.keep(_narrow(net, shape, axis, scale, per_channel=per_channel))
        own = "UINT8" if kind == "UINT8" else "INT8"
        return net.constant(own, shape, (scale, 128 if own == "UINT8" else 0))
    rng = np.random.default_rng(net.random.getrandbits(64))
    scale = np.exp(rng.uniform(-8, -2, shape[axis]))
    if net.chance(0.15):
        scale *= np.exp(rng.uniform(-8, 3, shape[axis]))
    spec = TensorSpec(
        net.name("c"), tuple(shape), data=net.numbers("INT8", shape), scale=scale.astype(np.float32), axis=axis
    )
    return net.keep(spec)


def _narrow(net: Network, shape: list[int], axis: int, scale: float, *, per_channel: bool) -> TensorSpec:
    """Weights of four bits."""
    rng = np.random.default_rng(net.random.getrandbits(64))
    data = rng.integers(-8, 7, shape, endpoint=True).astype(np.int8)
    scales = (16 * scale * np.exp(rng.uniform(-1, 1, shape[axis] if per_channel else 1))).astype(np.float32)
    return TensorSpec(net.name("c"), tuple(shape), "INT4", data, scales, axis=axis if per_channel else 0)


def _operands(*operands: Value | None) -> list[Value | None]:
    """Operands without the ones left out at the end."""
    return list(operands if operands[-1] is not None else operands[:-1])


def _sides(x: Value) -> tuple[int, int]:
    return x.shape[1], x.shape[2]


def _conv(net: Network) -> None:
    x = net.image(net.kind(*PLAIN))
    place = window(net, _sides(x), dilated=True)
    channels = x.shape[3]
    groups = net.random.choice([n for n in (1, 2, 3, 4) if channels % n == 0]) if net.chance(0.15) else 1
    outputs, depth = groups * net.random.choice((1, 2, 3, 4, 5, 8, 9)), channels // groups
    w = weights(net, x, [outputs, *place.kernel, depth], 0, depth * prod(place.kernel))
    y = net.result(x.kind, [x.shape[0], *place.places, outputs], net.near(x.kind, w.reach))
    fields: dict[str, Any] = {**place.with_dilations, **w.fields, "fused_activation_function": activation(net)}
    net.add("CONV_2D", _operands(x, w.w, w.b), [y], **fields)


def _depthwise(net: Network) -> None:
    x = net.image(net.kind(*PLAIN))
    place = window(net, _sides(x), dilated=True)
    multiplier = net.random.choice((1, 1, 1, 2, 3))
    outputs = x.shape[3] * multiplier
    w = weights(net, x, [1, *place.kernel, outputs], 3, prod(place.kernel))
    y = net.result(x.kind, [x.shape[0], *place.places, outputs], net.near(x.kind, w.reach))
    fields: dict[str, Any] = {
        **place.with_dilations,
        "depth_multiplier": multiplier,
        "fused_activation_function": activation(net),
    }
    if w.fields:
        raise Rejected("depthwise convolutions have no type of their sums")
    net.add("DEPTHWISE_CONV_2D", _operands(x, w.w, w.b), [y], **fields)


def _transposed(net: Network) -> None:
    """The result is the image of a convolution, the operand its places."""
    x = net.image(net.kind(*PLAIN))
    kernel = net.random.choice(((1, 1), (2, 2), (3, 3), (2, 3), (4, 2)))
    strides = net.random.choice(((1, 1), (2, 2), (1, 2), (3, 3)))
    padding = net.random.choice((SAME, VALID))
    sides = [
        (size - 1) * stride + net.random.randint(1, stride)
        if padding == SAME
        else (size - 1) * stride + reach + net.random.randint(0, stride - 1)
        for size, stride, reach in zip(_sides(x), strides, kernel, strict=True)
    ]
    outputs = net.random.choice((1, 2, 3, 4, 8))
    w = weights(net, x, [outputs, *kernel, x.shape[3]], 0, 2 * x.shape[3])
    if w.fields:
        raise Rejected("transposed convolutions have no type of their sums")
    shape = [x.shape[0], *sides, outputs]
    y = net.result(x.kind, shape, net.near(x.kind, w.reach))
    fields: dict[str, Any] = {"padding": padding, "stride_h": strides[0], "stride_w": strides[1]}
    fields["fused_activation_function"] = activation(net)
    net.add("TRANSPOSE_CONV", _operands(net.known(shape), w.w, x, w.b), [y], **fields)


def _dense(net: Network) -> None:
    x = net.any(net.kind(*PLAIN), wanted=lambda each: each.shape[-1] <= 128)
    depth, outputs = x.shape[-1], net.random.choice((1, 2, 3, 4, 5, 8, 10, 16))
    computed = net.existing(x.kind, lambda each: each.rank == 2 and each.shape[1] == depth and each.shape[0] <= 16)
    if computed is not None and x.kind in ("INT8", "FLOAT32") and net.chance(0.3):
        outputs = computed.shape[0]
        w = Weights(computed, None, 0.3 * x.reach * computed.reach * depth**0.5, {})
    else:
        w = weights(net, x, [outputs, depth], 0, depth, per_channel=net.chance(0.3))
    keep = net.chance(0.5)
    outer = list(x.shape[:-1]) if keep else [prod(x.shape[:-1])]
    y = net.result(x.kind, [*outer, outputs], net.near(x.kind, w.reach))
    fields: dict[str, Any] = {"keep_num_dims": keep, **w.fields, "fused_activation_function": activation(net)}
    net.add("FULLY_CONNECTED", [x, w.w, w.b], [y], **fields)


def _batch_matmul(net: Network) -> None:
    a = net.any(net.kind("INT8", "INT16", "FLOAT32"), least=2, most=4)
    adj_x, adj_y = net.chance(0.3), net.chance(0.5)
    rows, depth = a.shape[-2:][::-1] if adj_x else a.shape[-2:]
    columns = net.random.choice((1, 2, 3, 4, 8, 9))
    outer = [1 if net.chance(0.2) else size for size in a.shape[:-2]]

    def fits(each: Value) -> bool:
        return each.rank == a.rank and each.shape[:-2] == a.shape[:-2] and each.shape[-1 if adj_y else -2] == depth

    b = net.existing(a.kind, fits) if net.chance(0.6) else None
    if b is None:
        b = net.either(a.kind, [*outer, *((columns, depth) if adj_y else (depth, columns))])
    columns = b.shape[-2 if adj_y else -1]
    reach = 0.3 * a.reach * b.reach * depth**0.5
    shape = [*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), rows, columns]
    y = net.result(a.kind, shape, net.near(a.kind, reach))
    net.add("BATCH_MATMUL", [a, b], [y], adj_x=adj_x, adj_y=adj_y)


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    "BATCH_MATMUL": _batch_matmul,
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _depthwise,
    "FULLY_CONNECTED": _dense,
    "TRANSPOSE_CONV": _transposed,
}
