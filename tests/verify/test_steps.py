"""Outputs compared in steps of their quantisation."""

import numpy as np
import pytest

from s2s.verify.steps import compare_in_steps


@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_one_step_is_allowed_and_counted(dtype: type[np.generic]):
    step = 0.25 if dtype is np.float32 else 1
    expected = (np.array([0, 3, -5]) * step).astype(dtype)
    found = (np.array([0, 4, -5]) * step).astype(dtype)
    comparison, count = compare_in_steps(expected, found, step)
    assert comparison.passed
    assert (count.elements, count.differing, count.largest) == (3, 1, 1)
    assert count.describe() == f"1 of 3 differ, by 1 at most, in steps of {step:g}"


def test_two_steps_are_too_many():
    expected, found = np.array([0, 3], np.int8), np.array([0, 5], np.int8)
    comparison, count = compare_in_steps(expected, found, 1)
    assert not comparison.passed
    assert count.largest == 2


def test_equal_outputs():
    values = np.array([0.5, 1.0], np.float32)
    comparison, count = compare_in_steps(values, values, 0.5)
    assert comparison.passed
    assert count.describe() == "all 2 agree, in steps of 0.5"


def test_shapes_have_to_agree():
    comparison, _ = compare_in_steps(np.zeros(2, np.int8), np.zeros(3, np.int8), 1)
    assert comparison.mismatch


def test_more_steps_where_they_are_asked_for():
    expected, found = np.array([0, 3], np.int8), np.array([0, 5], np.int8)
    comparison, count = compare_in_steps(expected, found, 1, atol=2)
    assert comparison.passed
    assert count.largest == 2
