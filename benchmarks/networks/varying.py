"""Networks that take inputs of any size within bounds: a dimension has a name, not a number, as exporters write it."""

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

import onnx

from benchmarks.networks.builder import Network, Value
from benchmarks.networks.sequences import number
from benchmarks.networks.signals import recurrent
from s2s.types.sizes import SizeRange


class Varying(NamedTuple):
    """A network, the name of its open dimension, the bounds of that, and the axes of its input that have it."""

    model: onnx.ModelProto
    name: str
    bounds: SizeRange
    axes: tuple[int, ...]

    def with_batch(self, name: str, axis: int) -> onnx.ModelProto:
        """Return a network whose axis `axis` of one element is open as well."""
        model = onnx.ModelProto()
        model.CopyFrom(self.model)
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = name
        return model


def opened(net: Network, name: str, bounds: SizeRange, axes: Sequence[int], *outputs: Value) -> Varying:
    """Return the network that computes `outputs`, with a name for these axes of its input."""
    model = net.model(*outputs)
    for axis in axes:
        model.graph.input[0].type.tensor_type.shape.dim[axis].dim_param = name
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    return Varying(model, name, bounds, tuple(axes))


def encoder_layer(net: Network, x: Value, count: int) -> Value:
    """Attention and two dense layers, each after a norm. Reshapes leave the batch and the number of steps open."""
    features = x.shape[-1]
    normed = net.layer_norm(x)
    parts = [net.reshape(net.linear(normed, features), 0, -1, count, features // count) for _ in range(3)]
    turned = [net.transpose(part, *order) for part, order in zip(parts, _ORDERS, strict=True)]
    scores = net.op("Div", net.op("MatMul", *turned[:2]), number(net, sqrt(features // count)))
    mixed = net.transpose(net.op("MatMul", net.op("Softmax", scores, axis=-1), turned[2]), 0, 2, 1, 3)
    x = net.add(x, net.linear(net.reshape(mixed, 0, -1, features), features))
    return net.add(x, net.linear(net.gelu(net.linear(net.layer_norm(x), 4 * features)), features))


_ORDERS = ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3))
"""Heads before steps; keys transposed."""


def encoder() -> Varying:
    """Four layers of a transformer over 1 to 128 steps."""
    net, bounds = Network("encoder"), SizeRange(1, 128)
    x = net.input(1, bounds.most, 256)
    for _ in range(4):
        x = encoder_layer(net, x, 4)
    return opened(net, "sequence", bounds, [1], net.layer_norm(x))


def recogniser() -> Varying:
    """Lines of text, 48 pixels high and 32 to 640 wide: convolutions that halve the width twice, an encoder layer over
    the columns, and 97 classes for each, for CTC."""
    net, bounds = Network("recogniser"), SizeRange(32, 640)
    x = net.relu(net.conv(net.input(1, 3, 48, bounds.most), 32, 3, 2))
    x = net.max_pool(net.relu(net.conv(x, 64, 3)), 2, 2)
    x = net.relu(net.conv(x, 128, 3))
    for channels in (128, 192):
        shorter = net.op(
            "Conv", x, net.weights(x.channels, 1, 5, 5, fan=25), group=x.channels, strides=[2, 1], pads=[2] * 4
        )
        x = net.hard_swish(net.conv(shorter, channels))
    x = net.op("Squeeze", net.conv(x, 192, (3, 1), pads=[0] * 4), net.integers(2))
    x = encoder_layer(net, net.transpose(x, 0, 2, 1), 4)
    return opened(net, "width", bounds, [3], net.op("Softmax", net.linear(net.layer_norm(x), 97), axis=-1))


def _centred(net: Network, x: Value, channels: int, window: int, stride: int, groups: int = 1) -> Value:
    """A convolution whose padding follows from the size, as TensorFlow writes it, and a clamp."""
    weights = net.weights(channels, x.channels // groups, window, window, fan=window * window * x.channels // groups)
    settings = {"strides": [stride] * 2, "group": groups, "auto_pad": "SAME_UPPER"}
    return net.relu(net.op("Conv", x, weights, net.weights(channels, fan=100), **settings))


def mobilenet() -> Varying:
    """Square pictures, 64 to 192 pixels wide: inverted residuals with depthwise convolutions, as in MobileNetV2,
    that halve the size five times with padding `SAME`."""
    net, bounds = Network("mobilenet"), SizeRange(64, 192)
    x = _centred(net, net.input(1, 3, bounds.most, bounds.most), 16, 3, 2)
    for channels, stride, count in ((24, 2, 2), (32, 2, 3), (64, 2, 3), (96, 1, 2), (160, 2, 2)):
        for repeat in range(count):
            inner = _centred(
                net, net.relu(net.conv(x, 6 * x.channels)), 6 * x.channels, 3, 1 if repeat else stride, 6 * x.channels
            )
            y = net.conv(inner, channels)
            x = net.add(x, y) if repeat else y
    return opened(net, "size", bounds, [2, 3], net.classes(net.relu(net.conv(x, 640)), 100))


def lstm() -> Varying:
    """Two bidirectional LSTM layers over 1 to 64 steps, and a label for each step."""
    net, bounds = Network("lstm"), SizeRange(1, 64)
    x = net.input(bounds.most, 1, 80)
    for _ in range(2):
        x = recurrent(net, "LSTM", x, 128, 2)
    return opened(net, "steps", bounds, [0], net.linear(x, 32))


NETWORKS: Mapping[str, Callable[[], Varying]] = {
    function.__name__: function for function in (encoder, recogniser, mobilenet, lstm)
}
