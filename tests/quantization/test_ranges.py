"""Ranges of activations by method, and how many samples settle them."""

import numpy as np
import pytest

from s2s.quantization.ranges import Method, Range, Ranges
from s2s.types.dtypes import Array


def collected(samples: Array, method: Method) -> Ranges:
    ranges = Ranges(method)
    for sample in samples:
        ranges.add("x", sample)
    return ranges


def with_an_outlier() -> Array:
    samples = np.abs(np.random.default_rng(0).normal(size=(50, 400)))
    samples[3, 5] = 60.0
    return samples


@pytest.mark.parametrize("method", ["percentile", "entropy"])
def test_rare_large_values_are_cut_off(method: Method):
    found = collected(with_an_outlier(), method).found()["x"]
    assert 2 < found.high < 55
    assert found.low == 0


def test_all_values_are_in_the_whole_range():
    assert collected(with_an_outlier(), "minmax").found()["x"] == Range(0.0, 60.0)


def test_even_values_keep_their_range():
    samples = np.random.default_rng(0).uniform(-1, 1, (20, 400))
    found = collected(samples, "mse").found()["x"]
    assert found.high > 0.95
    assert found.low < -0.95


def test_the_least_error_beats_the_whole_range():
    samples = np.abs(np.random.default_rng(0).normal(size=50 * 1000)) ** 1.5
    whole, part = (collected(samples.reshape(50, 1000), method).found()["x"] for method in ("minmax", "mse"))

    def error(chosen: Range) -> float:
        steps = np.clip(np.rint(samples / chosen.step()) + chosen.zero_point(), -128, 127) - chosen.zero_point()
        return float(np.square(steps * chosen.step() - samples).mean())

    assert error(part) < 0.95 * error(whole)


def test_equal_samples_settle_at_once():
    found = collected(np.tile(np.linspace(-1, 1, 9), (10, 1)), "minmax").convergence()
    assert (found.needed, found.half) == (1, 1.0)


def test_a_range_of_one_sample_needs_most_of_them():
    samples = np.ones((40, 4))
    samples[7] = 10
    found = collected(samples, "minmax").convergence()
    assert found.needed > 20
    assert found.half < 0.9
    assert found.tensor == "x"
