"""Convert between element types by scalar operations inside regions of `tensor.compute`.

Element types tell whether an integer is unsigned; values are signless. `index` is a signed integer of unknown width,
so it is converted by way of `i32`: no tensor has more elements than that counts.
"""

import math
from collections.abc import Iterator
from typing import cast

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType, bf16, f16, f32, i16, i32
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.errors import CompilerBug
from s2s.types.dtypes import is_bool, is_float, is_integer, is_unsigned, scalar_type, size_in_bytes, to_numpy

Number = int | float
NumberAttr = FloatAttr[AnyFloat] | IntegerAttr[IntegerType | IndexType]


def widened(element: Attribute) -> Attribute:
    """The type for computing with values of `element`: f32 for narrower floats, else `element`."""
    return f32 if element in (f16, bf16) else element


def limits(element: Attribute) -> tuple[Number, Number]:
    """The smallest and the largest value of `element`; infinities for floats."""
    if is_float(element):
        return -math.inf, math.inf
    if is_bool(element):
        return 0, 1
    found = np.iinfo(to_numpy(element))
    return int(found.min), int(found.max)


def number_attribute(value: Number, element: Attribute) -> NumberAttr:
    """`value` as a constant of the scalar type of `element`."""
    if is_float(element):
        return FloatAttr(float(value), cast(AnyFloat, element))
    if int(value) != value:
        raise CompilerBug(f"{value} is not a number of type {element}")
    if isinstance(element, IndexType):
        return IntegerAttr(int(value), element)
    return IntegerAttr(int(value), _signless(element))


def conversion(value: SSAValue, source: Attribute, target: Attribute) -> Iterator[Operation]:
    """Yield the operations that convert `value` from element type `source` to `target`; the last one gives the result.

    To bool: whether nonzero. Float to integer: towards zero. To a narrower float: to nearest, ties to even.
    """
    route = () if scalar_type(source) == scalar_type(target) else _route(source, target)
    for step in route:
        if is_bool(step) and source in (f16, bf16):
            *others, op = _half_is_not_zero(value)
            yield from others
        elif is_bool(step):
            zero = arith.ConstantOp(number_attribute(0, source))
            yield zero
            op = _is_not(value, zero.result, source)
        else:
            op = _step(value, source, step)
        yield op
        value, source = op.results[0], step


def _route(source: Attribute, target: Attribute) -> tuple[Attribute, ...]:
    """The types to convert through, `target` last.

    Conversions between integers and narrow floats, and between two narrow floats, go through f32; those of `index` go
    through i32.
    """
    if isinstance(source, IndexType):
        return (target,) if _is_wide(target) else (i32, *_route(i32, target))
    if isinstance(target, IndexType):
        return (target,) if _is_wide(source) else (i32, target)
    narrow = [element for element in (source, target) if widened(element) != element]
    apart = len(narrow) == 2 or is_float(source) != is_float(target)
    return (f32, target) if narrow and apart and not is_bool(target) else (target,)


def _is_wide(element: Attribute) -> bool:
    return is_integer(element) and size_in_bytes(element) >= 4


def _signless(element: Attribute) -> IntegerType:
    return cast(IntegerType, scalar_type(element))


def _is_not(value: SSAValue, other: SSAValue, element: Attribute) -> Operation:
    return arith.CmpfOp(value, other, "une") if is_float(element) else arith.CmpiOp(value, other, "ne")


def _half_is_not_zero(value: SSAValue) -> Iterator[Operation]:
    """Test all bits but the sign: C compilers make no vectors of halves that are widened one by one."""
    bits = arith.BitcastOp(value, i16)
    mask, zero = (arith.ConstantOp(number_attribute(number, i16)) for number in (0x7FFF, 0))
    magnitude = arith.AndIOp(bits.result, mask.result)
    yield from (bits, mask, magnitude, zero, arith.CmpiOp(magnitude.result, zero.result, "ne"))


def _step(value: SSAValue, source: Attribute, target: Attribute) -> Operation:
    """One operation from `source` to `target`; bools are unsigned."""
    if isinstance(source, IndexType) or isinstance(target, IndexType):
        return arith.IndexCastOp(value, scalar_type(target))
    zero_extended = is_unsigned(source) or is_bool(source)
    widens = size_in_bytes(target) > size_in_bytes(source) or is_bool(source)
    if is_float(target):
        kind = cast(AnyFloat, target)
        if is_float(source):
            return arith.ExtFOp(value, kind) if widens else arith.TruncFOp(value, kind)
        return arith.UIToFPOp(value, kind) if zero_extended else arith.SIToFPOp(value, kind)
    if is_float(source):
        to_unsigned = is_unsigned(target)
        return arith.FPToUIOp(value, _signless(target)) if to_unsigned else arith.FPToSIOp(value, _signless(target))
    if not widens:
        return arith.TruncIOp(value, _signless(target))
    return arith.ExtUIOp(value, _signless(target)) if zero_extended else arith.ExtSIOp(value, _signless(target))
