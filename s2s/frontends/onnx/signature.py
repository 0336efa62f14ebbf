"""Read signatures of operators from the onnx package: arity, attributes, and the permitted element types."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

import numpy as np
from onnx import AttributeProto, NodeProto, defs

from s2s.errors import InputError
from s2s.frontends.names import one_line
from s2s.frontends.onnx.names import operator, place
from s2s.frontends.onnx.tensors import type_name

FLAGS = frozenset(
    [
        "align_corners",
        "allowzero",
        "antialias",
        "broadcast",
        "ceil_mode",
        "count_include_pad",
        "detect_negative",
        "detect_positive",
        "exclude_outside",
        "exclusive",
        "fmod",
        "input_forget",
        "interleaved",
        "inverse",
        "is_causal",
        "is_test",
        "keepdims",
        "largest",
        "layout",
        "linear_before_reset",
        "noop_with_empty_axes",
        "onesided",
        "output_sequence",
        "periodic",
        "reverse",
        "saturate",
        "select_last_index",
        "sorted",
        "spatial",
        "training_mode",
        "transA",
        "transB",
        "upper",
    ]
)
"""Integer attributes that mean true or false. Other numbers than 0 and 1 are read differently by every engine."""


class Parameter(NamedTuple):
    """An input: its name, the type variable or type it has, and the types allowed for it."""

    name: str
    variable: str
    types: frozenset[str]
    required: bool
    homogeneous: bool


class Signature(NamedTuple):
    """An operator in the version that an opset means."""

    since: int
    deprecated: bool
    inputs: tuple[Parameter, ...]
    outputs: tuple[str, ...]
    """The type variable or type of each output; the last one repeats when there are more."""
    variadic: bool
    min_inputs: int
    max_inputs: int
    min_outputs: int
    max_outputs: int
    attribute_types: Mapping[str, int]
    required: frozenset[str]
    defaults: Mapping[str, AttributeProto]

    def parameter(self, position: int) -> Parameter:
        """The declaration of input `position`; the last one repeats when the operator is variadic."""
        return self.inputs[min(position, len(self.inputs) - 1)]


@lru_cache(maxsize=1024)
def signature(domain: str, op_type: str, opset: int) -> Signature | None:
    """The signature of an operator, None when `opset` of `domain` has no such operator."""
    if not defs.has(op_type, opset, domain):
        return None
    schema = defs.get_schema(op_type, opset, domain)
    attributes = schema.attributes
    inputs = schema.inputs
    return Signature(
        since=schema.since_version,
        deprecated=schema.deprecated,
        inputs=tuple(
            Parameter(
                parameter.name,
                parameter.type_str,
                frozenset(parameter.types),
                parameter.option == defs.OpSchema.FormalParameterOption.Single,
                parameter.is_homogeneous,
            )
            for parameter in inputs
        ),
        outputs=tuple(parameter.type_str for parameter in schema.outputs),
        variadic=bool(inputs) and inputs[-1].option == defs.OpSchema.FormalParameterOption.Variadic,
        min_inputs=schema.min_input,
        max_inputs=schema.max_input,
        min_outputs=schema.min_output,
        max_outputs=schema.max_output,
        attribute_types={name: cast(int, attribute.type) for name, attribute in attributes.items()},
        required=frozenset(name for name, attribute in attributes.items() if attribute.required),
        defaults={
            name: attribute.default_value
            for name, attribute in attributes.items()
            if attribute.default_value.type != AttributeProto.UNDEFINED
        },
    )


def check_node(node: NodeProto, declared: Signature, attributes: Mapping[str, AttributeProto]) -> None:
    """Refuse a node whose number of inputs, of outputs, or whose attributes the operator does not have."""
    where = place(node)
    for what, count, least, most in (
        ("inputs", len(node.input), declared.min_inputs, declared.max_inputs),
        ("outputs", len(node.output), declared.min_outputs, declared.max_outputs),
    ):
        if not least <= count <= most:
            raise InputError(f"{where}: has {count} {what}, {operator(node)} takes {_span(least, most)}; fix the node")
    for position, name in enumerate(node.input):
        if not name and declared.parameter(position).required:
            raise InputError(f"{where}: required input {declared.parameter(position).name!r} is left out; connect it")
    for name, attribute in attributes.items():
        expected = declared.attribute_types.get(name)
        if expected is None:
            raise InputError(f"{where}: {operator(node)} has no attribute {one_line(name)!r}; remove it")
        if attribute.type != expected:
            raise InputError(
                f"{where}: attribute {name!r} is of type {_type_text(attribute.type)}, "
                f"expected {_type_text(expected)}; fix the node"
            )
        if name in FLAGS and attribute.type == AttributeProto.INT and attribute.i not in (0, 1):
            raise InputError(f"{where}: attribute {name!r} is {attribute.i}; give 0 or 1")
    for name in sorted(declared.required - attributes.keys()):
        raise InputError(f"{where}: required attribute {name!r} is missing; add it")


def check_types(node: NodeProto, declared: Signature, dtypes: Sequence[np.dtype[np.generic] | None]) -> None:
    """Refuse inputs of a type the operator does not take, or of different types where they must be equal."""
    bound: dict[str, tuple[str, str]] = {}
    for position, dtype in enumerate(dtypes):
        if dtype is None:
            continue
        parameter, found = declared.parameter(position), type_name(dtype)
        if parameter.types and found not in parameter.types:
            raise InputError(
                f"{place(node)}: input {parameter.name!r} is {found}, which {operator(node)} of opset "
                f"{declared.since} does not take; insert a Cast"
            )
        if not parameter.homogeneous:
            continue
        other, name = bound.setdefault(parameter.variable, (found, parameter.name))
        if other != found:
            raise InputError(
                f"{place(node)}: inputs {name!r} of type {other} and {parameter.name!r} of type {found} "
                "must have the same type; insert a Cast"
            )


def _span(least: int, most: int) -> str:
    if least == most:
        return str(least)
    return f"{least} or more" if most == 2**31 - 1 else f"{least} to {most}"


def _type_text(attribute_type: int) -> str:
    known = AttributeProto.AttributeType.DESCRIPTOR.values_by_number
    return known[attribute_type].name if attribute_type in known else str(attribute_type)
