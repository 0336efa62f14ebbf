"""Cholesky factors, triangular and general systems of equations, row by row, as importers of every format write them.

    a[3, 3]   ->   l[:, 0] = a[:, 0] / sqrt(a[0, 0]), then the same of a[1:, 1:] - l[1:, 0] l[1:, 0]^T, and so on

A matrix that is singular, or not positive definite, gives infinities or NaN, where torch raises an error.
"""

from collections.abc import Sequence
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, concat, equal, matmul, pad, reshape, select, take, transpose

MAX_ROWS = 32
"""The most rows of a matrix: each takes some ten operations."""


def transposed(x: Value) -> Value:
    """Return `x` with its last two dimensions swapped."""
    return transpose(x, [*range(x.rank - 2), x.rank - 1, x.rank - 2])


def cholesky(a: Value) -> Value:
    """Return the lower triangle `l` with `l l^T = a`, of which only the lower triangle is read."""
    columns, size = list[Value](), a.shape[-1]
    for row in range(size):
        column = _columns(a, 0, 1) / emit(graph.SqrtOp, _part(a, 0, 1, 0, 1))
        above = [*[0] * (a.rank - 2), row, 0]
        columns.append(pad(column, above, [0] * a.rank) if row else column)
        if row + 1 < size:
            below = _rows(column, 1)
            a = _part(a, 1, size - row - 1, 1, size - row - 1) - below * transposed(below)
    return concat(columns, a.rank - 1)


def solve_triangular(a: Value, b: Value, *, upper: bool, has_ones: bool = False) -> Value:
    """Return `x` with `a x = b`, where one triangle of `a` counts, without its diagonal if it `has_ones` there."""
    size, solved = a.shape[-1], dict[int, Value]()
    for row in reversed(range(size)) if upper else range(size):
        first = b.shape[-2] - 1 if upper else 0
        x = _rows(b, first, 1)
        solved[row] = x if has_ones else x / _part(a, row, 1, row, 1)
        if len(solved) < size:
            start, count = (0, row) if upper else (row + 1, size - row - 1)
            b = _rows(b, 0 if upper else 1, count) - _part(a, start, count, row, 1) * solved[row]
    return concat([solved[row] for row in range(size)], b.rank - 2)


def solve(a: Value, b: Value) -> Value:
    """Return `x` with `a x = b`, by elimination with the greatest pivot of each column."""
    size, outer = a.shape[-1], np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    both = [broadcast_to(each, [*outer, *each.shape[-2:]]) for each in (a, b)]
    rest, rows = concat([reshape(each, [prod(outer), *each.shape[-2:]]) for each in both], 2), list[Value]()
    while rest.shape[1] > 1:
        rest = _with_greatest_first(rest)
        rows.append(_rows(rest, 0, 1))
        factors = _part(rest, 1, rest.shape[1] - 1, 0, 1) / _columns(rows[-1], 0, 1)
        rest = _part(rest, 1, rest.shape[1] - 1, 1, rest.shape[2] - 1) - factors * _columns(rows[-1], 1)
    rows.append(rest)
    columns = list[Value]()
    for row in reversed(rows):
        right = _columns(row, 1 + len(columns))
        if columns:
            right = right - matmul(_columns(row, 1, len(columns)), concat(columns, 1))
        columns.insert(0, right / _columns(row, 0, 1))
    assert len(columns) == size
    return reshape(concat(columns, 1), both[1].shape)


def inverse(a: Value) -> Value:
    """Return the inverses of the last two dimensions."""
    ones = a.builder.constant(np.eye(a.shape[-1], dtype=a.dtype))
    return solve(a, broadcast_to(ones, a.shape))


def _with_greatest_first(x: Value) -> Value:
    """Return `x[batch, rows, columns]` with its first row swapped for the one whose first element is the greatest."""
    batch, rows, columns = x.shape
    greatest = emit(graph.ArgmaxOp, emit(graph.AbsOp, reshape(_columns(x, 0, 1), [batch, rows])), axis=1, keepdims=True)
    others = x.builder.constant(np.arange(1, rows)[None].astype(np.int64))
    zero = x.builder.constant(np.zeros((1, 1), np.int64))
    swapped = select(equal(others, greatest), broadcast_to(zero, [batch, rows - 1]), others)
    order = reshape(concat([greatest, swapped], 1), [batch, rows, 1])
    indices = broadcast_to(order, [batch, rows, columns])
    return emit(graph.GatherElementsOp, x, indices, axis=1, nonnegative_indices=True)


def _part(x: Value, row: int, rows: int, column: int, columns: int) -> Value:
    return take(take(x, x.rank - 2, row, rows), x.rank - 1, column, columns)


def _rows(x: Value, first: int, count: int | None = None) -> Value:
    return take(x, x.rank - 2, first, x.shape[-2] - first if count is None else count)


def _columns(x: Value, first: int, count: int | None = None) -> Value:
    return take(x, x.rank - 1, first, x.shape[-1] - first if count is None else count)


__all__: Sequence[str] = ["MAX_ROWS", "cholesky", "inverse", "solve", "solve_triangular", "transposed"]
