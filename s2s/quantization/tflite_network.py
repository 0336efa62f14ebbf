"""Write a quantised ONNX model as a TFLite file, by the specification of TFLite's quantisation.

    y = quantise(conv(dequantise(x8), dequantise(w8)))    ->    y = CONV_2D(x8, w8)

Weights keep their 8 or 4 bits and their scale for each output channel, biases their 32 bits, activations their scales;
where TFLite fixes a scale (softmax: 1/256), a value gets the model's own one behind it, or none at an output in floats.
TFLite rounds sums in fixed point, so a result may be the step beside the one of onnxruntime. An operator that this
cannot say is refused by its name.
"""
# The types of onnx are partly unknown.
# pyright: reportUnknownMemberType=false

from collections import Counter
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

from s2s.errors import UnsupportedError
from s2s.frontends.onnx.names import place
from s2s.quantization.onnx_network import attributes_of
from s2s.quantization.tflite_graph import Quant, TfliteGraph, Value
from s2s.quantization.tflite_operators import BOUNDED, OPERATORS, Call
from s2s.types.dtypes import Array

WAY_OUT = "write .onnx instead"


def as_tflite(model: onnx.ModelProto) -> bytes:
    """Return the TFLite file of a quantised ONNX model. Raises `UnsupportedError` for what it cannot say."""
    return _Network(onnx.shape_inference.infer_shapes(model)).written()


class _Network:
    """The nodes of a model, and the values that they have become."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._model, self._graph = model, TfliteGraph()
        tensors = model.graph.initializer
        self._constants = {tensor.name: _array(tensor) for tensor in tensors}
        constants = [node for node in model.graph.node if node.op_type == "Constant"]
        self._constants |= {
            node.output[0]: numpy_helper.to_array(attributes_of(node)["value"])
            for node in constants
            if "value" in attributes_of(node)
        }
        self._narrow = {tensor.name for tensor in tensors if tensor.data_type == TensorProto.INT4}
        infos = [*model.graph.input, *model.graph.value_info, *model.graph.output]
        self._infos = {info.name: info.type.tensor_type for info in infos}
        self._readers: dict[str, list[NodeProto]] = {}
        for node in model.graph.node:
            for name in node.input:
                self._readers.setdefault(name, []).append(node)
        self._ends = Counter(value.name for value in model.graph.output)
        self._values: dict[str, Value] = {}
        self._fused: set[str] = set()
        """The names of results that the operator before computes."""

    def written(self) -> bytes:
        """The file."""
        inputs = [self._input(value) for value in self._model.graph.input if value.name not in self._constants]
        for node in self._model.graph.node:
            self._node(node)
        outputs = {value.name: self._output(value) for value in self._model.graph.output}
        return self._graph.file(inputs, outputs)

    def _input(self, value: onnx.ValueInfoProto) -> Value:
        kind, quant = value.type.tensor_type.elem_type, None
        if kind == TensorProto.INT8:
            quant = next((self._quant(node) for node in self._readers.get(value.name, []) if self._is_pair(node)), None)
        if kind != TensorProto.FLOAT and quant is None:
            name = helper.tensor_dtype_to_string(kind)
            raise UnsupportedError(f"{value.name}: TFLite files made here take floats and int8, not {name}; {WAY_OUT}")
        self._values[value.name] = tensor = self._graph.add(
            Value(value.name, self._shape(value.name, value.name), quant)
        )
        return tensor

    def _output(self, value: onnx.ValueInfoProto) -> Value:
        last = self._graph.channels_second(self._values[value.name])
        return self._graph.requantised(last, None, value.name) if self._is_float(value.name) else last

    def _is_float(self, name: str) -> bool:
        return self._infos[name].elem_type == TensorProto.FLOAT

    def _node(self, node: NodeProto) -> None:
        result = node.output[0]
        if result in self._constants:
            return
        if result in self._fused:
            self._values[result] = self._values[node.input[0]]
        elif node.op_type == "DequantizeLinear":
            self._dequantised(node)
        elif node.op_type == "QuantizeLinear" and self._is_pair(node):
            self._quantised(node)
        elif node.op_type in OPERATORS:
            self._values[result] = OPERATORS[node.op_type](self._call(node))
        else:
            raise UnsupportedError(f"{place(node)}: has no form in the TFLite files made here; {WAY_OUT}")

    def _is_pair(self, node: NodeProto) -> bool:
        pair = node.op_type in ("QuantizeLinear", "DequantizeLinear") and len(node.input) == 3
        return pair and all(name in self._constants for name in node.input[1:])

    def _quant(self, node: NodeProto) -> Quant:
        scales, zeros = (self._constants[name].reshape(-1) for name in node.input[1:])
        if zeros.dtype.name not in ("int8", "int16", "int32") or (zeros != zeros[0]).any():
            raise UnsupportedError(f"{place(node)}: TFLite has signed integers with one zero point here; {WAY_OUT}")
        axis = attributes_of(node).get("axis", 1) if scales.size > 1 else 0
        return Quant(tuple(map(float, scales)), int(zeros[0]), axis, zeros.dtype.itemsize * 8)

    def _dequantised(self, node: NodeProto) -> None:
        source, result = node.input[0], node.output[0]
        if source in self._constants and self._is_pair(node):
            data = self._constants[source]
            self._values[result] = Value(source, data.shape, self._quant(node), data=data)
        else:
            self._values[result] = self._values[source]

    def _quantised(self, node: NodeProto) -> None:
        value, result = self._values[node.input[0]], node.output[0]
        restored = [name for reader in self._readers.get(result, []) for name in reader.output]
        is_end = not self._ends[result] and all(self._ends[name] and name not in self._readers for name in restored)
        if is_end and value.quant is not None:
            self._values[result] = value
        else:
            self._values[result] = self._graph.requantised(value, self._quant(node), result)

    def _call(self, node: NodeProto) -> Call:
        operands: list[Value | Array | None] = []
        for name in node.input:
            operands.append(self._constants.get(name, self._values.get(name)) if name else None)
        result = node.output[0]
        behind, bounds = self._behind(result) if node.op_type in BOUNDED else (result, (-np.inf, np.inf))
        pair = next((reader for reader in self._readers.get(behind, []) if reader.op_type == "QuantizeLinear"), None)
        quant = None if pair is None else self._quant(pair)
        narrow = any(value.name in self._narrow for value in operands if isinstance(value, Value))
        if behind != result:
            self._fused.add(behind)
        shape = self._shape(result, place(node))
        kind = "INT4" if narrow else "INT8"
        return Call(self._graph, place(node), attributes_of(node), operands, result, shape, quant, bounds, kind)

    def _behind(self, result: str) -> tuple[str, tuple[float, float]]:
        """What a bound directly behind a result gives, and its ends; the result itself where there is none."""
        readers = self._readers.get(result, [])
        if len(readers) == 1 and not self._ends[result]:
            [reader] = readers
            limits = [name for name in reader.input[1:] if name]
            if reader.op_type == "Relu":
                return reader.output[0], (0.0, np.inf)
            if reader.op_type == "Clip" and len(limits) == 2 and all(name in self._constants for name in limits):
                low, high = (float(self._constants[name].reshape(())) for name in limits)
                return reader.output[0], (low, high)
        return result, (-np.inf, np.inf)

    def _shape(self, name: str, where: str) -> tuple[int, ...]:
        info = self._infos.get(name)
        dims = () if info is None else info.shape.dim
        if info is None or any(not dim.HasField("dim_value") for dim in dims):
            raise UnsupportedError(f"{where}: has a size that the model leaves open; state it with --shape")
        return tuple(dim.dim_value for dim in dims)


def _array(tensor: TensorProto) -> Array:
    values: Any = numpy_helper.to_array(tensor)
    return values.astype(np.int8) if tensor.data_type == TensorProto.INT4 else values
