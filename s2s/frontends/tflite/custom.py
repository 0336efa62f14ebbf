"""Operators that TFLite does not know: importers that users register by name.

s2s.register_custom_op("Square", lambda node: node.input(0).value * node.input(0).value)
s2s.register_custom_op("Blur", s2s.CFunction("my_blur"))
"""

import re
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import FunctionType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Region

from s2s.analysis.network.functions import CALLBACK, SOURCE
from s2s.c_syntax.reserved import RESERVED
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.builder import Value
from s2s.frontends.tflite.node import Importer, Node
from s2s.support.dataclass import dataclass
from s2s.types.dtypes import as_tensor_type, from_numpy, tensor_type


@dataclass(frozen=True)
class CFunction:
    """A C function that computes an operator: `void name(outputs…, inputs…)`, pointers to the elements of each tensor.

    Where the operator has options, their bytes are the last input. `source` is C that defines the function; without it,
    the project that the tree goes into supplies it.
    """

    name: str
    source: str | None = None


_IMPORTERS: dict[str, Importer | CFunction] = {}


def register_custom_op(name: str, importer: Importer | CFunction) -> None:
    """Import custom operators called `name` by a function that builds their outputs, or as calls of a C function."""
    if not name:
        raise InputError("register_custom_op: the name is empty; give the operator's custom code")
    if isinstance(importer, CFunction) and not _is_name(importer.name):
        raise InputError(f"register_custom_op: {importer.name!r} is no name of a C function; give an identifier")
    _IMPORTERS[name] = importer


def _is_name(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z]\w*", text) is not None and text not in RESERVED


def custom_importer(node: Node) -> Importer:
    """The importer that was registered for the operator of `node`."""
    importer = _IMPORTERS.get(node.info.custom)
    if importer is None:
        raise node.unsupported(
            "no importer is registered for this custom operator",
            f"give one with s2s.register_custom_op({node.info.custom!r}, importer)",
        )
    if isinstance(importer, CFunction):
        function = importer
        return lambda called: _call(called, function)
    return importer


def _call(node: Node, function: CFunction) -> Sequence[Value]:
    """The outputs of a call of a C function."""
    builder = node.builder
    operands = [tensor.value for tensor in node.operands if tensor is not None]
    if node.info.custom_options:
        options = np.frombuffer(node.info.custom_options, np.uint8)
        operands.append(builder.constant(options, f"{node.name}_options"))
    outputs = [node.output_type(position) for position in range(node.output_count)]
    if any(tensor.open_shape for tensor in outputs):
        raise node.unsupported("the shape of its output is open", "fix it when converting the model")
    types = [tensor_type(from_numpy(tensor.dtype), tensor.shape) for tensor in outputs]
    kind = FunctionType.from_lists([value.type for value in operands], types)
    _check_prototype(node, function, kind)
    name = builder.function_name(function.name)
    attributes: dict[str, Attribute] = {CALLBACK: StringAttr(function.name)}
    if function.source is not None:
        attributes[SOURCE] = StringAttr(function.source)
    declaration = FuncOp(name, kind, Region(), visibility="private")
    declaration.attributes |= attributes
    builder.functions.append(declaration)
    return builder.append(graph.CallOp(name, [builder.materialize(value) for value in operands], types))


def _check_prototype(node: Node, function: CFunction, kind: FunctionType) -> None:
    """One C function has one prototype, whatever the shapes."""
    mine = StringAttr(function.name)
    for other in node.builder.functions:
        if other.attributes.get(CALLBACK) == mine and _elements(other.function_type) != _elements(kind):
            raise node.invalid(
                f"C function {function.name} takes other element types in another operator", "register two functions"
            )


def _elements(kind: FunctionType) -> list[list[Attribute]]:
    return [[as_tensor_type(type).element_type for type in types] for types in (kind.inputs, kind.outputs)]
