"""Writes networks layer by layer, as exporters write them, with weights drawn from a seeded generator."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

from s2s.types.dtypes import Array

OPSET = 20


@dataclass(frozen=True)
class Value:
    """What an operator gives."""

    name: str
    shape: tuple[int, ...]
    element: int = TensorProto.FLOAT

    @property
    def channels(self) -> int:
        """Of an image or a signal."""
        return self.shape[1]


class Network:
    """A network in the making. Batch norms count as folded into the layers before them."""

    def __init__(self, name: str, seed: int = 0) -> None:
        self.name = name
        self.rng = np.random.default_rng(seed)
        self._inputs: list[Value] = []
        self._constants: dict[str, TensorProto] = {}
        self._nodes: list[onnx.NodeProto] = []

    def model(self, *outputs: Value) -> onnx.ModelProto:
        """The network that computes `outputs`."""
        ports = [[_port(value) for value in values] for values in (self._inputs, outputs)]
        graph = helper.make_graph(self._nodes, self.name, *ports, initializer=list(self._constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)

    def input(self, *shape: int, name: str = "x", element: int = TensorProto.FLOAT) -> Value:
        """What the caller gives."""
        self._inputs.append(Value(name, shape, element))
        return self._inputs[-1]

    def constant(self, array: Array) -> Value:
        """An initializer."""
        name = f"constant{len(self._constants)}"
        self._constants[name] = numpy_helper.from_array(array, name)
        return Value(name, array.shape, self._constants[name].data_type)

    def integers(self, *numbers: int) -> Value:
        """Sizes, axes and the like."""
        return self.constant(np.array(numbers, np.int64))

    def weights(self, *shape: int, fan: int) -> Value:
        """Random numbers that keep the scale of sums of `fan` terms."""
        return self.constant(self.rng.standard_normal(shape, np.float32) * np.float32(fan**-0.5))

    def op(self, kind: str, *inputs: Value | None, **attributes: Any) -> Value:
        """The result of one operator; None stands for an input that is left out."""
        return self.ops(kind, 1, *inputs, **attributes)[0]

    def ops(self, kind: str, results: int, *inputs: Value | None, **attributes: Any) -> list[Value]:
        """The results of an operator that has several."""
        given = [value for value in inputs if value is not None]
        names = [value.name if value is not None else "" for value in inputs]
        node = helper.make_node(kind, names, [f"{kind.lower()}{len(self._nodes)}_{n}" for n in range(results)])
        node.name = f"{kind.lower()}{len(self._nodes)}"
        node.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())
        self._nodes.append(node)
        found = shape_inference.infer_node_outputs(
            onnx.defs.get_schema(kind, OPSET),
            node,
            {value.name: helper.make_tensor_type_proto(value.element, value.shape) for value in given},
            {value.name: self._constants[value.name] for value in given if value.name in self._constants},
            opset_imports=[helper.make_opsetid("", OPSET)],
        )
        types = [found[name].tensor_type for name in node.output]
        return [
            Value(name, tuple(side.dim_value for side in type.shape.dim), type.elem_type)
            for name, type in zip(node.output, types, strict=True)
        ]

    def conv(
        self,
        x: Value,
        channels: int,
        window: int | Sequence[int] = 1,
        stride: int = 1,
        groups: int = 1,
        dilation: int = 1,
        pads: Sequence[int] | None = None,
    ) -> Value:
        """A convolution with a bias over as many dimensions as `x` has; padded to keep the size at stride 1."""
        rank = len(x.shape) - 2
        sides = [window] * rank if isinstance(window, int) else list(window)
        kernel = (channels, x.channels // groups, *sides)
        around = [dilation * (side - 1) // 2 for side in sides]
        return self.op(
            "Conv",
            x,
            self.weights(*kernel, fan=prod(kernel[1:])),
            self.weights(channels, fan=100),
            kernel_shape=sides,
            strides=[stride] * rank,
            dilations=[dilation] * rank,
            pads=list(pads) if pads is not None else [*around, *around],
            group=groups,
        )

    def transposed_conv(self, x: Value, channels: int, window: int, stride: int, pad: int = 0) -> Value:
        """A transposed convolution with a bias."""
        rank = len(x.shape) - 2
        kernel = (x.channels, channels, *[window] * rank)
        weights = self.weights(*kernel, fan=x.channels * max(1, window // stride) ** rank)
        settings = {"kernel_shape": [window] * rank, "strides": [stride] * rank, "pads": [pad] * 2 * rank}
        return self.op("ConvTranspose", x, weights, self.weights(channels, fan=100), **settings)

    def linear(self, x: Value, features: int) -> Value:
        """A dense layer along the last dimension: Gemm for a matrix, else a product and an addition."""
        depth = x.shape[-1]
        bias = self.weights(features, fan=100)
        if len(x.shape) == 2:
            return self.op("Gemm", x, self.weights(features, depth, fan=depth), bias, transB=1)
        return self.op("Add", self.op("MatMul", x, self.weights(depth, features, fan=depth)), bias)

    def layer_norm(self, x: Value) -> Value:
        """A norm over the last dimension."""
        size = x.shape[-1]
        scale = self.constant(self.rng.uniform(0.8, 1.2, size).astype(np.float32))
        return self.op("LayerNormalization", x, scale, self.weights(size, fan=100), axis=-1, epsilon=1e-6)

    def batch_norm(self, x: Value) -> Value:
        """A norm of each channel by numbers of training, where no layer before it could take it up."""
        mean, bias = self.weights(x.channels, fan=100), self.weights(x.channels, fan=100)
        scale, variance = (self.rng.uniform(0.8, 1.2, x.channels).astype(np.float32) for _ in range(2))
        return self.op("BatchNormalization", x, self.constant(scale), bias, mean, self.constant(variance))

    def relu(self, x: Value) -> Value:
        """max(x, 0)"""
        return self.op("Relu", x)

    def silu(self, x: Value) -> Value:
        """x sigmoid(x), in two operators as exporters write it."""
        return self.op("Mul", x, self.op("Sigmoid", x))

    def hard_swish(self, x: Value) -> Value:
        """x clip(x / 6 + 1/2, 0, 1)"""
        return self.op("HardSwish", x)

    def gelu(self, x: Value) -> Value:
        """x (1 + erf(x / sqrt 2)) / 2, in five operators as exporters write it."""
        scaled = self.op("Div", x, self.constant(np.array(2**0.5, np.float32)))
        shifted = self.op("Add", self.op("Erf", scaled), self.constant(np.array(1, np.float32)))
        return self.op("Mul", self.op("Mul", x, shifted), self.constant(np.array(0.5, np.float32)))

    def add(self, a: Value, b: Value) -> Value:
        """a + b"""
        return self.op("Add", a, b)

    def concat(self, *parts: Value, axis: int = 1) -> Value:
        """Side by side along `axis`."""
        return self.op("Concat", *parts, axis=axis)

    def split(self, x: Value, *sizes: int, axis: int = 1) -> list[Value]:
        """Parts of `x`."""
        return self.ops("Split", len(sizes), x, self.integers(*sizes), axis=axis)

    def reshape(self, x: Value, *shape: int) -> Value:
        """The same numbers in another shape."""
        return self.op("Reshape", x, self.integers(*shape))

    def transpose(self, x: Value, *order: int) -> Value:
        """Dimensions in another order."""
        return self.op("Transpose", x, perm=list(order))

    def max_pool(self, x: Value, window: int, stride: int, pad: int = 0) -> Value:
        """The largest of each window."""
        rank = len(x.shape) - 2
        settings = {"kernel_shape": [window] * rank, "strides": [stride] * rank, "pads": [pad] * 2 * rank}
        return self.op("MaxPool", x, **settings)

    def upsample(self, x: Value, times: int) -> Value:
        """Each pixel `times` times along both sides."""
        scales = self.constant(np.array([1, 1, times, times], np.float32))
        settings = {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
        return self.op("Resize", x, None, scales, **settings)

    def classes(self, x: Value, count: int) -> Value:
        """The mean over the image, and a dense layer on top."""
        return self.linear(self.op("Flatten", self.op("GlobalAveragePool", x)), count)


def _port(value: Value) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(value.name, value.element, value.shape)
