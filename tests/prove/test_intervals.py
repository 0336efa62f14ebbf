"""Interval operations hold every result of their operands, and are exact on single values."""

import operator
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2s.prove import intervals
from s2s.prove.ctypes import I8, I32, U8, U32, IntType
from s2s.prove.intervals import Interval


class Operation(NamedTuple):
    """An operation on intervals, and what it does to two integers."""

    on_intervals: Callable[[Interval, Interval], Interval]
    on_integers: Callable[[int, int], int]
    second: st.SearchStrategy[int] = st.integers(-300, 300)


def quotient(a: int, b: int) -> int:
    """a / b towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a: int, b: int) -> int:
    """The rest of it, with the sign of a."""
    return a - quotient(a, b) * b


SHIFTS = st.integers(0, 20)
OPERATIONS = {
    "add": Operation(intervals.add, operator.add),
    "sub": Operation(intervals.sub, operator.sub),
    "mul": Operation(intervals.mul, operator.mul),
    "shift_left": Operation(intervals.shift_left, int.__lshift__, SHIFTS),
    "shift_right": Operation(intervals.shift_right, int.__rshift__, SHIFTS),
    "div": Operation(intervals.div, quotient, st.integers(1, 90)),
    "rem": Operation(intervals.rem, remainder, st.integers(1, 90)),
    "bit_and": Operation(intervals.bit_and, int.__and__),
    "bit_or": Operation(intervals.bit_or, int.__or__),
    "bit_xor": Operation(intervals.bit_xor, int.__xor__),
    "less": Operation(intervals.less, operator.lt),
    "equal": Operation(intervals.equal, operator.eq),
}


def interval(low: int, high: int) -> Interval:
    """An interval of one element."""
    return Interval(np.array([low], np.int64), np.array([high], np.int64))


@pytest.mark.parametrize("name", OPERATIONS)
@given(data=st.data())
def test_an_operation_holds_all_results(name: str, data: st.DataObject):
    operation = OPERATIONS[name]
    first = sorted(data.draw(st.lists(st.integers(-5000, 5000), min_size=3, max_size=3)))
    second = sorted(data.draw(st.lists(operation.second, min_size=3, max_size=3)))
    found = operation.on_intervals(interval(first[0], first[2]), interval(second[0], second[2]))
    exact = operation.on_integers(first[1], second[1])
    assert found.low[0] <= exact <= found.high[0]
    single = operation.on_intervals(interval(first[1], first[1]), interval(second[1], second[1]))
    assert (single.low[0], single.high[0]) == (exact, exact)


@pytest.mark.parametrize("ctype", [I8, U8, I32, U32])
@given(ends=st.lists(st.integers(-(2**40), 2**40), min_size=3, max_size=3))
def test_wrapping_holds_all_results(ctype: IntType, ends: list[int]):
    low, middle, high = sorted(ends)
    found = intervals.wrap(interval(low, high), ctype)
    exact = (middle - ctype.least) % 2**ctype.bits + ctype.least
    assert found.low[0] <= exact <= found.high[0]


@given(ends=st.lists(st.integers(0, 2**32 - 1), min_size=3, max_size=3))
def test_leading_zeros_hold_all_results(ends: list[int]):
    low, middle, high = sorted(ends)
    found = intervals.leading_zeros(interval(low, high))
    assert found.low[0] <= 32 - middle.bit_length() <= found.high[0]
