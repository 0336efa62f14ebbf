"""What values depend on: two values are functions of one form where one is a multiple of the other, or of few cases."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from s2s.prove.bilinear import Bilinear
from s2s.prove.control import Conflict
from s2s.prove.ctypes import I32, IntType
from s2s.prove.faults import Unprovable
from s2s.prove.functions import SIDE, Expression, X, apply
from s2s.prove.intervals import Interval
from s2s.prove.values import Comparison, Form, Function, Number, Value, as_function, bounds, constant, is_number, within

FEW = 4096
"""The widest range of a value that may turn out to have few values."""


class Dependence(Bilinear):
    """Finds the one form that operands are functions of."""

    def one_base(self, a: Value, b: Value) -> tuple[Form, Expression, Expression] | None:
        """Both values as expressions of one form, if they are."""
        if is_number(a) and isinstance(b, Form | Function):
            found = self.one_base(b, a)
            return None if found is None else (found[0], found[2], found[1])
        if not isinstance(a, Form | Function):
            return None
        left = as_function(a) if isinstance(a, Form) else a
        if is_number(b):
            return left.base, left.expression, constant(b)
        if not isinstance(b, Form | Function):
            return None
        right = as_function(b) if isinstance(b, Form) else b
        if left.base is right.base:
            return left.base, left.expression, right.expression
        return self._rebased(left, right)

    def _rebased(self, a: Function, b: Function) -> tuple[Form, Expression, Expression] | None:
        """Functions of two forms as functions of one: of the first, of which the second is a multiple, 0 times it in
        lanes where it is a number; or of a form below both."""
        if a.base.carried or b.base.carried:
            return None
        (bases, factors, shifts), (others, multiples, offsets) = self.bases(a.base), self.bases(b.base)
        units = np.where(factors == 0, 1, factors)
        if np.all((bases == others) | (others < 0)) and not np.any(multiples % units):
            ratio = multiples // units
            scaled = Expression("*", (X, self._column(ratio)))
            inner = Expression("+", (scaled, self._column(offsets - ratio * shifts)))
            return a.base, a.expression, substituted(b.expression, inner)
        below = [self._origin(x.base) for x in (a, b)]
        if below[0] is None or below[1] is None or below[0][0] != below[1][0]:
            return None
        base = self.atoms.bases[below[0][0]]
        form = Form(0, ((base.ids, base.coefficients),), base.low, base.high)
        return form, substituted(a.expression, below[0][1]), substituted(b.expression, below[1][1])

    def _column(self, flat: np.ndarray) -> Expression:
        """A number in each lane as an expression."""
        return constant(int(flat[0]) if np.all(flat == flat[0]) else self.lanes.folded(flat))

    def _origin(self, form: Form) -> tuple[int, Expression] | None:
        """The base below a form, if all lanes have one, and the form as an expression of it."""
        numbers, factors, constants = self.bases(form)
        if numbers[0] < 0 or np.any(numbers != numbers[0]):
            return None
        origin, table = self.atoms.origin(int(numbers[0]))
        inner = X if table is None else Expression("table", (X,), value=self.atoms.tables[table])
        scaled = Expression("*", (inner, self._column(factors)))
        return origin, Expression("+", (scaled, self._column(constants)))

    def with_side(self, a: Value, b: Value) -> tuple[Form, Expression, Expression, np.ndarray] | None:
        """A value of few cases as the side of a function of the other."""
        for main, other, first in ((a, b, True), (b, a, False)):
            if not (isinstance(other, Form | Function) and isinstance(main, Form | Function)):
                continue
            found = self._cases(other)
            if found is None:
                continue
            if isinstance(main, Function) and main.side is None and main.expression is not X:
                # The table of a function is exact on intervals, unlike what its expression gives.
                main = self.linear(main)
            function = as_function(main) if isinstance(main, Form) else main
            if function.side is not None and not np.array_equal(function.side, found[0]):
                continue
            pair = (function.expression, found[1]) if first else (found[1], function.expression)
            return function.base, *pair, found[0]
        return None

    def _cases(self, value: Form | Function) -> tuple[np.ndarray, Expression] | None:
        """A value as an expression of a side: of the atom below it, or of its own."""
        below = as_function(value) if isinstance(value, Form) else value
        rows = self.rows(below.base)
        single = np.all(rows.counts == 1) and np.all(rows.coefficients == 1)
        if single and below.side is None and all(self.atoms.few_values(atom) for atom in rows.ids.tolist()):
            shifted = Expression("+", (SIDE, constant(below.base.constant)))
            return rows.ids, substituted(below.expression, shifted)
        if all(np.max(np.asarray(each.high) - each.low) > FEW for each in (below, below.base)):
            return None
        atoms = self.single_atoms(self.linear(value))
        return (atoms, SIDE) if all(self.atoms.few_values(atom) for atom in atoms.tolist()) else None

    def made(
        self,
        base: Form,
        expression: Expression,
        operands: Sequence[tuple[Number, Number]],
        side: np.ndarray | None = None,
    ) -> Function | Number:
        """An operation as a function of a form; a number if the bounds of its operands leave a single value."""
        flat = np.broadcast_arrays(*(np.asarray(end, np.int64) for ends in operands for end in ends))
        values = [Interval(low, high) for low, high in zip(flat[::2], flat[1::2], strict=True)]
        result, bad = apply(expression, values, None, [None] * len(values))
        if (bad is None or not np.any(bad)) and np.all(result.single):
            return result.low if result.low.ndim else int(result.low)
        return Function(base, expression, result.low, result.high, side)

    def settled(self, value: Value, ctype: IntType) -> Value:
        """An operand whose exact value matters: a form that holds modulo 2^bits only becomes a function that wraps."""
        if isinstance(value, Comparison):
            msg = "a comparison of two results is used as a number"
            raise Unprovable(msg)
        if not isinstance(value, Form):
            return value
        if value.carried:
            raise Conflict(value.carried[0].loop)
        if within(value, ctype):
            return value
        tight = self.tightened(value)
        if not within(tight, ctype) and ctype.real:
            msg = "a float whose bounds are not known"
            raise Unprovable(msg)
        if not within(tight, ctype) and ctype.bits <= I32.bits:
            reduced = self.reduced(value, ctype.bits)
            tight = reduced if within(reduced, ctype) else tight
        return tight if within(tight, ctype) else self.made(value, Expression("cast", (X,), ctype), [bounds(tight)])

    def varying(self, array: np.ndarray) -> object | None:
        """The innermost loop at once along which an array varies."""
        for axis, (loop, _) in enumerate(reversed(self.lanes.loops)):
            at = axis - (self.lanes.depth - array.ndim)
            if at >= 0 and array.shape[at] > 1:
                return loop
        return None


def substituted(expression: Expression, inner: Expression) -> Expression:
    """The expression with `inner` for its variable."""
    made: dict[int, Expression] = {}

    def visit(node: Expression) -> Expression:
        if node is X:
            return inner
        if id(node) not in made:
            args = tuple(visit(arg) for arg in node.args)
            made[id(node)] = Expression(node.op, args, node.ctype, node.value) if args else node
        return made[id(node)]

    return visit(expression)
