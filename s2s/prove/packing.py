"""Packed numbers: two of 16 bits, or four of 8, side by side in the bits of one of 32.

A pair (a, b) is a + 2^16 b modulo 2^32, which is no linear form of a and b that would tell them apart. It stays a pair
until shifts or a mask leave one of the two: `(pair << 16) >> 16` is a, and `pair >> 16` is b.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from s2s.prove.choices import Choices
from s2s.prove.control import Conflict
from s2s.prove.ctypes import I8, I16, U8, U16, U32, IntType
from s2s.prove.faults import Unprovable
from s2s.prove.functions import Expression
from s2s.prove.values import Function, Packed, Value, is_number

PACKED = {"s2s_pair": I16, "s2s_group": U8}
"""Functions of the runtime that pack their operands, with the type of these, the first operand in the lowest bits."""
TYPES = {8: (U8, I8), 16: (U16, I16)}
"""For bits of a number, its unsigned and its signed type."""


class Packing(Choices):
    """Operations on packed numbers in all lanes."""

    def packed(self, numbers: Sequence[Value], ctype: IntType) -> Packed:
        """Numbers of a type side by side, the first in the lowest bits."""
        return Packed(tuple(numbers), ctype)

    def on_packed(self, op: str, a: Value, b: Value, ctype: IntType) -> Value:
        """An operation of which an operand is packed: whole numbers are moved, or masked.

        Raises Unprovable for all other operations.
        """
        if op in {"<<", ">>"} and isinstance(a, Packed):
            if not is_number(b):
                msg = "packed numbers are shifted by a count of the input"
                raise Unprovable(msg)
            if not isinstance(b, int):
                raise Conflict(self.varying(b))
            if not b % a.ctype.bits and 0 <= b < ctype.bits:
                return self._shifted(op, a, b // a.ctype.bits, ctype)
        if op == "&":
            packed, mask = (a, b) if isinstance(a, Packed) else (b, a)
            if isinstance(packed, Packed) and isinstance(mask, int):
                return self._masked(packed, mask % (1 << 32))
        if op == "|" and (joined := self.joined(a, b)) is not None:
            return joined
        msg = f"{op} of packed numbers"
        raise Unprovable(msg)

    def joined(self, a: Value, b: Value) -> Packed | None:
        """Bytes at different places, packed: `x | y << 8`; None for all other operands."""
        first, second = _bytes_of(a), _bytes_of(b)
        if first is None or second is None or not set(first).isdisjoint(second):
            return None
        places = {**first, **second}
        return Packed(tuple(places.get(place, 0) for place in range(4)), U8)

    def _shifted(self, op: str, value: Packed, places: int, ctype: IntType) -> Value:
        """Packed numbers moved up or down, with zeros moved in.

        A signed shift down moves copies of the sign bit in, whose numbers are not known.
        """
        count = len(value.numbers)
        if op == "<<":
            return Packed((*(0,) * places, *value.numbers[: count - places]), value.ctype)
        kept = value.numbers[places:]
        if len(kept) == 1:
            return self._alone(kept[0], value.ctype, signed=ctype.signed)
        return Packed((*kept, *(None if ctype.signed else 0,) * places), value.ctype)

    def _masked(self, value: Packed, mask: int) -> Value:
        """Packed numbers of which a mask keeps some."""
        bits = value.ctype.bits
        masks = [mask >> bits * place & ((1 << bits) - 1) for place in range(len(value.numbers))]
        if any(part not in {0, (1 << bits) - 1} for part in masks):
            msg = "a mask that cuts a packed number"
            raise Unprovable(msg)
        numbers = tuple(number if part else 0 for number, part in zip(value.numbers, masks, strict=True))
        return Packed(numbers, value.ctype) if any(masks[1:]) else self._alone(numbers[0], value.ctype, signed=False)

    def _alone(self, number: Value | None, ctype: IntType, *, signed: bool) -> Value:
        """One of the packed numbers, extended to 32 bits by its sign or by zeros."""
        if number is None:
            msg = "the sign bits of packed numbers are read"
            raise Unprovable(msg)
        value = self.convert(number, ctype, TYPES[ctype.bits][signed])
        return self.linear(value) if isinstance(value, Function) else value

    def convert_packed(self, value: Packed, ctype: IntType) -> Value:
        """Packed numbers as a number of 32 bits, or the lowest one alone."""
        if ctype.bits == U32.bits:
            return value
        if ctype.bits == value.ctype.bits:
            return self._alone(value.numbers[0], value.ctype, signed=ctype.signed)
        msg = f"packed numbers as one of {ctype.bits} bits"
        raise Unprovable(msg)

    def convert(self, value: Value, source: IntType, ctype: IntType) -> Value:
        """Conversion between integer types."""
        raise NotImplementedError


def _bytes_of(value: Value) -> dict[int, Value] | None:
    """The bytes of a number of 32 bits that may not be zero, by their places; None where they are not known apart."""
    if isinstance(value, Packed):
        if value.ctype != U8 or any(number is None for number in value.numbers):
            return None
        return {place: number for place, number in enumerate(value.numbers) if number is not None and _varies(number)}
    if is_number(value):
        numbers = {place: value >> 8 * place & U8.most for place in range(4)}
        return {place: number for place, number in numbers.items() if np.any(number)}
    return _shifted_byte(value) if isinstance(value, Function) else None


def _shifted_byte(value: Function) -> dict[int, Value] | None:
    """A byte, and its place, of a number that has no other."""
    expression, bits = _unwrapped(value.expression), 0
    if expression.op == "<<" and isinstance(count := expression.args[1].value, int):
        expression, bits = _unwrapped(expression.args[0]), count
    if not _is_byte(expression) or bits not in {0, 8, 16, 24}:
        return None
    return {bits // 8: Function(value.base, expression, 0, U8.most, value.side)}


def _unwrapped(expression: Expression) -> Expression:
    """An expression below its conversions to 32 bits, which keep the bits."""
    while expression.op == "cast" and expression.ctype.bits == U32.bits:
        (expression,) = expression.args
    return expression


def _is_byte(expression: Expression) -> bool:
    """Whether an expression is a byte without a sign, converted or masked."""
    if expression.op == "&":
        return expression.args[1].op == "const" and expression.args[1].value == U8.most
    return expression.op == "cast" and expression.ctype == U8


def _varies(number: Value) -> bool:
    return not (isinstance(number, int) and number == 0)
