"""The operators and tensors of an ONNX file, read with the package `onnx` and nothing of the compiler's importer."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from s2s.prove.faults import Unprovable
from s2s.prove.reference.model import Model, Step, Tensor

ELEMENTS = {1: "FLOAT", 2: "UINT8", 3: "INT8", 4: "UINT16", 5: "INT16", 6: "INT32", 7: "INT64"}
"""Names of the element types that the reference may meet."""
NONE = np.zeros(0, np.float32)


def read_onnx(path: Path) -> Model:
    """The graph of an ONNX file.

    Raises Unprovable where a shape is not fixed or an operator holds graphs, and what damaged bytes raise in the
    package.
    """
    onnx: Any = import_module("onnx")
    proto = onnx.load(str(path))
    graph = onnx.shape_inference.infer_shapes(proto, strict_mode=True, data_prop=True).graph
    tensors = {item.name: _constant(onnx, item) for item in graph.initializer}
    for info in (*graph.input, *graph.value_info, *graph.output):
        if info.name not in tensors:
            tensors[info.name] = _tensor(info)
    inputs = [tensors[item.name] for item in graph.input if tensors[item.name].data is None]
    model = Model(inputs, [tensors[item.name] for item in graph.output], format="onnx")
    for number, node in enumerate(graph.node):
        _add(onnx, model, tensors, number, node)
    return model


def _add(onnx: Any, model: Model, tensors: dict[str, Tensor], number: int, node: Any) -> None:
    """Note an operator; a constant is a tensor."""
    attributes = {item.name: onnx.helper.get_attribute_value(item) for item in node.attribute}
    if node.op_type == "Constant" and "value" in attributes:
        tensors[node.output[0]] = _data(node.output[0], onnx.numpy_helper.to_array(attributes["value"]))
        return
    operands = [tensors.get(name) if name else None for name in node.input]
    output = tensors.setdefault(node.output[0], Tensor(node.output[0], (0,), "an unknown type", NONE, 0))
    kind = node.op_type if node.domain in {"", "ai.onnx"} else f"{node.domain}.{node.op_type}"
    model.steps.append(Step(number, kind, operands, output, attributes, name=node.name or node.output[0]))


def _constant(onnx: Any, proto: Any) -> Tensor:
    return _data(proto.name, onnx.numpy_helper.to_array(proto))


def _data(name: str, array: np.ndarray) -> Tensor:
    """A constant tensor."""
    kinds = {np.dtype(np.float32): "FLOAT", **{np.dtype(kind.lower()): kind for kind in list(ELEMENTS.values())[1:]}}
    dtype = kinds.get(array.dtype, "an unknown type")
    return Tensor(name, array.shape, dtype, NONE, 0, data=array if dtype == "FLOAT" else array.astype(np.int64))


def _tensor(info: Any) -> Tensor:
    """A tensor that an operator computes, or an input."""
    kind = info.type.tensor_type
    dims = [item.dim_value if item.HasField("dim_value") else -1 for item in kind.shape.dim]
    if min(dims, default=1) < 0:
        msg = f"{info.name} has no fixed shape"
        raise Unprovable(msg)
    return Tensor(info.name, tuple(dims), ELEMENTS.get(kind.elem_type, "an unknown type"), NONE, 0, channels_first=True)
