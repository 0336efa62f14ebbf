"""Write types in C."""

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute

from s2s.dialects.c import ArrayType, NamedType, PtrType
from s2s.dialects.c.conversions import is_unsigned
from s2s.errors import CompilerBug, InputError
from s2s.types.dtypes import ELEMENT_TYPES, size_in_bytes
from s2s.types.hints import isa

INDEX = "int32_t"
"""The integer type that counts elements: wide enough for every buffer of 2 GB, narrow enough for a 32-bit core."""

_FLOATS: tuple[tuple[type[Attribute], str, str], ...] = (
    (Float32Type, "float", "f32"),
    (Float64Type, "double", "f64"),
    (Float16Type, "s2s_f16", "f16"),
    (BFloat16Type, "s2s_bf16", "bf16"),
)


def c_type(type: Attribute) -> str:
    """The name of a type that is not an array: `const float *`, `uint8_t`, `s2s_f32x16`."""
    if isa(type, PtrType):
        return declaration(type.without_restrict(), "").rstrip()
    if isa(type, NamedType):
        return type.spelling.data
    if isa(type, IndexType):
        return INDEX
    if isa(type, IntegerType):
        return _integer(type)
    if isa(type, VectorType):
        return vector_type(type.element_type, type.get_shape()[0])
    for known, spelling, _ in _FLOATS:
        if isa(type, known):
            return spelling
    raise CompilerBug(f"C has no type {type}")


def declaration(type: Attribute, name: str, *, const: bool = False, restrict: str = "restrict") -> str:
    """A declaration of `name`: `const float *restrict x`, `uint32_t wide[64]`; `const` is about `name` itself.

    `restrict` is how that qualifier of a pointer is spelled.
    """
    if isa(type, ArrayType):
        return declaration(type.element, f"{name}[{type.size}]", const=const)
    if isa(type, PtrType):
        qualifiers = f"{f'{restrict} ' if type.is_restrict else ''}{'const ' if const else ''}"
        return declaration(type.element, f"*{qualifiers}{name}", const=type.is_const)
    return f"{'const ' if const else ''}{c_type(type)} {name}"


def vector_type(element: Attribute, lanes: int) -> str:
    """The runtime's name for a vector: `s2s_f32x16`."""
    return f"s2s_{element_name(element)}x{lanes}"


def element_name(type: Attribute) -> str:
    """The short name of a scalar type in the names of runtime functions: `f32`, `i8`, `u16`, `bool`."""
    if isa(type, IntegerType):
        width = type.width.data
        return "bool" if width == 1 else f"{'u' if is_unsigned(type) else 'i'}{width}"
    for known, _, short in _FLOATS:
        if isa(type, known):
            return short
    raise CompilerBug(f"{type} is no element type")


def dlpack_of(element: Attribute) -> tuple[str, int]:
    """The code of an element type in DLPack, as a macro of the runtime, and its bits."""
    bits = 8 * size_in_bytes(element)
    if isa(element, IntegerType):
        return f"S2S_DTYPE_{'BOOL' if element == i1 else 'UINT' if is_unsigned(element) else 'INT'}", bits
    return f"S2S_DTYPE_{'BFLOAT' if isinstance(element, BFloat16Type) else 'FLOAT'}", bits


def element_named(name: str) -> Attribute:
    """The element type of an element name, as `metadata.json` has them."""
    for element in ELEMENT_TYPES:
        if element_name(element) == name:
            return element
    raise InputError(f"{name}: no element type is called so; was the tree written by another version of s2s?")


def _integer(type: IntegerType) -> str:
    width = type.width.data
    if width == 1:
        return "bool"
    if width not in (8, 16, 32, 64):
        raise CompilerBug(f"C99 has no integer of {width} bits")
    return f"{'u' if is_unsigned(type) else ''}int{width}_t"
