"""Functions of two bases, such as a residual sum in floats, in one canonical form.

A function f(x, y) of integers, each in an interval, is a matrix of its values and for each variable the table of the
row or column that a value of it leads to. Equal rows are one row, equal columns one column, and both are numbered in
the order in which the variable's interval meets them, so that equal functions have equal parts.

    f(x, y) = min(x, 2) * y, 0 <= x <= 4, 0 <= y <= 1     rows     0 -> 0, 1 -> 1, 2.. -> 2    matrix  [0 0]
                                                          columns  0 -> 0, 1 -> 1                      [0 1]
                                                                                                       [0 2]
"""

from __future__ import annotations

from functools import cached_property
from hashlib import blake2b

import numpy as np

from s2s.prove.functions import Table, merged
from s2s.support.frozen import frozen


@frozen(eq=False)
class Pair:
    """A function of two integers."""

    rows: Table
    """The row of a value of the first variable."""
    columns: Table
    values: np.ndarray

    @cached_property
    def digest(self) -> bytes:
        """A digest of the values."""
        return blake2b(self.values.tobytes(), digest_size=24).digest()

    @cached_property
    def ends(self) -> tuple[int, int]:
        """Least and greatest value."""
        return int(self.values.min()), int(self.values.max())

    @cached_property
    def from_zero(self) -> Pair:
        """The same less the first value."""
        return Pair(*self.parts, self.values - self.values[0, 0])

    @cached_property
    def transposed(self) -> Pair:
        """The same function with its variables in the other order."""
        return Pair(self.columns, self.rows, self.values.T)

    @property
    def diagonal(self) -> Table:
        """The function of one variable that both are."""
        starts = np.union1d(self.rows.starts, self.columns.starts)
        row, column = (table.values[np.searchsorted(table.starts, starts, side="right") - 1] for table in self.parts)
        return merged(starts, self.values[row, column], self.rows.last)

    @property
    def parts(self) -> tuple[Table, Table]:
        """Rows and columns."""
        return self.rows, self.columns


def pair_of(cases: list[Table], inner: Table | None, side: Table, order: list[int]) -> Pair:
    """The function cases[i](inner(x)) of x and of the y for which side(y) is order[i]; without `inner`, cases[i](x)."""
    # Only the values that inner(x) takes matter: 256 of them instead of 57,000 places where a case changes.
    starts = np.unique(np.concatenate([table.starts for table in cases]) if inner is None else inner.values)
    values = np.stack(
        [table.values[np.searchsorted(table.starts, starts, side="right") - 1] for table in cases], axis=1
    )
    if inner is None:
        rows = Table(starts, np.arange(len(starts)), cases[0].last)
    else:
        rows = Table(inner.starts, np.searchsorted(starts, inner.values, side="right") - 1, inner.last)
    place = {value: number for number, value in enumerate(order)}
    columns = Table(side.starts, np.array([place[value] for value in side.values.tolist()]), side.last)
    rows, values = _distinct(rows, values)
    columns, turned = _distinct(columns, values.T)
    return Pair(rows, columns, turned.T)


def applied(outer: Table, pair: Pair) -> Pair:
    """outer(pair(x, y))."""
    values = outer.values[np.searchsorted(outer.starts, pair.values, side="right") - 1]
    rows, values = _distinct(pair.rows, values)
    columns, turned = _distinct(pair.columns, values.T)
    return Pair(rows, columns, turned.T)


def _distinct(lines: Table, values: np.ndarray) -> tuple[Table, np.ndarray]:
    """Lines of a matrix, equal ones as one, numbered as the table of lines meets them."""
    _, same = np.unique(values, axis=0, return_inverse=True)
    met = same.reshape(-1)[lines.values]
    first = np.sort(np.unique(met, return_index=True)[1])
    number = np.zeros(int(same.max(initial=0)) + 1, np.int64)
    number[met[first]] = np.arange(len(first))
    return merged(lines.starts, number[met], lines.last), values[lines.values[first]]
