"""Determinants of square matrices, as importers of every format write them."""

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, reshape, take, widened

_MAX_EXPANDED = 4
"""The most rows for which an expansion by minors takes fewer steps than elimination."""


def determinant(x: Value) -> Value:
    """The determinants of the last two dimensions of `x`, which are equal."""
    size = x.shape[-1]
    if size > _MAX_EXPANDED:
        return cast(emit(graph.DeterminantOp, widened(x)), x.dtype)
    entries = [
        [reshape(take(take(x, x.rank - 2, row, 1), x.rank - 1, column, 1), x.shape[:-2]) for column in range(size)]
        for row in range(size)
    ]
    return _expanded(entries)


def _expanded(rows: list[list[Value]]) -> Value:
    """A determinant expanded along its first row."""
    if len(rows) == 1:
        return rows[0][0]
    terms = [
        rows[0][column] * _expanded([[*row[:column], *row[column + 1 :]] for row in rows[1:]])
        for column in range(len(rows))
    ]
    total = terms[0]
    for column, term in enumerate(terms[1:], 1):
        total = total - term if column % 2 else total + term
    return total
