"""Expand operators that ONNX itself defines by simpler operators.

Importers written by hand come first, as they know what the network will become; this is how the others, and those
that future opsets bring, work all the same.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from onnx import (
    AttributeProto,
    FunctionProto,
    NodeProto,
    TypeProto,
    defs,
    helper,
    numpy_helper,
    shape_inference,
)
from onnx.checker import ValidationError

from s2s.errors import S2SError
from s2s.frontends.builder import Value
from s2s.frontends.onnx.scope import Binding
from s2s.frontends.onnx.tensors import element_dtype
from s2s.types.dtypes import AnyTensor, from_numpy, tensor_type
from s2s.types.size import Size

_SMALL = 64
"""Elements of a constant that inference is shown; shapes are not longer."""


class _Definition(Protocol):
    """The part of `onnx.defs.OpSchema` that its type stub leaves out."""

    has_function: bool
    has_context_dependent_function: bool

    def get_function_with_opset_version(self, opset: int, /) -> bytes: ...

    def get_context_dependent_function_with_opset_version(
        self, opset: int, node: bytes, types: Sequence[bytes], /
    ) -> bytes: ...


def _definition(domain: str, op_type: str, opset: int) -> _Definition:
    return cast(_Definition, defs.get_schema(op_type, opset, domain))


def has_function_body(domain: str, op_type: str, opset: int) -> bool:
    """Whether ONNX defines the operator by others."""
    schema = _definition(domain, op_type, opset)
    return schema.has_function or schema.has_context_dependent_function


def function_body(
    node: NodeProto,
    domain: str,
    opset: int,
    attributes: Mapping[str, AttributeProto],
    operands: Sequence[Binding],
) -> FunctionProto:
    """The definition of `node` by other operators, for operands of these types; without nodes if there is none.

    ONNX states none for an opset that changed an operator of the definition (RotaryEmbedding of opset 23 beside the
    Reshape of opset 24): then that of an earlier opset holds, which says itself what opset its operators are of.
    """
    schema = defs.get_schema(node.op_type, opset, domain)
    found = (_body(node, domain, each, attributes, operands) for each in range(opset, schema.since_version - 1, -1))
    return next((each for each in found if each.node), FunctionProto())


def _body(
    node: NodeProto,
    domain: str,
    opset: int,
    attributes: Mapping[str, AttributeProto],
    operands: Sequence[Binding],
) -> FunctionProto:
    """What ONNX states as the definition of `node` in one opset."""
    schema = _definition(domain, node.op_type, opset)
    if schema.has_function:
        body = schema.get_function_with_opset_version(opset)
    else:
        plain = NodeProto(op_type=node.op_type, domain=node.domain, name=node.name)
        plain.input.extend(node.input)
        plain.output.extend(node.output)
        plain.attribute.extend(attributes.values())
        types = [type_proto(operand).SerializeToString() for operand in operands]
        body = schema.get_context_dependent_function_with_opset_version(opset, plain.SerializeToString(), types)
    function = FunctionProto.FromString(body)
    if not function.opset_import:
        function.opset_import.add(domain="", version=opset)
    return function


def type_proto(operand: Binding) -> TypeProto:
    """The ONNX type of a value, in which sizes that vary are open; an empty one for an operand left out."""
    if not isinstance(operand, Value):
        return TypeProto()
    shape = [size.text if isinstance(size, Size) else size for size in operand.shape]
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(operand.model_dtype), shape)


def infer_outputs(node: NodeProto, domain: str, opset: int, operands: Sequence[Binding]) -> list[AnyTensor | None]:
    """Types of the outputs by ONNX's own inference; None where it cannot tell."""
    named = {name: operand for name, operand in zip(node.input, operands, strict=True) if isinstance(operand, Value)}
    types = {name: type_proto(operand) for name, operand in named.items()}
    data = {
        name: numpy_helper.from_array(operand.array, name)
        for name, operand in named.items()
        if operand.array is not None and operand.array.dtype != object and operand.array.size <= _SMALL
    }
    if not defs.has(node.op_type, opset, domain):
        return [None] * len(node.output)
    schema = defs.get_schema(node.op_type, opset, domain)
    try:
        found = shape_inference.infer_node_outputs(schema, node, types, data)
    except (shape_inference.InferenceError, ValidationError, RuntimeError, KeyError, ValueError, TypeError):
        return [None] * len(node.output)
    return [_static_type(found.get(name)) for name in node.output]


def _static_type(proto: TypeProto | None) -> AnyTensor | None:
    if proto is None or not proto.HasField("tensor_type") or not proto.tensor_type.HasField("shape"):
        return None
    dims = proto.tensor_type.shape.dim
    if any(not dim.HasField("dim_value") or dim.dim_value < 1 for dim in dims):
        return None
    try:
        dtype = element_dtype(proto.tensor_type.elem_type, "")
        return tensor_type(from_numpy(dtype), tuple(dim.dim_value for dim in dims))
    except S2SError:
        return None
