"""Products of two results: sums of products of atoms, or functions of one base where both depend on it.

(a + 5) * (b + 4)  =  ab + 4 a + 5 b + 20         ab is an atom, the same one for b * a
f(x) * g(x)                                       one function of x, as a table
"""

from __future__ import annotations

import numpy as np

from s2s.prove.control import Conflict
from s2s.prove.functions import Table, merged
from s2s.prove.interning import Interner
from s2s.prove.values import Form

Lines = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Numbers as an atom (0 for none), its factor and a constant each."""


class Bilinear(Interner):
    """Products in all lanes."""

    def lines(self, form: Form) -> Lines | None:
        """A form as an atom, a factor and a constant in each lane; None if a lane has several atoms."""
        if form.carried:
            raise Conflict(form.carried[0].loop)
        rows = self.rows(form)
        if np.any(rows.counts > 1):
            return None
        ids, factors = np.zeros(len(rows.counts), np.int64), np.zeros(len(rows.counts), np.int64)
        ids[rows.counts == 1], factors[rows.counts == 1] = rows.ids, rows.coefficients
        return ids, factors, self.lanes.spread(form.constant)

    def product_of(self, a: Lines, b: Lines) -> Form:
        """The product of two numbers in each lane."""
        ids, factors, constant = self.product_terms(a, b)
        ends = factors * self.atoms.low[ids], factors * self.atoms.high[ids]
        low, high = (constant + pick(*ends).sum(-1) for pick in (np.minimum, np.maximum))
        fold, shape = self.lanes.folded, (*self.lanes.shape, ids.shape[1])
        return Form(fold(constant), ((ids.reshape(shape), factors.reshape(shape)),), fold(low), fold(high))

    def product_terms(self, a: Lines, b: Lines) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The terms of products, as atoms and factors of (numbers, 3), and a constant each."""
        (x, of_x, above_x), (y, of_y, above_y) = a, b
        ids = np.stack([self.atoms.products(x, y), x, y], -1)
        factors = np.stack([of_x * of_y, of_x * above_y, of_y * above_x], -1)
        constant = above_x * above_y
        for at, (first, second) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            shared = self._shared(first, second) if first and second else None
            if shared is not None:
                base, *inner = shared
                lines = [(int(of[at]), int(above[at])) for of, above in ((of_x, above_x), (of_y, above_y))]
                table = _multiplied(self._over(base, inner[0]), self._over(base, inner[1]), lines)
                atom, factor, shift = self._of_one(base, self.atoms.table(table))
                ids[at], factors[at], constant[at] = (atom, 0, 0), (factor, 0, 0), shift
        return ids, factors, constant

    def _shared(self, x: int, y: int) -> tuple[int, int | None, int | None] | None:
        """The base that two atoms are functions of, and the numbers of their tables, None for the identity."""
        if x == y:
            return self.atoms.alone(x), None, None
        of_x, of_y = (self.atoms.definitions[atom] for atom in (x, y))
        if of_x[0] == of_y[0] == "function" and of_x[1] == of_y[1]:
            return of_x[1], of_x[2], of_y[2]
        if of_y[0] == "function" and self._is_atom(of_y[1], x):
            return of_y[1], None, of_y[2]
        if of_x[0] == "function" and self._is_atom(of_x[1], y):
            return of_x[1], of_x[2], None
        return None

    def _is_atom(self, base: int, atom: int) -> bool:
        """Whether a base is an atom alone."""
        ids: list[int] = self.atoms.bases[base].ids.tolist()
        return ids == [atom]

    def _over(self, base: int, number: int | None) -> Table:
        """A table over the interval of a base; the identity if it has no number."""
        if number is not None:
            return self.atoms.tables[number]
        form = self.atoms.bases[base]
        every = np.arange(form.low, form.high + 1)
        return Table(every, every, form.high)


def _multiplied(a: Table, b: Table, lines: list[tuple[int, int]]) -> Table:
    """The product of two functions of one number, each times a factor plus a constant."""
    starts = np.union1d(a.starts, b.starts)
    left, right = (
        table.values[np.searchsorted(table.starts, starts, side="right") - 1] * factor + constant
        for table, (factor, constant) in zip((a, b), lines, strict=True)
    )
    return merged(starts, left * right, a.last)
