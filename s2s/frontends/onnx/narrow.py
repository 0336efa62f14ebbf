"""Elements of eight, six, four and two bits: unpacked from a byte each, and converted exactly.

A value of a narrow type is a tensor of its carriers (`s2s.types.narrow`), marked with the type. Whoever moves elements
needs to know no more; what computes with them converts first:

    float -> float8 e4m3fn    round the bits of |x| to three of mantissa, rebase the exponent, put the sign in front
    float8 -> float           look the byte up in a table of 256 numbers
"""

from math import lcm, prod
from typing import NamedTuple

import ml_dtypes
import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, equal, greater, less, pad, reshape, select, take
from s2s.types.dtypes import from_numpy
from s2s.types.narrow import BYTE, NARROW, Narrow

_BYTE, _WORD, _FLOAT = np.dtype(np.uint8), np.dtype(np.int32), np.dtype(np.float32)
_MANTISSA, _BIAS, _INFINITY = 23, 127, 0x7F800000


class _Format(NamedTuple):
    """A float format: `mantissa` bits, exponent `bias`, the codes of its largest number, of NaN, and of infinity."""

    mantissa: int
    bias: int
    largest: int
    nan: int
    infinity: int
    """What overflows becomes this where it does not saturate."""
    signed_zero: bool = True


_FORMATS = {
    np.dtype(ml_dtypes.float8_e4m3fn): _Format(3, 7, 0x7E, 0x7F, 0x7F),
    np.dtype(ml_dtypes.float8_e4m3fnuz): _Format(3, 8, 0x7F, 0x80, 0x80, signed_zero=False),
    np.dtype(ml_dtypes.float8_e5m2): _Format(2, 15, 0x7B, 0x7E, 0x7C),
    np.dtype(ml_dtypes.float8_e5m2fnuz): _Format(2, 16, 0x7F, 0x80, 0x80, signed_zero=False),
    np.dtype(ml_dtypes.float6_e2m3fn): _Format(3, 1, 0x1F, 0x0, 0x1F),
    np.dtype(ml_dtypes.float6_e3m2fn): _Format(2, 3, 0x1F, 0x0, 0x1F),
    np.dtype(ml_dtypes.float4_e2m1fn): _Format(1, 1, 0x7, 0x0, 0x7),
}
_EXPONENTS = np.dtype(ml_dtypes.float8_e8m0fnu)


def marked(value: Value, narrow: Narrow | None) -> Value:
    """The same tensor, whose elements are carriers of `narrow`, or numbers if that is None."""
    same = Value(value.builder, value.type, value.name, value.stored, value.ssa, value.kept)
    same.narrow = narrow
    return same


def with_kind_of(value: Value, operand: Value | None) -> Value:
    """The same tensor, whose elements are narrow numbers or texts where the elements of `operand` are."""
    if operand is None:
        return value
    same = marked(value, operand.narrow)
    same.texts = operand.texts
    return same


def unpacked(data: Value, narrow: Narrow, shape: tuple[int, ...]) -> Value:
    """The tensor of `shape` whose bytes are `data`."""
    if narrow.fills_byte:
        return marked(data, narrow)
    codes = reshape(_regrouped(data, BYTE, narrow.bits, prod(shape)), shape)
    return marked(codes if narrow.is_float else _wrapped(codes, narrow), narrow)


def packed(value: Value, narrow: Narrow) -> Value:
    """The bytes of a tensor."""
    codes = cast(marked(value, None), _BYTE)
    if narrow.fills_byte:
        return codes
    flat = reshape(codes, [value.type.element_count()])
    return _regrouped(flat, narrow.bits, BYTE, narrow.packed_size(value.shape))


def _regrouped(codes: Value, given: int, wanted: int, count: int) -> Value:
    """Cut a row of bytes, the low `given` bits of each, into `count` codes of `wanted` bits, the first in the low bits.

    Four codes of six bits, 1 33 31 0: the word 1 + 33 * 2^6 + 31 * 2^12 = 0x1f841, the bytes 0x41 0xf8 0x01.
    """
    bits = lcm(given, wanted)
    rows, parts = -(-codes.shape[0] * given // bits), bits // given
    codes = pad(codes, [0], [rows * parts - codes.shape[0]])
    if given < BYTE:
        codes = emit(graph.BitwiseAndOp, codes, codes.like(2**given - 1))
    columns = reshape(cast(codes, _BYTE if bits == BYTE else _WORD), [rows, parts])
    words = take(columns, 1, 0, 1)
    for place in range(1, parts):
        column = take(columns, 1, place, 1)
        words = emit(graph.BitwiseOrOp, words, emit(graph.ShiftLeftOp, column, column.like(place * given)))
    if bits > wanted:
        shifts = codes.builder.constant(np.arange(0, bits, wanted, dtype=words.dtype))
        words = emit(graph.ShiftRightOp, words, shifts)
        words = emit(graph.BitwiseAndOp, words, words.like(2**wanted - 1))
    return cast(take(reshape(words, [rows * (bits // wanted)]), 0, 0, count), _BYTE)


def _wrapped(codes: Value, narrow: Narrow) -> Value:
    """The low bits of integers as numbers of `narrow`."""
    low = emit(graph.BitwiseAndOp, codes, codes.like(2**narrow.bits - 1))
    if narrow.carrier == _BYTE:
        return cast(low, _BYTE)
    half = 2 ** (narrow.bits - 1)
    low = cast(low, narrow.carrier)
    return emit(graph.BitwiseXorOp, low, low.like(half)) - half


def numbers(x: Value) -> Value:
    """The numbers that the elements of `x` are: floats for a narrow float type, else as they are carried."""
    narrow, plain = x.narrow, marked(x, None)
    if narrow is None or not narrow.is_float:
        return plain
    codes = np.arange(2**narrow.bits, dtype=np.uint8).view(narrow.dtype)
    return emit(graph.GatherOp, x.builder.constant(codes.astype(np.float32)), plain, axis=0)


def convert(x: Value, target: np.dtype[np.generic], *, saturate: bool = True, round_mode: str = "up") -> Value:
    """`x` converted to `target`; `saturate` and `round_mode` as ONNX's Cast has them."""
    if x.model_dtype == target:
        return x
    given, narrow = numbers(x), NARROW.get(target)
    if narrow is None:
        return cast(given, target)
    if not narrow.is_float:
        whole = cast(given, _WORD) if given.is_float else given
        return marked(_wrapped(cast(whole, narrow.carrier), narrow), narrow)
    single = cast(given, _FLOAT)  # what is wider is rounded twice, by ml_dtypes and onnxruntime as well
    codes = _exponents(single, saturate, round_mode) if target == _EXPONENTS else _codes(single, narrow, saturate)
    return marked(codes, narrow)


def _bits(x: Value) -> Value:
    return emit(graph.BitcastOp, x, element_type=from_numpy(_WORD))


def _codes(x: Value, narrow: Narrow, saturate: bool) -> Value:
    """Floats rounded to nearest, ties to even, as the codes of a narrow float type."""
    form = _FORMATS[narrow.dtype]
    bits = _bits(x)
    size = emit(graph.BitwiseAndOp, bits, bits.like(0x7FFFFFFF))
    negative = less(bits, 0)
    shift = _MANTISSA - form.mantissa
    even = emit(graph.BitwiseAndOp, emit(graph.ShiftRightOp, size, size.like(shift)), size.like(1))
    rounded = emit(graph.ShiftRightOp, size + even + ((1 << (shift - 1)) - 1), size.like(shift))
    normal = rounded - ((_BIAS - form.bias) << form.mantissa)
    step = np.float32(2.0 ** (1 - form.bias - form.mantissa + _MANTISSA))
    subnormal = _bits(abs(x) + float(step)) - int(step.view(np.int32))
    code = select(less(size, (_BIAS + 1 - form.bias) << _MANTISSA), subnormal, normal)
    code = select(greater(code, form.largest), code.like(form.largest if saturate else form.infinity), code)
    code = select(greater(size, _INFINITY), code.like(form.nan), code)
    sign = 1 << (narrow.bits - 1)
    with_sign = emit(graph.BitwiseOrOp, code, code.like(sign))
    if not form.signed_zero:
        negative = emit(graph.LogicalAndOp, negative, greater(code, 0))
    return cast(select(negative, with_sign, code), _BYTE)


def _exponents(x: Value, saturate: bool, round_mode: str) -> Value:
    """The exponents of floats, rounded by their mantissas; NaN and infinities become 255."""
    bits = _bits(x)
    size = emit(graph.BitwiseAndOp, bits, bits.like(0x7FFFFFFF))
    exponent = emit(graph.ShiftRightOp, size, size.like(_MANTISSA))
    rest = emit(graph.BitwiseAndOp, size, size.like((1 << _MANTISSA) - 1))
    half = 1 << (_MANTISSA - 1)
    if round_mode == "nearest":
        tie = emit(graph.LogicalAndOp, equal(rest, half), greater(exponent, 0))
        up = emit(graph.LogicalOrOp, greater(rest, half), tie)
    else:
        up = greater(rest, 0)
    if saturate:
        up = emit(graph.LogicalAndOp, up, less(exponent, 0xFE))
    raised = exponent if round_mode == "down" else exponent + cast(up, _WORD)
    return cast(select(less(exponent, 0xFF), raised, exponent.like(0xFF)), _BYTE)
