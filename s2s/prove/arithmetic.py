"""Arithmetic of C on values: results are linear forms, functions of one form, or atoms."""

from __future__ import annotations

import numpy as np

from s2s.prove import floats, intervals
from s2s.prove.control import Conflict
from s2s.prove.ctypes import F32, I32, U32, U64, IntType
from s2s.prove.faults import Fault, Unprovable
from s2s.prove.functions import Expression, X, evaluate, merged
from s2s.prove.intervals import Interval
from s2s.prove.packing import Packing
from s2s.prove.residues import MODULI, Group, is_held
from s2s.prove.values import (
    Form,
    Function,
    Number,
    Packed,
    Value,
    as_form,
    as_function,
    bounds,
    is_number,
    is_wide,
    plain,
    refuse_wide,
    side_of,
    within,
)

DIRECT = {"+": np.add, "-": np.subtract, "*": np.multiply}
WIDE = 2.0**40
"""Sums modulo 2^32 whose bounds are wider are reduced, before they become too wide for 64 bits."""
MANY_GROUPS = 64
"""Groups of terms above which a sum is held by residues."""
SIMPLE = {">>", "&"}
SHORT = 1 << 16
"""Values of a number whose products are sums of products of atoms."""


class Arithmetic(Packing):
    """The operators of C on values in all lanes, and conversions between integer types."""

    def binary(self, op: str, a: Value, b: Value, ctype: IntType) -> Value:
        """A ring, shift, division or bitwise operation in `ctype`; the count of a shift has a type of its own."""
        a, b = plain(a), plain(b)
        if ctype.real:
            msg = f"{op} of floats as integers"
            raise Unprovable(msg)
        if isinstance(a, int) and isinstance(b, int) and op in {"+", "-", "*"}:
            return self._in_range(a + b if op == "+" else a - b if op == "-" else a * b, ctype)
        if isinstance(a, int) and isinstance(b, int) and op in SIMPLE and a >= 0 and 0 <= b < ctype.bits:
            return a >> b if op == ">>" else a & b
        if is_number(a) and is_number(b):
            return self._numbers(op, a, b, ctype)
        if isinstance(a, Packed) or isinstance(b, Packed):
            return self.on_packed(op, a, b, ctype)
        if op == "|" and (joined := self.joined(a, b)) is not None:
            return joined
        if op in {"+", "-", "*"} or (op == "<<" and is_number(b)):
            linear = self._ring(op, a, b, ctype)
            if linear is not None:
                return linear
        return self._function(op, a, b, ctype)

    def _in_range(self, value: int, ctype: IntType) -> int:
        if ctype.least <= value <= ctype.most:
            return value
        if ctype.signed:
            msg = f"{value} is no {ctype.bits}-bit number"
            raise Fault(msg)
        return (value - ctype.least) % (1 << ctype.bits) + ctype.least

    def _numbers(self, op: str, a: Number, b: Number, ctype: IntType) -> Number:
        left, right = (np.asarray(x, np.int64) for x in (a, b))
        if op in DIRECT and ctype == U32:
            wrapped = np.asarray(DIRECT[op](_nearest(left), _nearest(right)) % (1 << 32))
            return wrapped if wrapped.ndim else int(wrapped)
        if op in DIRECT and ctype.bits <= 32:
            result = DIRECT[op](left, right)
            if result.min(initial=0) >= ctype.least and result.max(initial=0) <= ctype.most:
                return result
        if op in {"<<", ">>"} and (np.any(right < 0) or np.any(right >= ctype.bits)):
            msg = "a shift by a count that is negative or too large"
            raise Fault(msg)
        if op in {"/", "%"} and np.any(right == 0):
            msg = "a division by zero"
            raise Fault(msg)
        expression = Expression(op, (X, Expression("const", value=right)), ctype)
        result, bad = evaluate(expression, Interval(*np.broadcast_arrays(left, left + 0 * right)), [right + 0 * left])
        if bad is not None and np.any(bad):
            msg = f"overflow of {ctype.bits} bits"
            raise Fault(msg)
        return int(result.low) if isinstance(a, int) and isinstance(b, int) else result.low

    def _ring(self, op: str, a: Value, b: Value, ctype: IntType) -> Form | None:
        """The result as a linear form; None if it is none."""
        if op == "<<":
            assert is_number(b)
            b = plain(np.asarray(np.int64(1) << np.asarray(b)))
            op = "*"
        if (isinstance(a, Function) or isinstance(b, Function)) and self.one_base(a, b) is not None:
            return None
        if ctype.signed:
            a, b = (x if _carries(x) else self.settled(x, ctype) for x in (a, b))
        if (is_number(a) or is_number(b)) and (isinstance(a, Function) or isinstance(b, Function)):
            return None
        if ctype == U32:
            a, b = (_nearest(x) if is_number(x) else x for x in (a, b))
        if op == "*":
            if is_number(a):
                return self._multiple(as_form(b), a, ctype)
            return self._multiple(as_form(a), b, ctype) if is_number(b) else self._product(a, b, ctype)
        if ctype == U32:
            a, b = self._signed_of(a), self._signed_of(b)
        left, right = (self.linear(x) for x in (a, b))
        return self._fitting(self._sum(left, right if op == "+" else self._scaled(right, -1)), ctype)

    def _multiple(self, form: Form, factor: Number, ctype: IntType) -> Form:
        """A form times a number."""
        if ctype == U32 and not form.carried and is_wide(form, factor, WIDE):
            return self.reduced(form, ctype.bits, factor)
        return self._fitting(self._scaled(form, factor), ctype)

    def _signed_of(self, value: Value) -> Value:
        """A function modulo 2^32 as the signed number that is congruent, -1 for 2^32 - 1: its range is narrow, so that
        a sum with others does not seem to wrap around."""
        if not isinstance(value, Function) or within(value, I32):
            return value
        return self.made(value.base, Expression("cast", (value.expression,), I32), [bounds(value)], value.side)

    def _product(self, a: Value, b: Value, ctype: IntType) -> Form | None:
        """The product of two atoms, as the form of an atom, or of two short numbers: (a + 5) * (b + 4) is
        ab + 4 a + 5 b + 20, where ab is an atom."""
        if self.one_base(a, b) is not None:
            return None
        forms = [self.linear(self._signed_of(x) if ctype == U32 else x) for x in (a, b)]
        if all(np.max(np.asarray(form.high) - form.low) < SHORT for form in forms):
            first, second = (self.lines(form) for form in forms)
            if first is not None and second is not None:
                return self._fitting(self.product_of(first, second), ctype)
        if self.with_side(a, b) is not None:
            return None
        left, right = (self.single_atoms(form) for form in forms)
        return self._fitting(self.of_atoms(self.atoms.products(left, right)), ctype)

    def _fitting(self, form: Form, ctype: IntType) -> Form:
        """The result of a ring operation: signed ones may not overflow."""
        for carried in form.carried:
            carried.least = min(carried.least, int(np.min(form.low)))
            carried.most = max(carried.most, int(np.max(form.high)))
        if form.carried or not ctype.signed or within(form, ctype):
            reduces = ctype == U32 and not form.carried and is_wide(form, 1, WIDE)
            return self.reduced(form, ctype.bits) if reduces else form
        tight = self.tightened(form)
        if not within(tight, ctype):
            msg = f"a sum of {int(np.min(tight.low))} to {int(np.max(tight.high))} may overflow {ctype.bits} bits"
            raise Fault(msg)
        return tight

    def _sum(self, a: Form, b: Form) -> Form:
        refuse_wide(a, 1)
        refuse_wide(b, 1)
        carried = a.carried + b.carried
        total = Form(a.constant + b.constant, a.groups + b.groups, a.low + b.low, a.high + b.high, carried)
        return self.held(total) if len(total.groups) > MANY_GROUPS and self.is_long(total) else total

    def _scaled(self, form: Form, factor: Number) -> Form:
        if form.carried and not (isinstance(factor, int) and factor == 1):
            raise Conflict(form.carried[0].loop)
        refuse_wide(form, factor)
        wide = factor[..., None] if isinstance(factor, np.ndarray) and factor.ndim else factor
        groups = tuple(_times(group, wide) for group in form.groups)
        if isinstance(factor, int):
            low, high = (form.low * factor, form.high * factor)[:: 1 if factor >= 0 else -1]
            return Form(form.constant * factor, groups, low, high)
        ends = form.low * factor, form.high * factor
        return Form(form.constant * factor, groups, np.minimum(*ends), np.maximum(*ends))

    def _function(self, op: str, a: Value, b: Value, ctype: IntType) -> Value:
        """The result as a function of the one form that the operands depend on."""
        a, b = self.settled(a, ctype), self.settled(b, ctype if op not in {"<<", ">>"} else I32)
        found = self.one_base(a, b)
        if found is not None:
            return self.made(found[0], Expression(op, found[1:], ctype), [bounds(a), bounds(b)], side_of(a, b))
        sided = self.with_side(a, b)
        if sided is not None:
            base, first, second, side = sided
            return self.made(base, Expression(op, (first, second), ctype), [bounds(a), bounds(b)], side)
        msg = f"{op} of two numbers that depend on the input in different ways"
        raise Unprovable(msg)

    def unary(self, op: str, value: Value, ctype: IntType, result: IntType | None = None) -> Value:
        """An operation on one value of type `ctype` that is no linear one."""
        if op in floats.OPERATIONS and is_number(value):
            return self._float_number(op, ctype, intervals.at(np.asarray(value, np.int64)))
        value = self.settled(value, ctype)
        if not isinstance(value, Form | Function):
            msg = f"{op} of what is no result"
            raise Unprovable(msg)
        function = as_function(value) if isinstance(value, Form) else value
        return self.made(
            function.base, Expression(op, (function.expression,), result or ctype), [bounds(function)], function.side
        )

    def on_floats(self, op: str, a: Value, b: Value) -> Value:
        """A sum, difference, product or quotient of floats, by their keys."""
        a, b = plain(a), plain(b)
        if f"f{op}" not in floats.OPERATIONS:
            msg = f"{op} of floats"
            raise Unprovable(msg)
        if is_number(a) and is_number(b):
            ends = np.broadcast_arrays(np.asarray(a, np.int64), np.asarray(b, np.int64))
            return self._float_number(f"f{op}", F32, *(intervals.at(end) for end in ends))
        return self._function(f"f{op}", a, b, F32)

    def _float_number(self, op: str, ctype: IntType, *values: Interval) -> Number:
        """An operation on floats that do not depend on the input."""
        result, undefined = floats.apply_float(op, ctype, values)
        if undefined is not None and np.any(undefined):
            msg = f"{op} of floats yields NaN or has no place in its type"
            raise Fault(msg)
        return result.low if result.low.ndim else int(result.low)

    def convert_float(self, value: Value, source: IntType, ctype: IntType) -> Value:
        """Conversion of an integer to a float, rounded to nearest, or of a float to an integer, towards zero."""
        op = "i2f" if ctype.real else "f2i"
        if is_number(value):
            return self._float_number(op, ctype, intervals.at(np.asarray(value, np.int64)))
        value = self.settled(value, source)
        if not isinstance(value, Form | Function) or (source == U64 and np.any(np.asarray(value.low) < 0)):
            msg = "a conversion of a number that may be above 2^63, or of what is no number"
            raise Unprovable(msg)
        function = as_function(value) if isinstance(value, Form) else value
        return self.made(
            function.base, Expression(op, (function.expression,), ctype), [bounds(function)], function.side
        )

    def read_as(self, value: Value, ctype: IntType) -> Value:
        """A number in memory as one of `ctype`, whose width it has; it may have been stored with another sign."""
        if isinstance(value, Form | Function) and (within(value, ctype) or _carries(value)):
            return value
        return self.convert(value, ctype, ctype)

    def lookup(self, index: Value, numbers: np.ndarray, name: str) -> Value:
        """numbers[index]; the index may not leave the array for any input."""
        if not isinstance(index, Form | Function):
            msg = "an index that is a comparison"
            raise Unprovable(msg)
        form = self.interned(index) if isinstance(index, Function) else self.tightened(index)
        low, high = int(np.min(form.low)), int(np.max(form.high))
        if low < 0 or high >= len(numbers):
            msg = f"reads element {low if low < 0 else high} of {name}, which has {len(numbers)}"
            raise Fault(msg)
        table = merged(np.arange(len(numbers)), numbers, len(numbers) - 1)
        return self.made(form, Expression("table", (X,), value=table), [bounds(form)])

    def convert(self, value: Value, source: IntType, ctype: IntType) -> Value:
        """Conversion between integer types; to signed ones modulo 2^bits, as all compilers define it."""
        if isinstance(value, int):
            return (value - ctype.least) % (1 << ctype.bits) + ctype.least
        if isinstance(value, np.ndarray):
            return intervals.wrap(Interval(value, value), ctype).low
        if isinstance(value, Packed):
            return self.convert_packed(value, ctype)
        if isinstance(value, Form):
            value = self._converted(value, source, ctype)
        if isinstance(value, Function) and not within(value, ctype):
            if _low_bits(value.expression, ctype.bits) is X:
                return self.settled(value.base, ctype)
            return self.made(value.base, Expression("cast", (value.expression,), ctype), [bounds(value)], value.side)
        return value

    def _converted(self, form: Form, source: IntType, ctype: IntType) -> Value:
        """A form, exact or modulo 2^bits, in another type."""
        if form.carried:
            keeps = ctype.bits >= source.bits if source.signed else 32 <= ctype.bits <= source.bits
            if not keeps or (ctype.signed and not source.signed and source != U32):
                raise Conflict(form.carried[0].loop)
            for carried in form.carried:
                carried.as_signed |= ctype.signed and not source.signed
            return form
        if ctype.bits > source.bits:
            return self.settled(form, source)
        return form if ctype.bits >= 32 else self.settled(form, ctype)


def _low_bits(expression: Expression, bits: int) -> Expression:
    """What has the same lowest bits as an expression: below conversions and masks that keep them, whose results are
    defined always. Example: 16 bits of `(uint16_t)((uint32_t)x & 65535u)` are those of x."""
    while True:
        if expression.op == "cast" and expression.ctype.bits >= bits:
            (expression,) = expression.args
        elif expression.op == "&" and expression.args[1].op == "const" and _keeps(expression.args[1].value, bits):
            expression = expression.args[0]
        else:
            return expression


def _keeps(mask: object, bits: int) -> bool:
    """Whether a mask keeps the lowest bits."""
    return isinstance(mask, int) and mask & ((1 << bits) - 1) == (1 << bits) - 1


def _times(group: Group, factor: Number) -> Group:
    """Terms times a number."""
    ids, coefficients = group
    if not is_held(group):
        return ids, coefficients * factor
    return ids, coefficients * (factor % MODULI) % MODULI


def _nearest(number: Number) -> Number:
    """The number nearest to 0 that is congruent modulo 2^32: -3 for 2^32 - 3, so that sums stay within their type."""
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


def _carries(value: Value) -> bool:
    return isinstance(value, Form) and bool(value.carried)
