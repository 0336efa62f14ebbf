"""Give onnxruntime weights of uint8 in the place of int8 where they are multiplied by activations of uint8.

    QLinearMatMul(x: uint8, …, w: int8, s, z: int8)  ->  QLinearMatMul(x: uint8, …, w + 128: uint8, s, z + 128: uint8)

Both multiply `x` by `w - z`. On processors without VNNI onnxruntime adds pairs of products of uint8 and int8 in 16 bits
and saturates (https://onnxruntime.ai/docs/performance/model-optimizations/quantization.html, "x86-64 with AVX2"):
255 * 127 + 255 * 127 becomes 32,767. It does not where both are uint8.
"""

from collections.abc import Mapping

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, numpy_helper, shape_inference

from s2s.frontends.onnx.tensors import read_tensor

WEIGHTS: Mapping[str, tuple[tuple[int, int, int], ...]] = {
    "ConvInteger": ((0, 1, 3),),
    "DynamicQuantizeLSTM": ((0, 1, 9), (0, 2, 11)),
    "DynamicQuantizeMatMul": ((0, 1, 3),),
    "MatMulInteger": ((0, 1, 3),),
    "MatMulIntegerToFloat": ((0, 1, 5),),
    "QAttention": ((0, 1, 7),),
    "QGemm": ((0, 3, 5),),
    "QLinearConv": ((0, 3, 5),),
    "QLinearMatMul": ((0, 3, 5),),
}
"""The numbers of the operands that are activations, weights, and the zero point of the weights."""


def with_unsigned_weights(model: ModelProto, folder: str | None = None) -> ModelProto:
    """Return a copy of `model` whose constant weights of int8 are uint8, but for weights beside int8 activations;
    `model` itself if it has none. `folder` is that of its external data."""
    found = [
        (number, triple)
        for number, node in enumerate(model.graph.node)
        for triple in WEIGHTS.get(node.op_type, ())
        if _is_signed(model.graph, _operand(node, triple[1]))
    ]
    if not found:
        return model
    types = _element_types(model)
    copy = ModelProto()
    copy.CopyFrom(model)
    for number, (activations, weights, zero) in found:
        node = copy.graph.node[number]
        if types.get(_operand(node, activations)) != TensorProto.INT8:
            _make_unsigned(copy.graph, node, weights, zero, folder)
    return copy


def _operand(node: NodeProto, number: int) -> str:
    return node.input[number] if number < len(node.input) else ""


def _constant(graph: GraphProto, name: str) -> TensorProto | None:
    return next((each for each in graph.initializer if each.name == name), None)


def _is_signed(graph: GraphProto, name: str) -> bool:
    tensor = _constant(graph, name)
    return tensor is not None and tensor.data_type == TensorProto.INT8


def _element_types(model: ModelProto) -> dict[str, int]:
    """The element types of values by name, as far as they are known."""
    graph = shape_inference.infer_shapes(model).graph
    values = {each.name: each.type.tensor_type.elem_type for each in (*graph.value_info, *graph.input, *graph.output)}
    return {**values, **{each.name: each.data_type for each in graph.initializer}}


def _make_unsigned(graph: GraphProto, node: NodeProto, weights: int, zero: int, folder: str | None) -> None:
    """Give a node other weights and another zero point of them, unless that is computed at run time."""
    at = _constant(graph, _operand(node, zero))
    if _operand(node, zero) and (at is None or at.data_type != TensorProto.INT8):
        return
    node.input.extend([""] * (zero + 1 - len(node.input)))
    old = np.zeros((), np.int8) if at is None else read_tensor(at, folder, at.name)
    tensor = _constant(graph, node.input[weights])
    if tensor is None:
        return
    for number, array in ((weights, read_tensor(tensor, folder, tensor.name)), (zero, old)):
        name = f"{node.input[number] or node.input[weights] + '/zero_point'}/unsigned"
        node.input[number] = name
        if _constant(graph, name) is None:
            shifted = (array.astype(np.int16) + 128).astype(np.uint8)
            graph.initializer.append(numpy_helper.from_array(shifted, name))
