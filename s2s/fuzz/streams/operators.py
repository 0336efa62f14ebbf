"""The operators that networks over sliding windows are drawn of."""

from collections.abc import Callable, Mapping

import numpy as np
from onnx import TensorProto, helper

from s2s.fuzz.streams.network import StreamNetwork, Value

Draw = Callable[[StreamNetwork, Value], None]
"""Adds an operator that reads a value."""


def _conv(net: StreamNetwork, x: Value) -> None:
    taps, dilation, stride = net.random.choice((1, 2, 3, 3)), net.random.choice((1, 1, 2)), net.random.choice((1, 1, 2))
    reach = (taps - 1) * dilation
    pads = net.random.choice(([0, 0], [0, 0], [reach, 0], [reach // 2, reach - reach // 2]))
    frames = (x.frames + sum(pads) - reach - 1) // stride + 1
    if frames < 1:
        return
    is_depthwise = net.random.random() < 0.3
    channels = x.channels if is_depthwise else net.random.choice((1, 2, 3, 4))
    weights = net.parameter((channels, 1 if is_depthwise else x.channels, taps))
    bias = [net.parameter((channels,))] if net.random.random() < 0.5 else []
    group = x.channels if is_depthwise else 1
    attributes = {"pads": pads, "strides": [stride], "dilations": [dilation], "group": group, "kernel_shape": [taps]}
    net.add(net.op("Conv", x.name, weights, *bias, **attributes), channels, frames)


def _pool(net: StreamNetwork, x: Value) -> None:
    taps, stride = net.random.choice((2, 3)), net.random.choice((1, 1, 2))
    pads = net.random.choice(([0, 0], [taps - 1, 0], [1, 1]))
    if x.frames + sum(pads) < taps:
        return
    frames = (x.frames + sum(pads) - taps) // stride + 1
    kind = net.random.choice(("MaxPool", "AveragePool"))
    made = net.op(kind, x.name, kernel_shape=[taps], strides=[stride], pads=pads)
    net.add(made, x.channels, frames)


def _unary(net: StreamNetwork, x: Value) -> None:
    kind = net.random.choice(("Relu", "Sigmoid", "Tanh", "Abs", "Neg", "LeakyRelu", "HardSigmoid", "Elu", "Identity"))
    net.add(net.op(kind, x.name), *x.shape[1:])


def _binary(net: StreamNetwork, x: Value) -> None:
    kind = net.random.choice(("Add", "Sub", "Mul", "Max", "Min"))
    operands = [x.name, net.beside(x)]
    if net.random.random() < 0.3:
        operands.reverse()
    net.add(net.op(kind, *operands), *x.shape[1:])


def _divided(net: StreamNetwork, x: Value) -> None:
    divisor = net.op("Add", net.op("Abs", net.beside(x)), net.constant(0.5, np.float32))
    net.add(net.op("Div", x.name, divisor), *x.shape[1:])


def _chosen(net: StreamNetwork, x: Value) -> None:
    kind = net.random.random()
    if kind < 0.4:
        condition = net.input(net.shape_beside(x), TensorProto.BOOL)
    else:
        condition = net.op("Greater", net.random.choice((x.name, net.beside(x))), net.constant(0.25, np.float32))
    net.add(net.op("Where", condition, x.name, net.beside(x)), *x.shape[1:])


def _clipped(net: StreamNetwork, x: Value) -> None:
    low = net.constant(-0.5, np.float32) if net.random.random() < 0.5 else net.parameter(())
    high = net.constant(0.5, np.float32) if net.random.random() < 0.5 else net.parameter(())
    net.add(net.op("Clip", x.name, low, net.op("Max", low, high)), *x.shape[1:])


def _sloped(net: StreamNetwork, x: Value) -> None:
    net.add(net.op("PRelu", x.name, net.parameter((x.channels, 1))), *x.shape[1:])


def _squeezed(net: StreamNetwork, x: Value) -> None:
    """Squeeze and excite."""
    mean = net.op("GlobalAveragePool", x.name)
    inner = net.op("Relu", net.op("Conv", mean, net.parameter((2, x.channels, 1))))
    gate = net.op("Sigmoid", net.op("Conv", inner, net.parameter((x.channels, 2, 1))))
    net.add(net.op("Mul", x.name, gate), *x.shape[1:])


def _normed_over_time(net: StreamNetwork, x: Value) -> None:
    if net.random.random() < 0.4:
        scale, bias = net.parameter((x.channels,)), net.parameter((x.channels,))
        net.add(net.op("InstanceNormalization", x.name, scale, bias, epsilon=0.1), *x.shape[1:])
        return
    centred = net.op("Sub", x.name, net.op("ReduceMean", x.name, axes=[2]))
    if net.random.random() < 0.5:
        net.add(centred, *x.shape[1:])
        return
    variance = net.op("ReduceMean", net.op("Mul", centred, centred), axes=[2])
    deviation = net.op("Add", net.op("Sqrt", variance), net.constant(0.5, np.float32))
    net.add(net.op("Div", centred, deviation), *x.shape[1:])


def _normed(net: StreamNetwork, x: Value) -> None:
    parameters = [net.parameter((x.channels,)) for _ in range(3)]
    variance = net.op("Add", net.op("Abs", net.parameter((x.channels,))), net.constant(0.5, np.float32))
    net.add(net.op("BatchNormalization", x.name, *parameters, variance), *x.shape[1:])


def _layer_normed(net: StreamNetwork, x: Value) -> None:
    rows = net.op("Transpose", x.name, perm=[0, 2, 1])
    normed = net.op("LayerNormalization", rows, net.parameter((x.channels,)), axis=-1, epsilon=0.1)
    net.add(net.op("Transpose", normed, perm=[0, 2, 1]), *x.shape[1:])


def _softmax(net: StreamNetwork, x: Value) -> None:
    net.add(net.op("Softmax", x.name, axis=net.random.choice((1, 2))), *x.shape[1:])


def _summed(net: StreamNetwork, x: Value) -> None:
    axis = net.constant(net.random.choice((1, 2)))
    scale = net.constant(0.25, np.float32)
    net.add(net.op("Mul", net.op("CumSum", x.name, axis), scale), *x.shape[1:])


def _joined(net: StreamNetwork, x: Value) -> None:
    other = net.existing(lambda each: each.frames == x.frames)
    kind = net.random.random()
    if other is not None and kind < 0.6:
        net.add(net.op("Concat", x.name, other.name, axis=1), x.channels + other.channels, x.frames)
    elif kind < 0.8:
        net.add(net.op("Concat", x.name, net.parameter((1, 2, x.frames)), axis=1), x.channels + 2, x.frames)
    else:
        net.add(net.op("Concat", x.name, net.parameter((1, x.channels, 2)), axis=2), x.channels, x.frames + 2)


def _sliced(net: StreamNetwork, x: Value) -> None:
    begin, stride = net.random.randrange(max(1, x.frames // 2)), net.random.choice((1, 1, 1, 2))
    end = x.frames - net.random.choice((0, 0, 1)) * (x.frames - begin > 1)
    frames = (end - begin + stride - 1) // stride
    net.add(net.sliced(x.name, begin, end, 2, stride), x.channels, frames)


def _last(net: StreamNetwork, x: Value) -> None:
    count = net.random.randint(1, min(4, x.frames))
    net.add(net.sliced(x.name, x.frames - count, x.frames, 2), x.channels, count)


def _gathered(net: StreamNetwork, x: Value) -> None:
    if net.random.random() < 0.6:
        places = [net.random.randrange(x.channels) for _ in range(2)]
        net.add(net.op("Gather", x.name, net.constant(places), axis=1), 2, x.frames)
    else:
        places = [net.random.randrange(x.frames) for _ in range(3)]
        net.add(net.op("Gather", x.name, net.constant(places), axis=2), x.channels, 3)


def _padded(net: StreamNetwork, x: Value) -> None:
    pads, mode = net.random.choice(([0, 0, 2, 0, 0, 0], [0, 0, 1, 0, 0, 1])), net.random.choice(("constant", "edge"))
    net.add(net.op("Pad", x.name, net.constant(pads), mode=mode), x.channels, x.frames + pads[2] + pads[5])


def _product(net: StreamNetwork, x: Value) -> None:
    """A product of each frame with a matrix, or of the frames of all channels with one."""
    if net.random.random() < 0.7:
        rows = net.op("Transpose", x.name, perm=[0, 2, 1])
        made = net.op("MatMul", rows, net.parameter((x.channels, 3)))
        net.add(net.op("Transpose", made, perm=[0, 2, 1]), 3, x.frames)
    elif x.frames <= 12:
        net.add(net.op("MatMul", x.name, net.parameter((x.frames, 4))), x.channels, 4)


def _attention(net: StreamNetwork, x: Value) -> None:
    rows = net.op("Transpose", x.name, perm=[0, 2, 1])
    queries, keys = (net.op("MatMul", rows, net.parameter((x.channels, 2))) for _ in range(2))
    scores = net.op("Softmax", net.op("MatMul", queries, net.op("Transpose", keys, perm=[0, 2, 1])), axis=-1)
    net.add(net.op("Transpose", net.op("MatMul", scores, rows), perm=[0, 2, 1]), *x.shape[1:])


def _recurrent(net: StreamNetwork, x: Value) -> None:
    hidden, steps = 2, net.op("Transpose", x.name, perm=[2, 0, 1])
    weights = net.parameter((1, 3 * hidden, x.channels)), net.parameter((1, 3 * hidden, hidden))
    made, _ = net.ops("GRU", steps, *weights, outputs=2, hidden_size=hidden)
    net.add(net.op("Transpose", net.op("Squeeze", made, net.constant([1])), perm=[1, 2, 0]), hidden, x.frames)


def _branched(net: StreamNetwork, x: Value) -> None:
    """An If of an input, whose branches read the window."""
    condition = net.op("Greater", net.op("ReduceMax", net.parameter((2,)), keepdims=0), net.constant(0, np.float32))
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name in ("then", "else")]
    branches = [
        helper.make_graph([helper.make_node(kind, [x.name], [port.name])], port.name, [], [port])
        for kind, port in zip(("Relu", "Neg"), info, strict=True)
    ]
    net.add(net.op("If", condition, then_branch=branches[0], else_branch=branches[1]), *x.shape[1:])


def _quantised(net: StreamNetwork, x: Value) -> None:
    """To bytes and back, by a scale that is a constant or an input, or by one that is found in the run."""
    kind = net.random.random()
    if kind < 0.2:
        code, scale, zero = net.ops("DynamicQuantizeLinear", x.name, outputs=3)
    else:
        given = net.constant(0.0625, np.float32) if kind < 0.7 else net.op("Abs", net.input(()))
        scale = net.op("Max", given, net.constant(0.03125, np.float32)) if kind >= 0.7 else given
        zero = net.constant(3, np.int8)
        code = net.op("QuantizeLinear", x.name, scale, zero)
    net.add(net.op("DequantizeLinear", code, scale, zero), *x.shape[1:])


def _scattered(net: StreamNetwork, x: Value) -> None:
    places = net.constant([[0, c, net.random.randrange(x.frames)] for c in range(x.channels)])
    net.add(net.op("ScatterND", x.name, places, net.parameter((x.channels,))), *x.shape[1:])


def _image(net: StreamNetwork, x: Value) -> None:
    """A convolution over an image of one row, by reshapes."""
    if x.frames < 3:
        return
    image = net.op("Reshape", x.name, net.constant([1, x.channels, x.frames, 1]))
    made = net.op("Conv", image, net.parameter((2, x.channels, 3, 1)), kernel_shape=[3, 1])
    net.add(net.op("Reshape", made, net.constant([1, 2, x.frames - 2])), 2, x.frames - 2)


def _mixed(net: StreamNetwork, x: Value) -> None:
    """One channel of all."""
    net.add(net.op(net.random.choice(("ReduceMean", "ReduceMax")), x.name, axes=[1]), 1, x.frames)


OPERATORS: Mapping[str, Draw] = {
    "convolution": _conv,
    "pool": _pool,
    "unary": _unary,
    "binary": _binary,
    "division": _divided,
    "choice": _chosen,
    "clip": _clipped,
    "prelu": _sloped,
    "squeeze and excite": _squeezed,
    "norm over time": _normed_over_time,
    "batch norm": _normed,
    "layer norm": _layer_normed,
    "softmax": _softmax,
    "cumulative sum": _summed,
    "concatenation": _joined,
    "slice": _sliced,
    "last frames": _last,
    "gather": _gathered,
    "pad": _padded,
    "product": _product,
    "attention": _attention,
    "recurrent layer": _recurrent,
    "branch": _branched,
    "quantisation": _quantised,
    "scatter": _scattered,
    "reshaped convolution": _image,
    "channel mean": _mixed,
}
OFTEN = ("convolution", "convolution", "convolution", "binary", "binary", "unary")
"""Entries that are drawn more often."""
