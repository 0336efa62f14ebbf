"""A network of convolutions as models of several formats, with planted channels that no kernel need compute.

live = live_layers(draw)                         a chain: 3x3, then pairs of depthwise 3x3 and 1x1 layers
planted = planted_layers(live, draw)             the same numbers from more channels
tflite_model(planted), onnx_model(planted), quantised_onnx_model(planted), torch_module(planted)
quantised_torch_module(planted)
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
import torch.ao.quantization.fx._decomposed  # pyright: ignore[reportUnusedImport]  # registers the operators
from onnx import TensorProto, helper, numpy_helper

from s2s.frontends.tflite.writer import NONE, RELU, SAME, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.types.dtypes import Array

SIDE, COLOURS = 5, 3
INPUT_SCALE, WEIGHT_SCALE, SCALE = 1 / 32, 0.02, 0.05
"""Of the input, of all weights, and of activations, whose zero point is -128."""
FAR_BELOW = -2_000_000
"""A bias that no sum of these layers reaches over."""


_CONVOLUTION = "CONV_2D", "Conv2DOptions"
_DEPTHWISE = "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions"


class PlantedLayer(NamedTuple):
    """A convolution, quantised: filters [outputs, inputs of a group, side, side], and biases."""

    filters: Array
    biases: Array
    depthwise: bool = False
    activated: bool = True

    @property
    def work(self) -> int:
        """Multiply-adds."""
        return self.filters.size * SIDE * SIDE


def live_layers(draw: np.random.Generator, *, pairs: int) -> list[PlantedLayer]:
    """A chain of layers whose channels all are needed."""
    widths = [COLOURS, *draw.integers(2, 7, pairs + 1).tolist()]
    layers = [_layer(draw, (widths[1], widths[0], 3, 3))]
    for inputs, outputs in pairwise(widths[1:]):
        layers += [_layer(draw, (inputs, 1, 3, 3), depthwise=True), _layer(draw, (outputs, inputs, 1, 1))]
    last = _layer(draw, (widths[-1], 1, 3, 3), depthwise=True), _layer(draw, (4, widths[-1], 1, 1))
    return [*layers, last[0], last[1]._replace(activated=False)]


def _layer(draw: np.random.Generator, shape: tuple[int, ...], *, depthwise: bool = False) -> PlantedLayer:
    filters = draw.integers(1, 100, shape) * draw.choice([-1, 1], shape)
    return PlantedLayer(filters.astype(np.int8), draw.integers(200, 3000, shape[0]).astype(np.int32), depthwise)


def planted_layers(live: Sequence[PlantedLayer], draw: np.random.Generator, *, bounded: bool) -> list[PlantedLayer]:
    """The layers with random channels more. Only where the input is `bounded`, biases clamp channels of the first."""
    layers = list(live)
    for first in range(0, len(layers) - 2, 2):
        count = layers[first].filters.shape[0]
        alive = list(range(count))
        for _ in range(int(draw.integers(0, 2 * count + 1))):
            kinds = ["dead", "equal", "unread", *(["clamped"] if bounded or first else [])]
            place = int(draw.integers(layers[first].filters.shape[0] + 1))
            layers[first : first + 3] = _with_channel(
                layers[first : first + 3], str(draw.choice(kinds)), place, alive, draw
            )
            alive = [channel + (channel >= place) for channel in alive]
    return layers


def _with_channel(
    layers: Sequence[PlantedLayer], kind: str, place: int, alive: Sequence[int], draw: np.random.Generator
) -> list[PlantedLayer]:
    """Put a channel between two layers, through the depthwise layer between them. What a constant one adds is taken off
    the biases, so that it clips no channel that is needed."""
    before, between, behind = layers
    row, bias = draw.integers(-99, 100, before.filters.shape[1:]), int(draw.integers(200, 3000))
    taps, offset = draw.integers(-99, 100, (1, 3, 3)), int(draw.integers(-3000, 3000))
    column = draw.integers(-99, 100, behind.filters.shape[0])
    columns, constant = behind.filters.copy(), max(0, round(offset * WEIGHT_SCALE))
    if kind == "dead":
        row, bias = np.zeros_like(row), -bias
    elif kind == "clamped":
        bias = FAR_BELOW
    elif kind == "unread":
        column = np.zeros_like(column)
    else:
        other = int(draw.choice(alive))
        row, bias = before.filters[other], int(before.biases[other])
        taps, offset = between.filters[other], int(between.biases[other])
        column = columns[:, other, 0, 0] // 2
        columns[:, other, 0, 0] -= column
    added = column * constant if kind in ("dead", "clamped") else np.zeros_like(column)
    return [
        before._replace(filters=_insert(before.filters, place, row), biases=_insert(before.biases, place, bias)),
        between._replace(filters=_insert(between.filters, place, taps), biases=_insert(between.biases, place, offset)),
        behind._replace(
            filters=np.insert(columns, place, column[:, None, None].astype(np.int8), axis=1),
            biases=(behind.biases - added).astype(np.int32),
        ),
    ]


def _insert(array: Array, place: int, value: Array | int) -> Array:
    return np.insert(array, place, np.asarray(value).astype(array.dtype), axis=0)


def _bias_scale(number: int) -> float:
    return WEIGHT_SCALE * (INPUT_SCALE if number == 0 else SCALE)


def tflite_model(layers: Sequence[PlantedLayer]) -> bytes:
    """An int8 model of TFLite."""
    tensors = [TensorSpec("x0", (1, SIDE, SIDE, COLOURS), "INT8", scale=INPUT_SCALE)]
    operators: list[OperatorSpec] = []
    for number, layer in enumerate(layers):
        outputs, axis = layer.filters.shape[0], 3 if layer.depthwise else 0
        weights = np.asarray(layer.filters.transpose((1, 2, 3, 0) if layer.depthwise else (0, 2, 3, 1)), order="C")
        scales, bias_scales, zeros = [WEIGHT_SCALE] * outputs, [_bias_scale(number)] * outputs, [0] * outputs
        tensors += [
            TensorSpec(f"w{number}", weights.shape, data=weights, scale=scales, zero_point=zeros, axis=axis),
            TensorSpec(f"b{number}", (outputs,), data=layer.biases, scale=bias_scales, zero_point=zeros),
            TensorSpec(f"x{number + 1}", (1, SIDE, SIDE, outputs), "INT8", scale=SCALE, zero_point=-128),
        ]
        fields = {"padding": SAME, "stride_h": 1, "stride_w": 1, "dilation_h_factor": 1, "dilation_w_factor": 1}
        fields["fused_activation_function"] = RELU if layer.activated else NONE
        fields |= {"depth_multiplier": 1} if layer.depthwise else {}
        builtin, options = _DEPTHWISE if layer.depthwise else _CONVOLUTION
        operands = [f"x{number}", f"w{number}", f"b{number}"]
        operators.append(OperatorSpec(builtin, operands, [f"x{number + 1}"], options, fields))
    return model([GraphSpec(tensors, operators, ["x0"], [f"x{len(layers)}"])])


class _Graph:
    """The nodes and constants of an ONNX model."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, name: str, value: Array | np.generic) -> str:
        self.constants.append(numpy_helper.from_array(np.asarray(value, order="C"), name))
        return name

    def node(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def convolution(self, layer: PlantedLayer, operands: Sequence[str], output: str) -> str:
        side = layer.filters.shape[2]
        groups = layer.filters.shape[0] if layer.depthwise else 1
        return self.node("Conv", operands, output, kernel_shape=[side] * 2, pads=[side // 2] * 4, group=groups)

    def model(self, outputs: int) -> onnx.ModelProto:
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, COLOURS, SIDE, SIDE])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, outputs, SIDE, SIDE])
        graph = helper.make_graph(self.nodes, "planted", [x], [y], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def real(layer: PlantedLayer, number: int) -> tuple[Array, Array]:
    """Filters and biases as floats."""
    return (layer.filters * WEIGHT_SCALE).astype(np.float32), (layer.biases * _bias_scale(number)).astype(np.float32)


def onnx_model(layers: Sequence[PlantedLayer]) -> onnx.ModelProto:
    """An ONNX model of floats, whose activations clip at 0 and 6."""
    graph, value = _Graph(), "x"
    low, high = graph.constant("low", np.float32(0)), graph.constant("high", np.float32(6))
    for number, layer in enumerate(layers):
        filters, biases = real(layer, number)
        operands = [value, graph.constant(f"w{number}", filters), graph.constant(f"b{number}", biases)]
        value = graph.convolution(layer, operands, "y" if number == len(layers) - 1 else f"s{number}")
        if layer.activated:
            value = graph.node("Clip", [value, low, high], f"x{number}")
    return graph.model(layers[-1].filters.shape[0])


def quantised_onnx_model(layers: Sequence[PlantedLayer]) -> onnx.ModelProto:
    """An ONNX model with pairs of quantisation and dequantisation around its layers."""
    graph = _Graph()
    scales = [graph.constant("input_scale", np.float32(INPUT_SCALE)), graph.constant("scale", np.float32(SCALE))]
    zeros = [graph.constant("input_zero", np.int8(0)), graph.constant("zero", np.int8(-128))]
    of_weights = [graph.constant("weight_scale", np.float32(WEIGHT_SCALE)), graph.constant("weight_zero", np.int8(0))]
    value = graph.node("QuantizeLinear", ["x", scales[0], zeros[0]], "q")
    for number, layer in enumerate(layers):
        step = 0 if number == 0 else 1
        bias_scale = graph.constant(f"bias_scale{number}", np.float32(_bias_scale(number)))
        weights, biases = graph.constant(f"w{number}", layer.filters), graph.constant(f"b{number}", layer.biases)
        operands = [
            graph.node("DequantizeLinear", [value, scales[step], zeros[step]], f"d{number}"),
            graph.node("DequantizeLinear", [weights, *of_weights], f"dw{number}"),
            graph.node("DequantizeLinear", [biases, bias_scale], f"db{number}"),
        ]
        value = graph.convolution(layer, operands, f"s{number}")
        value = graph.node("Relu", [value], f"r{number}") if layer.activated else value
        value = graph.node("QuantizeLinear", [value, scales[1], zeros[1]], f"q{number}")
    graph.node("DequantizeLinear", [value, scales[1], zeros[1]], "y")
    return graph.model(layers[-1].filters.shape[0])


def torch_module(layers: Sequence[PlantedLayer]) -> torch.nn.Module:
    """A PyTorch module of floats, whose activations clip at 0 and 6."""
    made: list[torch.nn.Module] = []
    for number, layer in enumerate(layers):
        outputs, inputs, side, _ = layer.filters.shape
        groups = outputs if layer.depthwise else 1
        convolution = torch.nn.Conv2d(inputs * groups, outputs, side, padding=side // 2, groups=groups)
        filters, biases = real(layer, number)
        convolution.load_state_dict({"weight": torch.as_tensor(filters), "bias": torch.as_tensor(biases)})
        made += [convolution, torch.nn.ReLU6()] if layer.activated else [convolution]
    return torch.nn.Sequential(*made).eval()


class _Integers(torch.nn.Module):
    """Layers between pairs of `quantized_decomposed` operators."""

    def __init__(self, layers: Sequence[PlantedLayer]) -> None:
        super().__init__()
        self.layers = list(layers)
        for number, layer in enumerate(layers):
            self.register_buffer(f"w{number}", torch.as_tensor(np.asarray(layer.filters, order="C")))
            self.register_buffer(f"b{number}", torch.as_tensor(layer.biases))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        value = _rounded(x, INPUT_SCALE, 0)
        for number, layer in enumerate(self.layers):
            weights = _pair(getattr(self, f"w{number}"), WEIGHT_SCALE, 0, torch.int8)
            biases = _pair(getattr(self, f"b{number}"), _bias_scale(number), 0, torch.int32)
            side, groups = layer.filters.shape[2], layer.filters.shape[0] if layer.depthwise else 1
            value = torch.nn.functional.conv2d(value, weights, biases, padding=side // 2, groups=groups)
            value = _rounded(torch.relu(value) if layer.activated else value, SCALE, -128)
        return value


def _rounded(x: torch.Tensor, scale: float, zero_point: int) -> torch.Tensor:
    operators: Any = torch.ops.quantized_decomposed
    given = operators.quantize_per_tensor.default(x, scale, zero_point, -128, 127, torch.int8)
    return _pair(given, scale, zero_point, torch.int8)


def _pair(x: torch.Tensor, scale: float, zero_point: int, dtype: torch.dtype) -> torch.Tensor:
    operators: Any = torch.ops.quantized_decomposed
    bounds = torch.iinfo(dtype)
    return operators.dequantize_per_tensor.default(x, scale, zero_point, bounds.min, bounds.max, dtype)


def quantised_torch_module(layers: Sequence[PlantedLayer]) -> torch.nn.Module:
    """A PyTorch module as quantisers of PT2E write it."""
    return _Integers(layers).eval()
