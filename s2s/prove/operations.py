"""The operators of C on typed values: the usual conversions, then arithmetic on numbers or on addresses."""

from __future__ import annotations

import numpy as np

from s2s.prove.ctypes import I32, IntType, common, promoted
from s2s.prove.declarations import PointerType, size_of
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.machine import Machine, Typed
from s2s.prove.values import Form, Function, Number, Pointer, Value, is_number

COMPARISONS = frozenset({"<", ">", "<=", ">=", "==", "!="})


def operate(machine: Machine, op: str, left: Typed, right: Typed) -> Typed:
    """A binary operation after the usual conversions."""
    if isinstance(left[0], Pointer) or isinstance(right[0], Pointer):
        return _on_addresses(machine, op, left, right)
    (a, a_type), (b, b_type) = left, right
    if not (isinstance(a_type, IntType) and isinstance(b_type, IntType)):
        msg = "arithmetic on structures"
        raise Unprovable(msg)
    if op in {"<<", ">>"} and not (a_type.real or b_type.real):
        return _shift(machine, op, machine.to_type(a, a_type, promoted(a_type)), promoted(a_type), right)
    ctype = common(a_type, b_type)
    a, b = machine.to_type(a, a_type, ctype), machine.to_type(b, b_type, ctype)
    if ctype.real and op not in COMPARISONS:
        return machine.arithmetic.on_floats(op, a, b), ctype
    if op in COMPARISONS:
        return machine.arithmetic.compare(op, a, b, ctype), I32
    return machine.arithmetic.binary(op, a, b, ctype), ctype


def _shift(machine: Machine, op: str, value: Value, ctype: IntType, count: Typed) -> Typed:
    """A shift of a promoted value; the count has a type of its own."""
    number, number_type = count
    assert isinstance(number_type, IntType)
    low = value.low if isinstance(value, Form | Function) else value
    if op == "<<" and ctype.signed and isinstance(low, int | np.ndarray) and np.min(low) < 0:
        msg = "a negative number is shifted left"
        raise Fault(msg)
    number = machine.to_type(number, number_type, promoted(number_type))
    return machine.arithmetic.binary(op, value, number, ctype), ctype


def _on_addresses(machine: Machine, op: str, left: Typed, right: Typed) -> Typed:
    """Arithmetic and comparisons of addresses."""
    if op == "+" and isinstance(right[0], Pointer):
        left, right = right, left
    (a, a_type), (b, _) = left, right
    if not isinstance(a, Pointer) or not isinstance(a_type, PointerType):
        msg = f"{op} of a number and an address"
        raise Unprovable(msg)
    if is_number(b) and op in {"+", "-"}:
        return moved(a, b * size_of(a_type.element) * (1 if op == "+" else -1), a_type), a_type
    if not isinstance(b, Pointer) or b.target is not a.target:
        if isinstance(b, Pointer) and op in {"==", "!="}:
            return int(op == "!="), I32
        msg = "addresses of different objects are compared"
        raise Fault(msg)
    if op == "-":
        return (a.plain_offset - b.plain_offset) // size_of(a_type.element), I32
    return machine.arithmetic.compare(op, a.plain_offset, b.plain_offset, I32), I32


def moved(pointer: Pointer, by: Number, ctype: PointerType) -> Pointer:
    """The address some bytes further on."""
    return Pointer(pointer.target, pointer.plain_offset + by, ctype.element)
