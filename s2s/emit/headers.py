"""Find the headers that a C function needs: the headers that its calls and symbols name, and its types' headers."""

import math
from collections.abc import Iterable

from xdsl.dialects.builtin import ArrayAttr, FloatAttr, StringAttr, VectorType, i8, i16
from xdsl.ir import Attribute, Operation

from s2s.analysis.network.functions import HEADERS
from s2s.c_syntax import headers
from s2s.dialects import c
from s2s.dialects.c.conversions import is_half
from s2s.dialects.walk import walk
from s2s.types.hints import isa


def headers_of(func: c.FuncOp) -> set[str]:
    """Return the headers as written after `#include`: `<math.h>`, `"s2s_simd.h"`."""
    return {header for op in walk(func) for header in _headers(op)} | set(signature_headers([func]))


def headers_named_by(table: c.GlobalOp) -> list[str]:
    """Return the headers of functions of the runtime that a table points to."""
    named = table.attributes.get(HEADERS)
    return [each.data for each in named if isinstance(each, StringAttr)] if isa(named, ArrayAttr) else []


def signature_headers(functions: Iterable[c.FuncOp]) -> list[str]:
    """Return the headers that the declarations of `functions` need besides `s2s.h`."""
    return type_headers(type for func in functions for type in func.function_type.inputs)


def type_headers(types: Iterable[Attribute]) -> list[str]:
    """Return the headers that declare `types`, besides `s2s.h`: `"s2s_half.h"` for `s2s_f16 *`."""
    return sorted({header for type in types for header in _of_type(type)})


def _headers(op: Operation) -> list[str]:
    match op:
        case c.CallOp() | c.SymbolOp():
            return [] if op.header is None else [op.header.data]
        case c.LiteralOp() if isa(op.value, FloatAttr):
            return [] if math.isfinite(op.value.value.data) else [headers.LIBM]
        case c.VariableOp():
            return _of_type(op.result.type.element)
        case c.LetOp():
            return _of_type(op.result.type)
        case _:
            return []


def _of_type(type: Attribute) -> list[str]:
    match type:
        case VectorType():
            return [headers.DSP if type.element_type in (i8, i16) else headers.SIMD]
        case c.PtrType() | c.ArrayType():
            return _of_type(type.element)
        case c.NamedType() if type.spelling.data == "s2s_pool":
            return [headers.POOL]
        case _:
            return [headers.HALF] if is_half(type) else []
