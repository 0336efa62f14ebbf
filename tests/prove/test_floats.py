"""Keys of floats, and operations on intervals of them."""

import numpy as np
import pytest

from s2s.prove.ctypes import F32, I8, I32
from s2s.prove.floats import FUNCTIONS, WHOLE, apply_float, decoded, encoded, is_float, key_of
from s2s.prove.intervals import Interval, at

RANDOM = np.random.default_rng(5)
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, np.inf, -np.inf, 1e-45, -1e-45, 3e38], np.float32)
FLOATS = np.concatenate([SPECIAL, RANDOM.standard_normal(200).astype(np.float32) * 100])


def test_keys_have_the_order_of_floats_and_tell_zeros_apart():
    keys = encoded(np.sort(FLOATS[2:]))
    assert np.all(np.diff(keys) >= 0)
    assert encoded(SPECIAL[:2]).tolist() == [0, -1]
    assert np.array_equal(decoded(encoded(FLOATS)).view(np.int32), FLOATS.view(np.int32))
    assert (int(encoded(SPECIAL[8:9])[0]), int(encoded(SPECIAL[9:10])[0])) == (F32.most, F32.least)


@pytest.mark.parametrize(("text", "value"), [("0.1f", 0.1), ("16777217.0f", 16777216.0), ("-2.5e-3f", -2.5e-3)])
def test_literals_are_rounded_once(text: str, value: float):
    assert decoded(np.asarray(key_of(text))) == np.float32(value)


def test_a_literal_that_two_roundings_would_change():
    """Just above the middle of two floats, but no double tells it from the middle."""
    assert key_of("1.00000005960464477539062500000000001f") == key_of("1.00000011920928955078125f")
    assert is_float("128.0")
    assert not is_float("0.1")


@pytest.mark.parametrize("op", ["f+", "f-", "f*", "f/", *WHOLE, "zero", "bits"])
def test_an_interval_holds_the_results_of_its_floats(op: str):
    """Each interval that is called defined, and 50 floats of it."""
    keys = np.sort(encoded(FLOATS))
    for _ in range(60):
        ends = [np.sort(RANDOM.choice(keys, 2)) for _ in range(2)]
        intervals = [Interval(end[:1], end[1:]) for end in ends][: 2 if op.startswith("f") and op[1:] in "+-*/" else 1]
        result, undefined = apply_float(op, F32, intervals)
        for _ in range(50):
            points = [at(RANDOM.integers(each.low, each.high + 1)) for each in intervals]
            value, bad = apply_float(op, F32, points)
            if bad is not None:
                assert undefined is not None
            elif undefined is None:
                assert result.low[0] <= value.low[0] <= result.high[0], (op, intervals, points)


def test_conversions_round_as_c_does():
    numbers = np.array([0, -1, 16777217, 16777219, -(2**31), 2**31 - 1], np.int64)
    assert np.array_equal(decoded(apply_float("i2f", F32, [at(numbers)])[0].low), numbers.astype(np.float32))
    halves = encoded(np.array([2.7, -2.7, -0.9], np.float32))
    assert apply_float("f2i", I32, [at(halves)])[0].low.tolist() == [2, -2, 0]
    _, undefined = apply_float("f2i", I8, [at(encoded(np.array([127.9, 128.0, -128.9, -129.0], np.float32)))])
    assert undefined is not None
    assert undefined.tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    ("op", "a", "b"),
    [("f-", np.inf, np.inf), ("f*", 0.0, np.inf), ("f/", 0.0, 0.0), ("f/", 1.0, -0.0), ("f/", np.inf, np.inf)],
)
def test_what_may_be_nan_is_undefined(op: str, a: float, b: float):
    _, undefined = apply_float(op, F32, [at(encoded(np.array([x], np.float32))) for x in (a, b)])
    assert undefined is not None
    assert undefined.all()
    assert "rintf" in FUNCTIONS
