"""A guess of jumps cuts a domain into intervals that cover it once; forms are numbered as what they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.prove.atoms import Atoms
from s2s.prove.ctypes import I64
from s2s.prove.functions import Expression, X, tabulate
from s2s.prove.intervals import Interval
from s2s.prove.rows import rows_of
from s2s.prove.staircases import parts_of


def covered(parts: tuple[np.ndarray, np.ndarray, np.ndarray], row: int) -> list[int]:
    """The integers of the intervals of a row."""
    return sorted(
        integer
        for owner, first, last in zip(*(part.tolist() for part in parts), strict=True)
        if owner == row
        for integer in range(first, last + 1)
    )


def test_the_example_of_the_module():
    rows, first, last = parts_of(lambda row, x: x >> 4, np.array([0]), np.array([79]))
    assert rows.tolist() == [0] * 9
    assert first.tolist() == [0, 14, 18, 30, 34, 46, 50, 62, 66]
    assert last.tolist() == [13, 17, 29, 33, 45, 49, 61, 65, 79]


@given(st.integers(-3000, 3000), st.integers(0, 5000), st.integers(-40, 40), st.integers(1, 300), st.integers(0, 2**32))
def test_parts_cover_each_domain_once(low: int, width: int, factor: int, divisor: int, noise: int):
    """Whatever the function is: a staircase, or one that no staircase is like."""

    def values(row: np.ndarray, x: np.ndarray) -> np.ndarray:
        return np.where(row == 0, x * factor // divisor, (x * 2654435761 ^ noise) % 97)

    lows, highs = np.array([low, low - 5]), np.array([low + width, low + 2 * width])
    parts = parts_of(values, lows, highs)
    for row in (0, 1):
        assert covered(parts, row) == list(range(int(lows[row]), int(highs[row]) + 1))


@pytest.mark.parametrize(("factor", "shift"), [(3, 8), (-5, 9), (1, 6), (4097, 20)])
def test_tables_of_staircases_hold_their_values(factor: int, shift: int):
    scaled = Expression("*", (X, Expression("const", value=factor)), I64)
    stairs = Expression(">>", (scaled, Expression("const", value=shift)), I64)

    def same(row: np.ndarray, x: Interval) -> Interval:
        del row
        return x

    table = tabulate(stairs, np.array([-9000]), np.array([8000]), [], same, np.array([0]))[0]
    points = np.arange(-9000, 8001)
    assert np.array_equal(table.over(Interval(points, points)).low, (points * factor) >> shift)


@given(st.lists(st.lists(st.integers(-6, 6), min_size=5, max_size=5), min_size=1, max_size=6))
def test_a_form_is_its_base_times_its_factor(coefficients: list[list[int]]):
    """Forms without terms and forms of one term with a negative coefficient among them."""
    atoms = Atoms()
    ids = atoms.inputs("input", 5, -128, 127)
    table = np.array(coefficients)
    numbers, factors = atoms.numbered(rows_of(np.broadcast_to(ids, table.shape), table))
    for row, number, factor in zip(table, numbers.tolist(), factors.tolist(), strict=True):
        assert (number < 0) == (not row.any())
        if number >= 0:
            base = atoms.bases[int(number)]
            full = np.zeros(5, np.int64)
            full[base.ids - ids[0]] = base.coefficients * factor
            assert np.array_equal(full, row)
            assert base.coefficients[0] > 0
            assert np.gcd.reduce(base.coefficients) == 1
