"""Operators of users: importers, functions of C, or packed functions, by the name that the model calls the operator.

s2s.register_custom_op("Square", lambda node: node.input(0).value * node.input(0).value)       # TFLite
s2s.register_custom_op("Square", lambda node: node.input(0) * node.input(0), domain="com.ours")  # ONNX
s2s.register_custom_op("Blur", s2s.CFunction("my_blur"))
s2s.register_custom_op("Blur", s2s.PackedFunction("my.blur"), domain="com.ours")
"""

from collections.abc import Callable, Sequence
from typing import Any

from s2s.c_syntax.reserved import is_function_name
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.builder import Builder, Value
from s2s.support.frozen import frozen
from s2s.types.dtypes import AnyTensor

EVERY_VERSION = range(1, 1 << 31)
TensorType = tuple[str, tuple[int, ...]]
"""The numpy name of an element type, and a shape."""


@frozen
class CFunction:
    """A C function that computes an operator: `void name(outputs…, inputs…)`, pointers to the elements of each tensor.

    Where a TFLite operator has options, their bytes are the last input. `source` is C that defines the function;
    without it, the project that the tree goes into supplies it. `outputs` tells element types and shapes of the outputs
    from those of the inputs; without it, the model has to declare them.
    """

    name: str
    source: str | None = None
    outputs: Callable[..., Sequence[TensorType]] | None = None


@frozen
class PackedFunction:
    """A packed function that computes an operator: it is called with the inputs and then the outputs, as tensors, and
    writes the outputs.

    In Python's process it is the function that `s2s.register_func` has registered as `name`; elsewhere the one that
    `s2s_global_registry()` has under this name, or a function of C that is linked (`S2S_LINK_PACKED`). `source` is C
    that defines that one: an `s2s_packed_call` called `name`, with `_` for what no identifier has. `outputs` is that
    of `CFunction`.
    """

    name: str
    source: str | None = None
    outputs: Callable[..., Sequence[TensorType]] | None = None


Function = CFunction | PackedFunction
Importer = Callable[[Any], Value | Sequence[Value]]
"""Builds the operations of a node, a `Node` of its frontend, and returns the outputs."""


@frozen
class CustomOperator:
    """What was registered for an operator."""

    importer: Importer | Function
    versions: range


_OPERATORS: dict[tuple[str | None, str], list[CustomOperator]] = {}
"""By domain, None for TFLite, and name; later ones come first."""


def register_custom_op(
    name: str, importer: Importer | Function, *, domain: str | None = None, versions: range = EVERY_VERSION
) -> None:
    """Import operators called `name` by a function that builds their outputs, or as calls of a function of C or of a
    packed function.

    Without `domain` they are custom operators of TFLite. With it they are operators of that domain of ONNX, as far as
    the model imports the domain in one of `versions`; an importer for an operator of ONNX itself (domain "") takes the
    place of the compiler's own.
    """
    if not name:
        raise InputError("register_custom_op: the name is empty; give the operator's custom code or type")
    if isinstance(importer, CFunction) and not is_function_name(importer.name):
        raise InputError(f"register_custom_op: {importer.name!r} is no name of a C function; give an identifier")
    key = ("" if domain == "ai.onnx" else domain), name
    _OPERATORS.setdefault(key, []).insert(0, CustomOperator(importer, versions))


def custom_operator(name: str, domain: str | None = None, version: int = 1) -> Importer | Function | None:
    """What was registered last for an operator in a version of its domain; None if nothing was."""
    found = (each.importer for each in _OPERATORS.get((domain, name), ()) if version in each.versions)
    return next(found, None)


def call_function(
    builder: Builder, function: Function, operands: Sequence[Value], types: Sequence[AnyTensor]
) -> list[Value]:
    """The outputs, of `types`, of a call of a function of C or of a packed function."""
    given = [builder.materialize(value) for value in operands]
    packed = isinstance(function, PackedFunction)
    return builder.append(
        graph.ExternOp(given, function=function.name, result_types=types, packed=packed, source=function.source)
    )
