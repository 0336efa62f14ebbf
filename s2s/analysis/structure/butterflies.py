"""Factor a small matrix into butterflies (sums and differences of pairs) and a sparse matrix, for cheap multiplication.

Winograd's matrices hold rows that differ in signs only. Two such rows are `e + o` and `e - o`, where `e` and `o` are
much sparser; two such columns multiply the sum and the difference of their elements. For the rows `(1, 2)` and `(1,
-2)`, `p = x` and `q = 2 * y` give the results `p + q` and `p - q`: one product and two additions, not two products and
two additions. Pairs are chosen greedily, the largest saving first, so that equal matrices always give equal code.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

Rows = tuple[tuple[float, ...], ...]
PAIR_COST = 2
"""The cost of a pair: a sum and a difference."""


class Butterflies(NamedTuple):
    """`after * rows * before`, applied from right to left.

    - `before`: elements `a, b` become `a + b, a - b`;
    - `rows`: a sparse matrix;
    - `after`: results `p, q` become `p + scale * q, p - scale * q`.
    """

    rows: Rows
    before: tuple[tuple[int, int], ...] = ()
    after: tuple[tuple[int, int, float], ...] = ()


def butterflies(matrix: Sequence[Sequence[float]]) -> Butterflies:
    """Factor `matrix` for cheap multiplication."""
    current = Butterflies(tuple(tuple(map(float, row)) for row in matrix))
    while (better := _best(current)) is not None:
        current = better
    return _scaled(current)


def _best(current: Butterflies) -> Butterflies | None:
    """Add the pair that saves most; return None if no pair saves anything."""
    candidates = [(_nonzeros(current.rows) - _nonzeros(each.rows) - PAIR_COST, each) for each in _candidates(current)]
    saved, best = max(candidates, key=lambda candidate: candidate[0], default=(0, current))
    return best if saved > 0 else None


def _candidates(current: Butterflies) -> Iterator[Butterflies]:
    columns = tuple(zip(*current.rows, strict=True))
    for a, b in _free(len(columns), list(current.before)):
        halves = _halves(columns, a, b)
        yield current._replace(rows=tuple(zip(*halves, strict=True)), before=(*current.before, (a, b)))
    for p, q in _free(len(current.rows), [(p, q) for p, q, _ in current.after]):
        yield current._replace(rows=_halves(current.rows, p, q), after=(*current.after, (p, q, 1.0)))


def _free(count: int, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    used = {place for pair in taken for place in pair}
    return combinations([place for place in range(count) if place not in used], 2)


def _halves(lines: Rows, first: int, second: int) -> Rows:
    """Replace two of `lines` by half their sum and half their difference."""

    def combined(combine: Callable[[float, float], float]) -> tuple[float, ...]:
        return tuple(combine(a, b) / 2 for a, b in zip(lines[first], lines[second], strict=True))

    changed = {first: combined(lambda a, b: a + b), second: combined(lambda a, b: a - b)}
    return tuple(changed.get(place, line) for place, line in enumerate(lines))


def _scaled(current: Butterflies) -> Butterflies:
    """Move the common factor of a difference's row into the addition that uses it, so that the row holds ones."""
    rows, after = list(current.rows), list[tuple[int, int, float]]()
    for p, q, scale in current.after:
        sizes = [abs(value) for value in rows[q] if value]
        common = 1.0 if 1.0 in sizes and len(set(sizes)) > 1 else sizes[-1]
        rows[q] = tuple(value / common for value in rows[q])
        after.append((p, q, scale * common))
    return current._replace(rows=tuple(rows), after=tuple(after))


def _nonzeros(rows: Rows) -> int:
    return sum(value != 0 for row in rows for value in row)
