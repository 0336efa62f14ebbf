"""Operators of users: importers, or functions of C, by the name that the model calls the operator.

s2s.register_custom_op("Square", lambda node: node.input(0).value * node.input(0).value)       # TFLite
s2s.register_custom_op("Square", lambda node: node.input(0) * node.input(0), domain="com.ours")  # ONNX
s2s.register_custom_op("Blur", s2s.CFunction("my_blur"))
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Region

from s2s.analysis.network.functions import CALLBACK, SOURCE
from s2s.c_syntax.reserved import RESERVED
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.builder import Builder, Value
from s2s.types.dtypes import AnyTensor, as_tensor_type

EVERY_VERSION = range(1, 1 << 31)
TensorType = tuple[str, tuple[int, ...]]
"""The numpy name of an element type, and a shape."""


@dataclass(frozen=True)
class CFunction:
    """A C function that computes an operator: `void name(outputs…, inputs…)`, pointers to the elements of each tensor.

    Where a TFLite operator has options, their bytes are the last input. `source` is C that defines the function;
    without it, the project that the tree goes into supplies it. `outputs` tells element types and shapes of the outputs
    from those of the inputs; without it, the model has to declare them.
    """

    name: str
    source: str | None = None
    outputs: Callable[..., Sequence[TensorType]] | None = None


Importer = Callable[[Any], Value | Sequence[Value]]
"""Builds the operations of a node, a `Node` of its frontend, and returns the outputs."""


@dataclass(frozen=True)
class CustomOperator:
    """What was registered for an operator."""

    importer: Importer | CFunction
    versions: range


_OPERATORS: dict[tuple[str | None, str], list[CustomOperator]] = {}
"""By domain, None for TFLite, and name; later ones come first."""


def register_custom_op(
    name: str, importer: Importer | CFunction, *, domain: str | None = None, versions: range = EVERY_VERSION
) -> None:
    """Import operators called `name` by a function that builds their outputs, or as calls of a C function.

    Without `domain` they are custom operators of TFLite. With it they are operators of that domain of ONNX, as far as
    the model imports the domain in one of `versions`; an importer for an operator of ONNX itself (domain "") takes the
    place of the compiler's own.
    """
    if not name:
        raise InputError("register_custom_op: the name is empty; give the operator's custom code or type")
    if isinstance(importer, CFunction) and not _is_name(importer.name):
        raise InputError(f"register_custom_op: {importer.name!r} is no name of a C function; give an identifier")
    key = ("" if domain == "ai.onnx" else domain), name
    _OPERATORS.setdefault(key, []).insert(0, CustomOperator(importer, versions))


def custom_operator(name: str, domain: str | None = None, version: int = 1) -> Importer | CFunction | None:
    """What was registered last for an operator in a version of its domain; None if nothing was."""
    found = (each.importer for each in _OPERATORS.get((domain, name), ()) if version in each.versions)
    return next(found, None)


def _is_name(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z]\w*", text) is not None and text not in RESERVED


def call_c_function(
    builder: Builder, place: str, function: CFunction, operands: Sequence[Value], types: Sequence[AnyTensor]
) -> list[Value]:
    """The outputs, of `types`, of a call of a C function; `place` names the operator in errors."""
    kind = FunctionType.from_lists([value.type for value in operands], list(types))
    _check_prototype(builder, place, function, kind)
    name = builder.function_name(function.name)
    attributes: dict[str, Attribute] = {CALLBACK: StringAttr(function.name)}
    if function.source is not None:
        attributes[SOURCE] = StringAttr(function.source)
    declaration = FuncOp(name, kind, Region(), visibility="private")
    declaration.attributes |= attributes
    builder.functions.append(declaration)
    return builder.append(graph.CallOp(name, [builder.materialize(value) for value in operands], types))


def _check_prototype(builder: Builder, place: str, function: CFunction, kind: FunctionType) -> None:
    """One C function has one prototype, whatever the shapes."""
    mine = StringAttr(function.name)
    for other in builder.functions:
        if other.attributes.get(CALLBACK) == mine and _elements(other.function_type) != _elements(kind):
            raise InputError(
                f"{place}: C function {function.name} takes other element types in another operator; "
                "register two functions"
            )


def _elements(kind: FunctionType) -> list[list[Attribute]]:
    return [[as_tensor_type(type).element_type for type in types] for types in (kind.inputs, kind.outputs)]
