"""ONNX models as networks of layers with constant weights."""
# The types of onnx are partly unknown.
# pyright: reportUnknownMemberType=false

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, numpy_helper

from s2s.quantization.network import Layer, Step, Window
from s2s.types.dtypes import Array

_LAYERS = ("Conv", "Gemm", "MatMul")
_PASSES = ("Relu", "LeakyRelu", "MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "Identity", "Dropout")
_FLATTENS = ("Flatten", "Reshape", "Squeeze")


class OnnxNetwork:
    """A model with shapes, and names for all nodes."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._tensors = {tensor.name: tensor for tensor in model.graph.initializer}
        read = [(node, _read_by(node)) for node in model.graph.node]
        self._uses = Counter(name for _, names in read for name in names)
        self._dims = {value.name: value.type.tensor_type.shape.dim for value in model.graph.value_info}
        self._readers: dict[str, list[NodeProto]] = {}
        for node, names in read:
            for name in names:
                self._readers.setdefault(name, []).append(node)
        self.outputs: Collection[str] = {value.name for value in model.graph.output}
        self.steps: Sequence[Step] = [self._step(node, names) for node, names in read]

    def constant(self, name: str) -> Array:
        """The values of a constant."""
        return numpy_helper.to_array(self._tensors[name])

    def replace(self, name: str, values: Array) -> None:
        """Give a constant other values, in its own type."""
        tensor = self._tensors[name]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        tensor.CopyFrom(numpy_helper.from_array(np.asarray(values, dtype, order="C"), name))

    def _step(self, node: NodeProto, names: Sequence[str]) -> Step:
        layer = self._layer(node)
        if layer is not None:
            return Step(names, node.output[0], layer)
        kind = node.op_type
        if kind == "LayerNormalization":
            return Step(names, node.output[0], norm=self._norm(node))
        if kind == "Clip" and len(node.input) == 3 and all(name in self._tensors for name in node.input[1:]):
            low, high = (float(self.constant(name).reshape(())) for name in node.input[1:])
            return Step(names, node.output[0], passes=low == 0 < high, bound=high)
        passes = kind in _PASSES or (kind == "ReduceMean" and self._averages_taps(node, keeps=1))
        return Step(names, node.output[0] if node.output else "", passes=passes, flattens=self._flattens(node))

    def _layer(self, node: NodeProto) -> Layer | None:
        if node.op_type not in _LAYERS or len(node.input) < 2 or not self._owned(node.input[1]):
            return None
        attributes = attributes_of(node)
        bias, result = node.input[2] if len(node.input) > 2 else "", node.output[0]
        if node.op_type == "MatMul":
            if len(self._tensors[node.input[1]].dims) != 2:
                return None
            bias, result = self._added(node)
        if attributes.get("transA", 0) or (bias and not self._owned(bias)):
            return None
        spatial = node.op_type == "Conv"
        groups, transposed = attributes.get("group", 1), bool(attributes.get("transB", 0))
        window = _window(attributes) if spatial else Window()
        return Layer(node.name, node.input[0], node.input[1], bias or None, result, spatial, groups, transposed, window)

    def _norm(self, node: NodeProto) -> Layer | None:
        """A normalisation of the last axis with its own scales and shifts."""
        constants, rank = list(node.input[1:]), len(self._dims.get(node.input[0], []))
        is_last = attributes_of(node).get("axis", -1) in (-1, rank - 1)
        if not is_last or not all(self._owned(name) and len(self._tensors[name].dims) == 1 for name in constants):
            return None
        names = (node.name, node.input[0], constants[0], constants[1] if len(constants) > 1 else None, node.output[0])
        return Layer(*names, spatial=False, transposed=True, normalises=True)

    def _owned(self, name: str) -> bool:
        """Whether a name is a constant of floats that one node reads."""
        tensor = self._tensors.get(name)
        return tensor is not None and tensor.data_type == onnx.TensorProto.FLOAT and self._uses[name] == 1

    def _added(self, node: NodeProto) -> tuple[str, str]:
        """The vector that is added to a product, and the sum; no vector and the product itself where none is."""
        result = node.output[0]
        readers = self._readers.get(result, [])
        if len(readers) == 1 and readers[0].op_type == "Add" and result not in self.outputs:
            vectors = [name for name in readers[0].input if name != result and self._owned(name)]
            if len(vectors) == 1 and list(self._tensors[vectors[0]].dims) == [self._tensors[node.input[1]].dims[1]]:
                return vectors[0], readers[0].output[0]
        return "", result

    def _flattens(self, node: NodeProto) -> bool:
        """Whether a node makes a matrix of a tensor, with the same first axis."""
        if node.op_type == "ReduceMean":
            return self._averages_taps(node, keeps=0)
        if node.op_type not in _FLATTENS:
            return False
        before, after = self._dims.get(node.input[0], []), self._dims.get(node.output[0], [])
        return len(before) > 2 and len(after) == 2 and before[0] == after[0]

    def _averages_taps(self, node: NodeProto, *, keeps: int) -> bool:
        """Whether a mean is taken over all axes behind the channels."""
        attributes, rank = attributes_of(node), len(self._dims.get(node.input[0], []))
        axes: Any = attributes.get("axes")
        if axes is None and len(node.input) > 1 and node.input[1] in self._tensors:
            axes = self.constant(node.input[1]).tolist()
        behind = list(range(2, rank))
        return bool(axes) and sorted(axis % rank for axis in axes) == behind and attributes.get("keepdims", 1) == keeps


def _read_by(node: NodeProto) -> list[str]:
    """The names that a node reads, itself or in a branch or body."""
    names = list(node.input)
    for attribute in node.attribute:
        for body in (attribute.g, *attribute.graphs):
            names += [name for inner in body.node for name in _read_by(inner)]
            names += [value.name for value in body.output]
    return names


def share_no_vectors(model: onnx.ModelProto) -> None:
    """Give each reader of a vector of floats its own copy: layers with equal biases may share one."""
    vectors = {
        tensor.name: tensor
        for tensor in model.graph.initializer
        if tensor.data_type == onnx.TensorProto.FLOAT and len(tensor.dims) == 1
    }
    read: set[str] = set()
    for node in model.graph.node:
        for place, name in enumerate(node.input):
            if name in read:
                copied = model.graph.initializer.add()
                copied.CopyFrom(vectors[name])
                copied.name = node.input[place] = f"{name}_of_{node.name}"
            elif name in vectors:
                read.add(name)


def _window(attributes: Mapping[str, Any]) -> Window:
    pads = tuple(attributes.get("pads", ()))
    half = len(pads) // 2
    strides, dilations = (tuple(attributes.get(name, ())) for name in ("strides", "dilations"))
    automatic: Any = {b"SAME_UPPER": "upper", b"SAME_LOWER": "lower"}.get(attributes.get("auto_pad", b""), "")
    return Window(strides, dilations, pads[:half], pads[half:], automatic)


def attributes_of(node: NodeProto) -> Mapping[str, Any]:
    """The attributes of a node by name."""
    return {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
