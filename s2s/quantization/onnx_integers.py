"""The integers of a model in QDQ form: weights, biases and scales, which may be replaced."""
# The types of onnx are partly unknown.
# pyright: reportUnknownMemberType=false

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, numpy_helper

from s2s.quantization.network import Layer
from s2s.quantization.onnx_network import attributes_of
from s2s.quantization.ranges import Range
from s2s.types.dtypes import Array

BITS = {4: TensorProto.INT4, 8: TensorProto.INT8}
MIN_BIAS, MAX_BIAS = -(2**31), 2**31 - 1


def drop_pairs_before_bounds(model: onnx.ModelProto) -> None:
    """Remove the pairs between a layer or sum and the `Relu` or `Clip` that alone reads it: that bounds what the
    integers of the layer are made of, as in the kernel of the layer."""
    readers: dict[str, list[NodeProto]] = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    ends = {value.name for value in model.graph.output}
    for layer in [node for node in model.graph.node if node.op_type in ("Add", "Conv", "Gemm", "MatMul")]:
        chain = [layer]
        while len(chain) < 4 and len(after := readers.get(chain[-1].output[0], [])) == 1:
            chain.append(after[0])
        kinds = [node.op_type for node in chain]
        is_bounded = kinds[1:3] == ["QuantizeLinear", "DequantizeLinear"] and kinds[3:] in (["Relu"], ["Clip"])
        if is_bounded and not ends.intersection(node.output[0] for node in chain[:3]):
            chain[3].input[0] = layer.output[0]
            for node in chain[1:3]:
                model.graph.node.remove(node)


class Integers:
    """The constants that nodes of a quantised model dequantise."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._tensors = {tensor.name: tensor for tensor in model.graph.initializer}
        self._makers = {name: node for node in model.graph.node for name in node.output}
        self._nodes = {node.name: node for node in model.graph.node}
        self._quantisers = [node for node in model.graph.node if node.op_type == "QuantizeLinear"]

    def of(self, layer: Layer) -> Iterator[tuple[str, Array, Array]]:
        """Yield weights and bias of a layer, if both are integers: names, integers, and scales that fit their shape."""
        makers = self._constant_makers(layer)
        if len(makers) == (1 if layer.bias is None or self._takes_no_bias(layer) else 2):
            yield from (self._read(maker) for maker in makers)

    def replace(self, name: str, values: Array) -> None:
        """Give a constant other values, in its own type."""
        tensor = self._tensors[name]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        self._write(name, np.asarray(values).astype(dtype))

    def set_weights(self, layer: Layer, weights: Array, scales: Array, bits: int) -> None:
        """Give a layer weights of some bits, with a scale for each output channel."""
        maker = self._constant_makers(layer)[0]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(BITS[bits])
        shape = self._array(maker.input[1]).shape
        self._write(maker.input[0], weights.astype(dtype))
        self._rescale_bias(layer, scales.reshape(-1) / self._array(maker.input[1]).reshape(-1))
        self._write(maker.input[1], scales.reshape(shape).astype(np.float32))
        if len(maker.input) > 2:
            self._write(maker.input[2], np.zeros(shape, dtype))

    def ranges(self) -> Mapping[str, Range]:
        """The ranges of activations by the name of the first tensor that has each."""
        ranges: dict[str, Range] = {}
        scales: set[str] = set()
        for node in self._quantisers:
            if node.input[1] in self._tensors and node.input[1] not in scales:
                scales.add(node.input[1])
                step, zero = (float(self._array(name).reshape(-1)[0]) for name in node.input[1:3])
                limits = np.iinfo(self._array(node.input[2]).dtype)
                ranges[node.input[0].removesuffix("_QuantizeLinear_Input")] = Range(
                    (int(limits.min) - zero) * step, (int(limits.max) - zero) * step
                )
        return ranges

    def set_range(self, tensor: str, chosen: Range, layers: Sequence[Layer]) -> None:
        """Give an activation another range, and the biases of the layers that read it other scales."""
        names = (tensor, f"{tensor}_QuantizeLinear_Input")
        node = next(node for node in self._quantisers if node.input[0] in names)
        dtype = self._array(node.input[2]).dtype
        if dtype == np.int8:
            step, zero = np.float32(chosen.step()), chosen.zero_point()
        else:
            step, zero = np.float32(max(-chosen.low, chosen.high, 1e-8) / np.iinfo(dtype).max), 0
        factor = float(step) / float(self._array(node.input[1]).reshape(-1)[0])
        readers = [layer for layer in layers if self._scale_of_input(layer) == node.input[1]]
        for layer in readers:
            if self._constant_makers(layer):
                self._rescale_bias(layer, np.array([factor]))
        for name, value in zip(node.input[1:3], (step, dtype.type(zero)), strict=True):
            self._write(name, np.full(self._array(name).shape, value))

    def widen_input(self, layer: Layer, layers: Sequence[Layer]) -> None:
        """Give what a layer reads, and all that shares its scale, 16 bits, and the biases of its readers other
        scales."""
        name = self._scale_of_input(layer)
        zero = next((node.input[2] for node in self._quantisers if node.input[1] == name), None)
        if zero is None or self._array(zero).dtype != np.int8:
            return
        step, offset = (float(self._array(tensor).reshape(-1)[0]) for tensor in (name, zero))
        wide = np.float32(step * max(128 + offset, 127 - offset) / np.iinfo(np.int16).max)
        for reader in layers:
            if self._scale_of_input(reader) == name and self._constant_makers(reader):
                self._rescale_bias(reader, np.array([float(wide) / step]))
        self._write(name, np.full(self._array(name).shape, wide))
        self._write(zero, np.zeros(self._array(zero).shape, np.int16))

    def _rescale_bias(self, layer: Layer, factor: Array) -> None:
        """Give the bias of a layer a unit `factor` times as large."""
        makers = self._constant_makers(layer)
        if len(makers) < 2:
            return
        bias, unit = (self._array(name) for name in makers[1].input[:2])
        self._write(makers[1].input[0], np.clip(np.rint(bias / factor), MIN_BIAS, MAX_BIAS).astype(np.int32))
        self._write(makers[1].input[1], (unit * factor).astype(np.float32).reshape(unit.shape))

    def _scale_of_input(self, layer: Layer) -> str:
        node = self._nodes.get(layer.name)
        maker = None if node is None else self._makers.get(node.input[0])
        return maker.input[1] if maker is not None and maker.op_type == "DequantizeLinear" else ""

    def _takes_no_bias(self, layer: Layer) -> bool:
        """Whether the bias of a layer is added by a node behind it."""
        node = self._nodes.get(layer.name)
        return node is not None and len(node.input) < 3

    def _constant_makers(self, layer: Layer) -> list[NodeProto]:
        """The nodes that dequantise the weights and the bias of a layer; none if one of them does not."""
        node = self._nodes.get(layer.name)
        makers = [] if node is None else [self._makers.get(name) for name in node.input[1:] if name]
        constant = [maker for maker in makers if maker is not None and self._is_constant(maker)]
        return constant if len(constant) == len(makers) else []

    def _is_constant(self, maker: NodeProto) -> bool:
        held = maker.op_type == "DequantizeLinear" and all(name in self._tensors for name in maker.input)
        return held and (len(maker.input) < 3 or not self._array(maker.input[2]).any())

    def _read(self, maker: NodeProto) -> tuple[str, Array, Array]:
        integers, scale = self._array(maker.input[0]), self._array(maker.input[1])
        axis = attributes_of(maker).get("axis", 1)
        shape = [-1 if scale.ndim and place == axis else 1 for place in range(integers.ndim)]
        return maker.input[0], integers, scale.reshape(shape)

    def _array(self, name: str) -> Array:
        values = numpy_helper.to_array(self._tensors[name])
        return values.astype(np.int8) if self._tensors[name].data_type == TensorProto.INT4 else values

    def _write(self, name: str, values: Array) -> None:
        self._tensors[name].CopyFrom(numpy_helper.from_array(np.asarray(values, order="C"), name))
