"""Functions of two bases have one form, however they are written."""

import numpy as np
import pytest

from s2s.prove.functions import Table, merged
from s2s.prove.pairs import Pair, pair_of


def table(low: int, values: list[int]) -> Table:
    return merged(np.arange(low, low + len(values)), np.array(values), low + len(values) - 1)


def of(pair: Pair, x: int, y: int) -> int:
    row, column = (
        int(lines.values[np.searchsorted(lines.starts, at, side="right") - 1])
        for lines, at in zip(pair.parts, (x, y), strict=True)
    )
    return int(pair.values[row, column])


def test_a_pair_is_the_function_it_is_made_of():
    side = table(-3, [5, 5, 2, 9, 2])
    cases = [table(0, [1, 1, 4, 4]), table(0, [1, 2, 3, 3]), table(0, [7, 7, 7, 7])]
    pair = pair_of(cases, None, side, [5, 2, 9])
    for x in range(4):
        for y in range(-3, 2):
            case = [5, 2, 9].index(int(side.values[np.searchsorted(side.starts, y, side="right") - 1]))
            assert of(pair, x, y) == int(cases[case].values[np.searchsorted(cases[case].starts, x, side="right") - 1])


def test_equal_functions_of_different_steps_have_equal_parts():
    """f(x, y) = g(x) + h(y) from cases of y over x, and from cases of x over y."""
    g, h = [0, 1, 1, 3, 0], [4, 4, 6, 0]
    from_x = pair_of([table(0, [a + b for a in g]) for b in (4, 6, 0)], None, table(0, h), [4, 6, 0])
    from_y = pair_of([table(0, [a + b for b in h]) for a in (0, 1, 3)], None, table(0, g), [0, 1, 3]).transposed
    assert [part.key for part in from_x.parts] == [part.key for part in from_y.parts]
    assert np.array_equal(from_x.values, from_y.values)


def test_a_table_below_leads_to_the_same_parts():
    inner = table(-10, [2, 2, 0, 1, 2])
    outer = [[5, 6, 5], [1, 1, 0]]
    direct = [table(-10, [case[value] for value in (2, 2, 0, 1, 2)]) for case in outer]
    side = table(0, [0, 1])
    below = pair_of([table(0, case) for case in outer], inner, side, [0, 1])
    flat = pair_of(direct, None, side, [0, 1])
    assert [part.key for part in below.parts] == [part.key for part in flat.parts]
    assert np.array_equal(below.values, flat.values)


@pytest.mark.parametrize("value", [0, 3])
def test_one_changed_value_is_another_function(value: int):
    cases = [table(0, [0, 1, 2]), table(0, [3, 4, 5])]
    changed = [cases[0], table(0, [3, 4, 5 + 1 + value])]
    pairs = [pair_of(each, None, table(0, [0, 1]), [0, 1]) for each in (cases, changed)]
    assert not np.array_equal(pairs[0].values, pairs[1].values)
