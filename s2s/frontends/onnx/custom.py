"""Operators of ONNX that users have registered by `s2s.register_custom_op`."""

from collections.abc import Mapping, Sequence

import numpy as np
from onnx import GraphProto, ValueInfoProto

from s2s.frontends.builder import Value
from s2s.frontends.custom import Function, TensorType, call_function, custom_operator
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.open_shapes import declared_dims
from s2s.frontends.onnx.tensors import element_dtype
from s2s.types.dtypes import from_numpy, tensor_type

Declared = Mapping[str, ValueInfoProto]
"""What a model declares of its values, by name."""


def declared_values(graph: GraphProto) -> Declared:
    """The values that a graph declares."""
    return {value.name: value for value in (*graph.value_info, *graph.output)}


def custom_importer(domain: str, op_type: str, version: int, declared: Declared) -> Importer | None:
    """The importer that was registered for an operator of a version of a domain; None if there is none."""
    found = custom_operator(op_type, domain, version)
    return (lambda node: _call(node, found, declared)) if isinstance(found, Function) else found


def _call(node: Node, function: Function, declared: Declared) -> Sequence[Value]:
    """The outputs of a call of a function."""
    if node.attributes:
        name = next(iter(node.attributes))
        raise node.unsupported(
            f"attribute {name!r} cannot be passed to function {function.name}",
            "register an importer, which may pass it as a constant by s2s.frontends.custom.call_function",
        )
    operands = node.inputs()
    types = [tensor_type(from_numpy(np.dtype(name)), shape) for name, shape in _outputs(node, function, declared)]
    return call_function(node.builder, function, operands, types)


def _outputs(node: Node, function: Function, declared: Declared) -> Sequence[TensorType]:
    """The types of the outputs."""
    if function.outputs is not None:
        return function.outputs(*((str(value.dtype), value.shape) for value in node.inputs()))
    return [_declared(node, name, declared) for name in node.proto.output if name]


def _declared(node: Node, name: str, declared: Declared) -> TensorType:
    """The type that the model declares of an output."""
    value = declared.get(name)
    dims = declared_dims(value) if value is not None and value.type.tensor_type.HasField("shape") else ["?"]
    shape = tuple(dim for dim in dims if isinstance(dim, int))
    if value is None or len(shape) < len(dims):
        raise node.unsupported(
            f"the model does not declare the shape of output {name!r}",
            "declare it in value_info, or give the function outputs=…",
        )
    return element_dtype(value.type.tensor_type.elem_type, f"output {name}").name, shape
