"""The benchmark that compares logits with doubles: what it accepts, and what it would not."""

from dataclasses import replace

import pytest

from benchmarks.decode_reference import Differences, compare
from s2s.testing.decoders import Config


@pytest.mark.parametrize("bits", [4, 8])
def test_logits_are_within_what_quantised_activations_explain(bits: int):
    config = replace(Config(int8_activations=True, width=64, hidden=96), bits=bits)
    found = compare(config, [1, 2, 3], "c")
    assert found.passed
    assert found.quantised > 1e-4


def test_differences_beyond_the_bound_do_not_pass():
    assert Differences(1e-2, 1.9e-2, 0.0, 0).passed
    assert not Differences(1e-2, 2.1e-2, 0.0, 0).passed
    assert not Differences(1e-2, 1e-2, 0.0, 1).passed
