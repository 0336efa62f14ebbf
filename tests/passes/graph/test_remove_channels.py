"""Networks with planted channels keep their numbers, however many of these channels stay."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.analysis.channels.removed import removed_channels
from s2s.decisions.channels import LayerChannels
from s2s.decisions.kind import Candidate
from s2s.decisions.registry import register_heuristic, remove_heuristic
from s2s.interpret.graph import run_graph
from s2s.passes.context import CompilerContext
from s2s.passes.graph.remove_channels import RemoveChannelsPass
from s2s.targets import Target
from support.channel_networks import channel_network

OF_FLOATS = 1e-4
"""Of the largest result: sums have other terms."""


def check(seed: int, *, integers: bool, exact: bool = False) -> int:
    """Compare the numbers before and after the pass; return how many channels were removed."""
    module, weights, x = channel_network(seed, integers=integers)
    expected = run_graph(module, [x], weights)
    RemoveChannelsPass(exact=exact).apply(CompilerContext(weights), module)
    module.verify()
    for found, wanted in zip(run_graph(module, [x], weights), expected, strict=True):
        if integers or exact:
            np.testing.assert_array_equal(found, wanted)
        else:
            np.testing.assert_allclose(found, wanted, rtol=OF_FLOATS, atol=OF_FLOATS * np.abs(wanted).max(initial=1))
    removed = removed_channels(module)
    return 0 if removed is None else removed.channels


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_integers_keep_every_bit(seed: int) -> None:
    check(seed, integers=True)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_floats_keep_their_numbers(seed: int) -> None:
    check(seed, integers=False)


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_layers_of_floats_stay_where_sums_are_exact(seed: int) -> None:
    assert check(seed, integers=False, exact=True) == 0


@given(seed=st.integers(0, 2**32 - 1), integers=st.booleans())
@settings(max_examples=60)
def test_any_number_of_needless_channels_may_stay(seed: int, integers: bool) -> None:
    draw = np.random.default_rng(seed)

    def some(subject: LayerChannels, target: Target) -> Sequence[Candidate[int]]:
        count = int(draw.integers(subject.needed, subject.channels + 1))
        return [Candidate(lambda: count, "some")]

    register_heuristic("channels", "some", some)
    try:
        check(seed, integers=integers)
    finally:
        remove_heuristic("channels", "some")


@pytest.mark.parametrize("integers", [True, False])
def test_most_of_these_networks_lose_channels(integers: bool) -> None:
    assert sum(check(seed, integers=integers) > 0 for seed in range(20)) >= 15
