"""Write numbers as C literals that read back as the same value.

Floats are written with the fewest decimal digits that tell them from their neighbours, which a compiler that rounds
correctly (C99 annex F; gcc and clang do) reads back exactly. Subnormal numbers are hexadecimal, as decimal ones draw
warnings. Infinity and NaN are the macros of <math.h>; the payload of a NaN is not kept.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, f32, f64
from xdsl.ir import Attribute

from s2s.dialects.c.conversions import is_half, is_unsigned
from s2s.errors import CompilerBug
from s2s.types.dtypes import Array, to_numpy
from s2s.types.hints import isa

_DOUBLES = {"NAN": "(double)NAN", "INFINITY": "(double)INFINITY", "-INFINITY": "-(double)INFINITY"}
_PLAIN = 1 << 31
"""Below this an element of a table needs no suffix: it has the type of the table."""
_SMALLEST_F32 = float(np.finfo(np.float32).smallest_normal)
_SMALLEST_F64 = float(np.finfo(np.float64).smallest_normal)
_SMALLEST_FIXED, _LARGEST_FIXED = 1e-4, 1e6
"""Between these the shortest decimal of six digits has no exponent."""
_SUFFIXES = {32: "u", 64: "ULL"}


def literal(value: Attribute) -> str:
    """A number attribute as a C literal of its type."""
    if isa(value, FloatAttr):
        return float_literal(value.value.data, value.type)
    if isa(value, IntegerAttr):
        return integer_literal(value.value.data, value.type)
    raise CompilerBug(f"{value} is not a number")


def integer_literal(value: int, type: Attribute) -> str:
    """An integer of `type`. The smallest of a signed type has no literal in C; its macro stands for it."""
    if isinstance(type, IndexType):
        return str(value)
    if not isa(type, IntegerType):
        raise CompilerBug(f"{type} is not an integer type")
    width = type.width.data
    if width == 1:
        return "true" if value else "false"
    if is_unsigned(type):
        return f"{value % (1 << width)}{_SUFFIXES.get(width, '')}"
    if width >= 32 and value == -(1 << (width - 1)):
        return f"INT{width}_MIN"
    return f"{value}LL" if width == 64 else str(value)


def float_literal(value: float, type: Attribute) -> str:
    """A float of `type`; a half is the number its bits spell, as C has no half."""
    if type == f32:
        return _f32(np.float32(value))
    if type == f64:
        return _f64(value)
    if is_half(type):
        with np.errstate(over="ignore"):
            half = np.asarray(value).astype(to_numpy(type))
        return _hexadecimal(int(half.view(np.uint16)))
    raise CompilerBug(f"{type} is not a floating type")


def array_literals(array: Array, type: Attribute) -> list[str]:
    """The elements of `array`, flat, as literals; the fast way for many."""
    if array.size > 1 and not any(array.strides):
        return array_literals(array.reshape(-1)[:1], type) * array.size
    if is_half(type):
        return [_hexadecimal(bits) for bits in array.reshape(-1).view(np.uint16).tolist()]
    numbers: list[Any] = array.reshape(-1).tolist()
    if type == f64:
        return [_f64(number) for number in numbers]
    if type == f32:
        return _f32s(array.reshape(-1))
    if isa(type, IntegerType) and type.width.data > 1:
        return [str(number) if abs(number) < _PLAIN else integer_literal(number, type) for number in numbers]
    return [integer_literal(int(number), type) for number in numbers]


def _hexadecimal(bits: int) -> str:
    return f"0x{bits:04x}u"


def _f32s(values: Array) -> list[str]:
    """Many numbers: fast where six digits tell each, as they do samples, and where all are normal or zero."""
    sizes = np.abs(values)
    if np.all((sizes == 0) | ((sizes >= _SMALLEST_FIXED) & (sizes < _LARGEST_FIXED))):
        texts = ("%.6g " * values.size % tuple(values.tolist())).split()
        if np.array_equal(np.array(texts, np.float32), values):
            return [f"{text}f" if "." in text else f"{text}.0f" for text in texts]
    if np.all((sizes == 0) | ((sizes >= _SMALLEST_F32) & (sizes < np.inf))):
        return [_as_c(text, "f") if "e" in text else f"{text}f" for text in map(str, values)]
    return [_f32(value) for value in values]


def _f32(value: "np.float32") -> str:
    return _decimal(value, _SMALLEST_F32, str, "f")


def _f64(value: float) -> str:
    text = _decimal(value, _SMALLEST_F64, repr, "")
    return text if math.isfinite(value) else _DOUBLES[text]


def _decimal(value: Any, smallest_normal: float, shortest: Callable[[Any], str], suffix: str) -> str:
    """The fewest digits of `value`, of which `shortest` knows the type."""
    number = float(value)
    if not math.isfinite(number):
        return "NAN" if math.isnan(number) else "INFINITY" if number > 0 else "-INFINITY"
    if 0 < abs(number) < smallest_normal:
        mantissa, _, exponent = number.hex().partition("p")
        return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}{suffix}"
    return _as_c(shortest(value), suffix)


def _as_c(text: str, suffix: str) -> str:
    """A number as Python writes it, without zeros at the start of its exponent."""
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}{suffix}" if e else mantissa + suffix
