"""Comparisons and choices on values: C's `<`, `==` and `?:`."""

from __future__ import annotations

import numpy as np

from s2s.prove import intervals
from s2s.prove.control import Conflict
from s2s.prove.ctypes import BOOL, U64, IntType
from s2s.prove.dependence import Dependence
from s2s.prove.faults import Unprovable
from s2s.prove.functions import Expression, negated
from s2s.prove.intervals import Interval
from s2s.prove.values import Comparison, Form, Function, Value, bounds, is_number, plain, side_of

FLIPPED = {">": "<", ">=": "<="}


class Choices(Dependence):
    """Comparisons and choices in all lanes."""

    def compare(self, op: str, a: Value, b: Value, ctype: IntType) -> Value:
        """a < b and its like, 1 or 0."""
        a, b = plain(a), plain(b)
        if op in FLIPPED:
            op, a, b = FLIPPED[op], b, a
        if op == "<=":
            return self.negated(self.compare("<", b, a, ctype))
        if op == "!=":
            return self.negated(self.compare("==", a, b, ctype))
        if a is b and isinstance(a, Form | Function) and not (isinstance(a, Form) and a.carried):
            return int(op == "==")
        if ctype.real:
            a, b = self._as_compared(a, b, ctype)
        return self._compared(op, a, b, ctype)

    def _as_compared(self, a: Value, b: Value, ctype: IntType) -> tuple[Value, Value]:
        """Floats whose keys compare as they do: -0.0 is 0.0.

        Raises Unprovable where they are results of different sums, whose maximum may be either zero.
        """
        a, b = (self.unary("zero", x, ctype) for x in (a, b))
        if not (is_number(a) and is_number(b)) and self.one_base(a, b) is None:
            msg = "floats of different results are compared"
            raise Unprovable(msg)
        return a, b

    def _compared(self, op: str, a: Value, b: Value, ctype: IntType) -> Value:
        """a < b or a == b."""
        if ctype == U64 and any(np.any(np.asarray(bounds(x)[0]) < 0) for x in (a, b)):
            msg = "64-bit unsigned numbers are compared that may be above 2^63"
            raise Unprovable(msg)
        if is_number(a) and is_number(b):
            result = np.less(a, b) if op == "<" else np.equal(a, b)
            return int(result) if result.ndim == 0 else result.astype(np.int64)
        a, b = self.settled(a, ctype), self.settled(b, ctype)
        found = self.one_base(a, b)
        if found is not None:
            return self.made(found[0], Expression(op, found[1:], BOOL), [bounds(a), bounds(b)], side_of(a, b))
        sided = self.with_side(a, b) if side_of(a, b) is not None else None
        if sided is not None:
            return self.made(sided[0], Expression(op, sided[1:3], BOOL), [bounds(a), bounds(b)], sided[3])
        compared = intervals.less if op == "<" else intervals.equal
        result = compared(*(Interval(*(np.asarray(end) for end in bounds(x))) for x in (a, b)))
        if np.all(result.single):
            return result.low if result.low.ndim else int(result.low)
        return Comparison(op, a, b)

    def unary(self, op: str, value: Value, ctype: IntType) -> Value:
        """An operation on one value."""
        raise NotImplementedError

    def negated(self, value: Value) -> Value:
        """1 - value of a truth value."""
        if is_number(value):
            return 1 - value
        if isinstance(value, Function):
            return Function(value.base, negated(value.expression), 1 - value.high, 1 - value.low, value.side)
        if isinstance(value, Comparison):
            return Comparison("not " + value.op, value.a, value.b)
        msg = "a comparison of what is none"
        raise Unprovable(msg)

    def select(self, condition: Value, yes: Value, no: Value, ctype: IntType) -> Value:
        """The value of C's ?: with operands of type `ctype`."""
        if isinstance(condition, int):
            return yes if condition else no
        if isinstance(condition, np.ndarray):
            return self._by_lane(condition, yes, no)
        if isinstance(condition, Comparison):
            return self._extreme(condition, yes, no)
        if not isinstance(condition, Function):
            msg = "a choice by what is no comparison"
            raise Unprovable(msg)
        yes, no = self.settled(yes, ctype), self.settled(no, ctype)
        parts = [self._of_base(condition, value) for value in (yes, no)]
        base = parts[0][0]
        if parts[1][0] is not base:
            msg = "a choice between results of different sums"
            raise Unprovable(msg)
        chosen = Expression("?", (parts[0][1], parts[0][2], parts[1][2]))
        ends = [bounds(condition), bounds(yes), bounds(no)]
        return self.made(base, chosen, ends, side_of(condition, yes, no))

    def _of_base(self, condition: Function, value: Value) -> tuple[Form, Expression, Expression]:
        found = self.one_base(condition, value)
        if found is None:
            msg = "a choice by a result between results that depend on other ones"
            raise Unprovable(msg)
        return found

    def _by_lane(self, condition: np.ndarray, yes: Value, no: Value) -> Value:
        if condition.size == 1 or np.all(condition) or not np.any(condition):
            return yes if np.any(condition) else no
        if is_number(yes) and is_number(no):
            return np.where(condition, yes, no)
        raise self.parts(condition)

    def parts(self, condition: np.ndarray) -> Conflict:
        """The conflict of a condition that differs between iterations: cut the loop where it changes."""
        loop = self.varying(condition)
        axis = next((i for i, (each, _) in enumerate(reversed(self.lanes.loops)) if each is loop), 0)
        along = np.moveaxis(condition, axis - (self.lanes.depth - condition.ndim), 0)
        along = along.reshape(len(along), -1)
        changes = np.flatnonzero(np.any(along[1:] != along[:-1], axis=1)) + 1
        return Conflict(loop, tuple(changes.tolist()))

    def _extreme(self, condition: Comparison, yes: Value, no: Value) -> Value:
        """The greatest or least of two results."""
        less, same = condition.a, condition.b
        straight = _same(yes, less) and _same(no, same)
        crossed = _same(yes, same) and _same(no, less)
        if condition.op not in {"<", "not <"} or not (straight or crossed):
            msg = "a choice by two results between others"
            raise Unprovable(msg)
        kind = "min" if straight == (condition.op == "<") else "max"
        first, second = (self.single_atoms(self.linear(x)) for x in (yes, no))
        ids = [self.atoms.maximum([a, b], kind) for a, b in zip(first.tolist(), second.tolist(), strict=True)]
        return self.of_atoms(np.array(ids))


def _same(a: Value, b: Value) -> bool:
    if a is b:
        return True
    return is_number(a) and is_number(b) and bool(np.all(np.asarray(a) == np.asarray(b)))
