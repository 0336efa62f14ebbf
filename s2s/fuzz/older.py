"""Write nodes as an earlier opset does, in which lists of numbers were attributes before they became operands.

Squeeze(x, axes)  of opset 13  ->  Squeeze(x) axes = [0]  of opset 11
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import onnx
from onnx import helper
from onnx.defs import OpSchema

from s2s.errors import InputError
from s2s.types.dtypes import Array

_RENAMED = {"K": "k", "constant_value": "value"}
"""Operands whose attribute had another name."""
_SINGLE = (OpSchema.AttrType.INT, OpSchema.AttrType.FLOAT)


@cache
def schema_of(op: str, opset: int) -> OpSchema:
    """The definition of an operator in an opset."""
    if not onnx.defs.has(op, opset, ""):
        raise InputError(f"opset {opset}: has no {op}; use another one")
    return onnx.defs.get_schema(op, opset, "")


def check_types(op: str, opset: int, operands: Sequence[Array | None], results: Sequence[Array]) -> None:
    """Raise an error where an operator does not have operands and results of these element types."""
    schema = schema_of(op, opset)
    pairs = [*zip(operands, _repeated(schema.inputs, len(operands)), strict=True)]
    for value, port in [*pairs, *zip(results, _repeated(schema.outputs, len(results)), strict=True)]:
        if value is not None and _type_text(value) not in port.types:
            raise InputError(f"{op}: opset {opset} takes no {value.dtype} as {port.name}; use another type")


def in_opset(
    op: str, opset: int, operands: Sequence[Array | None], constant: Sequence[bool], attributes: Mapping[str, Any]
) -> tuple[int, dict[str, Any]]:
    """How many operands a node has in an opset, and its attributes: operands that were attributes become these."""
    schema, newest = schema_of(op, opset), onnx.defs.get_schema(op)
    found = {name: value for name, value in attributes.items() if name in schema.attributes}
    for name in attributes.keys() - found.keys():
        if not _is_default(newest, name, attributes[name]):
            raise InputError(f"{op}: opset {opset} has no {name}; leave it out")
    count = len(operands)
    if any(each is None for each in (*operands, *[None] * schema.min_input)[: schema.min_input]):
        raise InputError(f"{op}: opset {opset} takes at least {schema.min_input} operands; give them")
    if count <= schema.max_input:
        return count, found
    for port, value, known in list(zip(newest.inputs, operands, constant, strict=False))[schema.max_input :]:
        name = _RENAMED.get(port.name, port.name)
        if value is None:
            continue
        if name not in schema.attributes or not known or not value.size:
            raise InputError(f"{op}: opset {opset} takes no {port.name}; leave it out")
        found[name] = value.reshape(-1)[0].item() if schema.attributes[name].type in _SINGLE else value.tolist()
    return schema.max_input, found


def _is_default(schema: OpSchema, name: str, value: Any) -> bool:
    if name not in schema.attributes or not schema.attributes[name].default_value.type:
        return False
    given = helper.get_attribute_value(schema.attributes[name].default_value)
    return value == (given.decode() if isinstance(given, bytes) else given)


def _repeated(ports: Sequence[OpSchema.FormalParameter], count: int) -> list[OpSchema.FormalParameter]:
    """The ports of `count` values, where the last one may take several."""
    return [*ports, *([ports[-1]] * (count - len(ports)) if ports else [])][:count]


def _type_text(value: Array) -> str:
    kind = onnx.TensorProto.DataType.Name(helper.np_dtype_to_tensor_dtype(value.dtype)).lower()
    return f"tensor({kind})"
