"""Convolutions, pools and normalisations."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from s2s.fuzz.arrays import ALL, FLOATS, DType, draw_array
from s2s.fuzz.network import Attributes, Network, Rejected, Value
from s2s.support.frozen import frozen


@frozen
class _Window:
    kernel: list[int]
    attributes: Attributes


def _image(net: Network, op: str, among: tuple[DType, ...] = ALL) -> Value:
    dtype = net.dtype(op, among=among)
    spatial = net.random.choice((1, 2, 2, 2, 3))

    def fits(value: Value) -> bool:
        return len(value.shape) == spatial + 2 and 0 not in value.shape

    found = net.existing(dtype, fits)
    if found is not None and net.chance(0.8):
        return found
    shape = [
        net.random.choice((1, 1, 1, 2)),
        net.random.choice((1, 2, 3, 4, 6, 8, 16, 17)),
        *(net.random.choice((1, 3, 4, 5, 7, 8, 9, 12)) for _ in range(spatial)),
    ]
    if np.prod(shape) > 4096:
        raise Rejected("the image is large")
    return net.fresh(dtype, shape)


def _window(net: Network, x: Value, *, dilated: bool = True) -> _Window:
    """A window that fits into the padded image."""
    sizes = x.shape[2:]
    kernel = [net.random.choice((1, 2, 3, 3, 5)) for _ in sizes]
    dilations = [net.random.choice((1, 1, 2)) if dilated and net.chance(0.3) else 1 for _ in sizes]
    extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    attributes: Attributes = {}
    if net.chance(0.7):
        attributes["strides"] = [net.random.choice((1, 1, 2, 3)) for _ in sizes]
    if any(each != 1 for each in dilations):
        attributes["dilations"] = dilations
    auto = net.random.choice(("NOTSET", "NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"))
    before, after = ([net.random.randint(0, k - 1) for k in kernel] for _ in range(2))
    if auto.startswith("SAME") and "dilations" in attributes:
        raise Rejected("onnxruntime pads a dilated window as one that is not")
    strides = attributes.get("strides", [1] * len(sizes))
    if auto.startswith("SAME") and any(
        (size - 1) % s + 1 > k for size, s, k in zip(sizes, strides, kernel, strict=True)
    ):
        raise Rejected("the padding is negative: onnxruntime refuses it, the reference evaluator crops the image")
    if auto != "NOTSET":
        attributes["auto_pad"] = auto
        before = after = [0 if auto == "VALID" else extent for extent in extents]
    else:
        attributes["pads"] = [*before, *after]
    if any(size + b + a < extent for size, b, a, extent in zip(sizes, before, after, extents, strict=True)):
        raise Rejected("the window is larger than the image")
    return _Window(kernel, attributes)


def _conv(net: Network) -> None:
    x = _image(net, "Conv")
    window = _window(net, x)
    channels = x.shape[1]
    group = net.random.choice([each for each in range(1, channels + 1) if channels % each == 0])
    out = group * net.random.choice((1, 1, 2, 3, 4, 8))
    if out * channels // group * int(np.prod(window.kernel)) > 4096:
        raise Rejected("the weights are large")
    w = net.operand(x.dtype, [out, channels // group, *window.kernel])
    bias = net.operand(x.dtype, [out]) if net.chance(0.6) else None
    net.node("Conv", [x, w, bias], group=group, kernel_shape=window.kernel, **window.attributes)


def _conv_transpose(net: Network) -> None:
    x = _image(net, "ConvTranspose")
    window = _window(net, x)
    if "auto_pad" in window.attributes:
        raise Rejected("engines differ in how they pad transposed convolutions by themselves")
    channels = x.shape[1]
    group = net.random.choice([each for each in range(1, channels + 1) if channels % each == 0])
    per_group = net.random.choice((1, 2, 3, 4))
    w = net.operand(x.dtype, [channels, per_group, *window.kernel])
    bias = net.operand(x.dtype, [group * per_group]) if net.chance(0.6) else None
    strides = window.attributes.get("strides", [1] * len(window.kernel))
    extra = [net.random.randint(0, stride - 1) for stride in strides]
    more: Attributes = {"output_padding": extra} if net.chance(0.3) else {}
    [y] = net.node("ConvTranspose", [x, w, bias], group=group, kernel_shape=window.kernel, **window.attributes, **more)
    if 0 in y.shape:
        raise Rejected("the padding leaves nothing")


def _conv_integer(net: Network) -> None:
    x = _image(net, "ConvInteger")
    window = _window(net, x)
    w = net.operand(net.dtype("ConvInteger", 1), [net.random.choice((1, 2, 5, 8)), x.shape[1], *window.kernel])
    zero = net.constant(draw_array(net.random, x.dtype, [])) if net.chance(0.6) else None
    net.node("ConvInteger", [x, w, zero], kernel_shape=window.kernel, **window.attributes)


def _pool(net: Network, op: str) -> None:
    x = _image(net, op)
    window = _window(net, x, dilated=op == "MaxPool" or net.opset >= 19)
    if "dilations" in window.attributes and any(window.attributes.get("pads", ())):
        raise Rejected("a window may hold nothing but padding")
    more: Attributes = {}
    if op == "AveragePool" and net.chance(0.5):
        more["count_include_pad"] = net.random.randint(0, 1)
    if op in ("AveragePool", "LpPool") and x.dtype == np.float64 and "auto_pad" in window.attributes:
        raise Rejected  # the reference evaluator takes no notice of dilations there
    if op == "LpPool":
        more["p"] = net.random.choice((1, 2, 3))
    elif "auto_pad" not in window.attributes and net.chance(0.2):
        more["ceil_mode"] = 1
    outputs = 2 if op == "MaxPool" and net.chance(0.2) else 1
    net.node(op, [x], outputs, kernel_shape=window.kernel, **window.attributes, **more)


def _global(net: Network, op: str) -> None:
    x = _image(net, op)
    if op == "GlobalMaxPool" and x.dtype == np.float64 and len(x.shape) != 4:
        raise Rejected  # the reference evaluator reduces two dimensions whatever the rank
    net.node(op, [x])


def _batch_norm(net: Network) -> None:
    x = net.of_rank(net.dtype("BatchNormalization", among=FLOATS), 2, 5)
    scale, bias, mean = (net.fresh(x.dtype, [x.shape[1]]) for _ in range(3))
    variance = net.fresh(x.dtype, [x.shape[1]], 0.25, 3.0)
    net.node("BatchNormalization", [x, scale, bias, mean, variance], epsilon=net.random.choice((1e-5, 1e-3, 0.1)))


_STASHED = tuple(each for each in FLOATS if each != np.float64)
"""Normalisations compute in 32 bits, of longer floats as well, unless an engine knows better."""


def _layer_norm(net: Network, op: str) -> None:
    x = net.of_rank(net.dtype(op, among=_STASHED), 1)
    axis = net.axis(x)
    shape = x.shape[axis % len(x.shape) :]
    scale = net.operand(x.dtype, shape)
    bias = net.operand(x.dtype, shape) if op == "LayerNormalization" and net.chance(0.6) else None
    net.node(op, [x, scale, bias], axis=axis, epsilon=net.random.choice((1e-5, 1e-3, 0.1)))


def _instance_norm(net: Network) -> None:
    x = _image(net, "InstanceNormalization")
    scale, bias = (net.operand(x.dtype, [x.shape[1]]) for _ in range(2))
    net.node("InstanceNormalization", [x, scale, bias], epsilon=net.random.choice((1e-3, 0.1)))


def _group_norm(net: Network) -> None:
    x = _image(net, "GroupNormalization", _STASHED)
    channels = x.shape[1]
    groups = net.random.choice([each for each in range(1, channels + 1) if channels % each == 0])
    size = channels if net.opset >= 21 else groups
    scale, bias = (net.operand(x.dtype, [size]) for _ in range(2))
    net.node("GroupNormalization", [x, scale, bias], num_groups=groups, epsilon=net.random.choice((1e-3, 0.1)))


def _lrn(net: Network) -> None:
    x = _image(net, "LRN", _STASHED)
    net.node("LRN", [x], size=net.random.choice((1, 3, 5)), alpha=net.random.uniform(0.01, 1), bias=1.0)


OPERATORS: Mapping[str, Callable[[Network], object]] = {
    **{op: partial(_pool, op=op) for op in ("AveragePool", "MaxPool", "LpPool")},
    **{op: partial(_global, op=op) for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")},
    **{op: partial(_layer_norm, op=op) for op in ("LayerNormalization", "RMSNormalization")},
    "BatchNormalization": _batch_norm,
    "Conv": _conv,
    "ConvInteger": _conv_integer,
    "ConvTranspose": _conv_transpose,
    "GroupNormalization": _group_norm,
    "InstanceNormalization": _instance_norm,
    "LRN": _lrn,
}
