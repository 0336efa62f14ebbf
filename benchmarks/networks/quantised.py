"""Networks in the forms that onnxruntime's tools quantise them to: QDQ and QOperator, bytes with and without a sign,
statically and dynamically, beside onnxruntime on the same model."""
# The types of onnxruntime are partly unknown, and its reader may return None, whatever it says.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportIncompatibleMethodOverride=false

import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from onnxruntime import quantization as engine

from benchmarks.networks.builder import Network, Value
from s2s.support.logs import errors_only
from s2s.types.dtypes import Array

Make = Callable[[], onnx.ModelProto]
SAMPLES = 4
SIGNED, UNSIGNED = engine.QuantType.QInt8, engine.QuantType.QUInt8
QDQ, OPERATORS = engine.QuantFormat.QDQ, engine.QuantFormat.QOperator


def residual() -> onnx.ModelProto:
    """Residual blocks of 3x3 convolutions, as in ResNets."""
    net = Network("residual")
    x = net.max_pool(net.relu(net.conv(net.input(1, 3, 112, 112), 64, 7, 2)), 3, 2, 1)
    for channels, stride in ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1)):
        y = net.conv(net.relu(net.conv(x, channels, 3, stride)), channels, 3)
        x = net.relu(net.add(y, x if stride == 1 else net.conv(x, channels, 1, 2)))
    return net.model(net.classes(x, 100))


def inverted() -> onnx.ModelProto:
    """Inverted residuals with depthwise convolutions, as in MobileNetV2."""
    net = Network("inverted")
    x = net.relu(net.conv(net.input(1, 3, 96, 96), 32, 3, 2))
    for channels, stride in ((16, 1), (24, 2), (24, 1), (32, 2), (32, 1), (64, 2), (64, 1), (96, 1), (160, 2)):
        wide = 6 * x.channels
        y = net.relu(net.conv(net.relu(net.conv(x, wide)), wide, 3, stride, groups=wide))
        y = net.conv(y, channels)
        x = net.add(x, y) if stride == 1 and channels == x.channels else y
    return net.model(net.classes(net.relu(net.conv(x, 640)), 100))


def grouped() -> onnx.ModelProto:
    """Bottlenecks with grouped convolutions, as in ResNeXt."""
    net = Network("grouped")
    x = net.relu(net.conv(net.input(1, 3, 64, 64), 64, 3, 2))
    for channels, stride in ((128, 1), (128, 1), (256, 2), (256, 1)):
        y = net.relu(net.conv(net.relu(net.conv(x, channels // 2)), channels // 2, 3, stride, groups=8))
        y = net.conv(y, channels)
        x = net.relu(net.add(y, x if x.channels == channels else net.conv(x, channels, 1, stride)))
    return net.model(net.classes(x, 100))


def grouped_wide() -> onnx.ModelProto:
    """Many groups of few channels each, as in the last stages of RegNets."""
    net = Network("grouped_wide")
    x = net.relu(net.conv(net.input(1, 3, 28, 28), 512, 1, 2))
    for _ in range(2):
        y = net.relu(net.conv(x, 512, 3, groups=32))
        x = net.relu(net.add(x, net.conv(y, 512)))
    return net.model(net.classes(x, 100))


def dense_parts() -> onnx.ModelProto:
    """Concatenations, average pools, and gates of squeeze and excitation with sigmoids."""
    net = Network("dense_parts")
    x = net.relu(net.conv(net.input(1, 3, 64, 64), 48, 3, 2))
    for _ in range(3):
        y = net.relu(net.conv(net.relu(net.conv(x, 64)), 32, 3))
        gate = net.op("Sigmoid", net.conv(net.relu(net.conv(net.op("GlobalAveragePool", y), 8)), 32))
        x = net.concat(x, net.op("Mul", y, gate))
    x = net.op("AveragePool", net.silu(net.conv(x, 96)), kernel_shape=[2, 2], strides=[2, 2])
    return net.model(net.classes(net.relu(net.conv(x, 160, 3)), 100))


def transformer(blocks: int = 2, steps: int = 64, width: int = 128) -> onnx.ModelProto:
    """Encoder blocks with attention of four heads."""
    net = Network("transformer")
    x = net.input(1, steps, width)
    for _ in range(blocks):
        x = net.layer_norm(net.add(x, net.linear(_attention(net, x, 4), width)))
        x = net.layer_norm(net.add(x, net.linear(net.gelu(net.linear(x, 4 * width)), width)))
    return net.model(x)


def lstm(steps: int = 4, features: int = 16, units: int = 32) -> onnx.ModelProto:
    """An LSTM from a state of zeros, step by step; onnxruntime does not quantise the operator LSTM."""
    net = Network("lstm")
    x = net.input(1, steps, features)
    hidden = cell = None
    for step in range(steps):
        now = net.reshape(net.op("Slice", x, *map(net.integers, (step, step + 1, 1))), 1, features)
        sums = [net.linear(now, units) for _ in range(4)]
        if hidden is not None:
            sums = [net.add(part, net.linear(hidden, units)) for part in sums]
        put, keep, show = (net.op("Sigmoid", part) for part in sums[:3])
        added = net.op("Mul", put, net.op("Tanh", sums[3]))
        cell = added if cell is None else net.add(net.op("Mul", keep, cell), added)
        hidden = net.op("Mul", show, net.op("Tanh", cell))
    assert hidden is not None
    return net.model(hidden)


def _attention(net: Network, x: Value, heads: int) -> Value:
    _, steps, width = x.shape
    size = width // heads
    q, k, v = (net.reshape(net.linear(x, width), 1, steps, heads, size) for _ in range(3))
    scores = net.op("MatMul", net.transpose(q, 0, 2, 1, 3), net.transpose(k, 0, 2, 3, 1))
    scaled = net.op("Mul", scores, net.constant(np.array(size**-0.5, np.float32)))
    mixed = net.op("MatMul", net.op("Softmax", scaled, axis=-1), net.transpose(v, 0, 2, 1, 3))
    return net.reshape(net.transpose(mixed, 0, 2, 1, 3), 1, steps, width)


def perceptron() -> onnx.ModelProto:
    """Dense layers on a batch of rows."""
    net = Network("perceptron")
    x = net.input(8, 256)
    for features in (512, 512, 256):
        x = net.relu(net.linear(x, features))
    return net.model(net.linear(x, 40))


class Samples(engine.CalibrationDataReader):
    """Random inputs that ranges are measured on."""

    def __init__(self, model: onnx.ModelProto) -> None:
        rng = np.random.default_rng(1)
        shapes = {port.name: [dim.dim_value for dim in port.type.tensor_type.shape.dim] for port in model.graph.input}
        self._left: list[dict[str, Array]] = [
            {name: rng.standard_normal(shape, np.float32) for name, shape in shapes.items()} for _ in range(SAMPLES)
        ]

    def get_next(self) -> dict[str, Array] | None:
        return self._left.pop() if self._left else None


def static(
    make: Make,
    activations: engine.QuantType,
    weights: engine.QuantType,
    form: engine.QuantFormat = QDQ,
    *,
    per_channel: bool = False,
) -> onnx.ModelProto:
    """The network with ranges of activations that are measured beforehand."""
    with tempfile.TemporaryDirectory() as folder, errors_only():
        before, after = _prepared(make(), Path(folder))
        engine.quantize_static(
            before,
            after,
            Samples(onnx.load(before)),
            quant_format=form,
            per_channel=per_channel,
            activation_type=activations,
            weight_type=weights,
        )
        return onnx.load(after)


def dynamic(make: Make, weights: engine.QuantType, *, per_channel: bool = False) -> onnx.ModelProto:
    """The network with ranges of activations that each run finds."""
    with tempfile.TemporaryDirectory() as folder, errors_only():
        before, after = _prepared(make(), Path(folder))
        engine.quantize_dynamic(before, after, weight_type=weights, per_channel=per_channel)
        return onnx.load(after)


def _prepared(model: onnx.ModelProto, folder: Path) -> tuple[str, str]:
    """The file of the network, which tells the shape of every tensor, and the file of the quantised one."""
    before, after = folder / "before.onnx", folder / "after.onnx"
    onnx.save(onnx.shape_inference.infer_shapes(model), before)
    return str(before), str(after)


NETWORKS: Mapping[str, Make] = {
    "residual_u8s8_qdq": partial(static, residual, UNSIGNED, SIGNED, per_channel=True),
    "residual_s8s8_qdq": partial(static, residual, SIGNED, SIGNED, per_channel=True),
    "residual_u8u8_operators": partial(static, residual, UNSIGNED, UNSIGNED, OPERATORS),
    "inverted_u8s8_qdq": partial(static, inverted, UNSIGNED, SIGNED, per_channel=True),
    "inverted_s8s8_qdq": partial(static, inverted, SIGNED, SIGNED),
    "inverted_u8u8_qdq": partial(static, inverted, UNSIGNED, UNSIGNED),
    "inverted_u8s8_operators": partial(static, inverted, UNSIGNED, SIGNED, OPERATORS, per_channel=True),
    "grouped_u8s8_qdq": partial(static, grouped, UNSIGNED, SIGNED, per_channel=True),
    "grouped_wide_u8s8_qdq": partial(static, grouped_wide, UNSIGNED, SIGNED, per_channel=True),
    "dense_parts_u8s8_qdq": partial(static, dense_parts, UNSIGNED, SIGNED),
    "dense_parts_u8s8_operators": partial(static, dense_parts, UNSIGNED, SIGNED, OPERATORS),
    "transformer_u8s8_qdq": partial(static, transformer, UNSIGNED, SIGNED),
    "transformer_s8s8_qdq": partial(static, transformer, SIGNED, SIGNED),
    "transformer_dynamic_s8": partial(dynamic, transformer, SIGNED, per_channel=True),
    "transformer_dynamic_u8": partial(dynamic, transformer, UNSIGNED),
    "perceptron_u8s8_qdq": partial(static, perceptron, UNSIGNED, SIGNED),
    "perceptron_dynamic_s8": partial(dynamic, perceptron, SIGNED),
    "inverted_dynamic_u8": partial(dynamic, inverted, UNSIGNED),
}
