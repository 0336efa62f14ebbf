"""A table holds the value of its expression for each integer of the domain."""

from collections.abc import Callable

import numpy as np
import pytest

from s2s.prove import intervals
from s2s.prove.ctypes import I32, I64
from s2s.prove.faults import Fault
from s2s.prove.functions import Expression, Table, X, tabulate
from s2s.prove.intervals import Interval


def number(value: int) -> Expression:
    """A constant."""
    return Expression("const", value=value)


def do(op: str, *args: Expression | int, ctype: object = I64) -> Expression:
    """An operation."""
    assert ctype in (I32, I64)
    operands = tuple(number(arg) if isinstance(arg, int) else arg for arg in args)
    return Expression(op, operands, I32 if ctype == I32 else I64)


def table_of(expression: Expression, low: int, high: int) -> Table:
    """Its table from low to high."""

    def same(row: np.ndarray, x: Interval) -> Interval:
        del row
        return x

    return tabulate(expression, np.array([low]), np.array([high]), [], same, np.array([0]))[0]


def values(table: Table) -> list[int]:
    """The values at each integer of the domain."""
    points = np.arange(int(table.starts[0]), table.last + 1)
    return table.over(intervals.at(points)).low.tolist()


def test_the_example_of_the_module():
    shifted = do(">>", do("+", X, 8), 4)
    low = do("?", do("<", shifted, 0), 0, shifted)
    table = table_of(do("?", do("<", 3, low), 3, low), -100, 100)
    assert table.starts.tolist() == [-100, 8, 24, 40]
    assert table.values.tolist() == [0, 1, 2, 3]


def low_bits(x: int) -> int:
    return x & 7


def square(x: int) -> int:
    return x * x


def rounded(x: int) -> int:
    """x / 125, halves away from zero."""
    return int((x + (62 if x > 0 else -62)) / 125)


def mixed(x: int) -> int:
    return (x ^ 21) - (x >> 3)


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        (do("&", X, 7), low_bits),
        (do("*", X, X), square),
        (do("/", do("+", X, do("?", do("<", 0, X), 62, -62)), 125), rounded),
        (do("-", do("^", X, 21), do(">>", X, 3)), mixed),
    ],
)
def test_each_value_is_the_function_s(expression: Expression, function: Callable[[int], int]):
    assert values(table_of(expression, -700, 800)) == [function(x) for x in range(-700, 801)]


def test_an_operation_that_overflows_is_a_fault():
    with pytest.raises(Fault, match="undefined in C where the sum is 40000"):
        table_of(do("?", do("<", X, 40000), 0, do("*", X, 100_000, ctype=I32)), 0, 40000)


def test_what_is_not_chosen_may_overflow():
    table = table_of(do("?", do("<", X, 20000), do("*", X, 100_000, ctype=I32), 7), 0, 40000)
    assert table.values[-1] == 7


def test_ranges_of_a_table_hold_its_values():
    rng = np.random.default_rng(3)
    table = Table(np.arange(100), rng.integers(-50, 50, 100), 99)
    ends = np.sort(rng.integers(0, 100, (200, 2)), axis=1)
    found = table.over(Interval(ends[:, 0], ends[:, 1]))
    for (first, last), low, high in zip(ends.tolist(), found.low.tolist(), found.high.tolist(), strict=True):
        inside = table.values[first : last + 1]
        assert low <= inside.min()
        assert high >= inside.max()
