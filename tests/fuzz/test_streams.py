"""Random networks over sliding windows: each run on new frames gives what the whole network gives for the window."""

import contextlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2s.errors import InputError
from s2s.fuzz.campaign import Plan, run
from s2s.fuzz.streams.check import carried, check_stream, difference
from s2s.fuzz.streams.draw import draw_network
from s2s.fuzz.streams.operators import OPERATORS
from s2s.fuzz.variants import Variant
from support.streams import check_on_graph

OPERATORS_OF_A_MODEL = 8
VARIANTS = {
    "portable": Variant("c", optimise="-O0"),
    "results over operands": Variant("cortex-m4", optimise="-O0"),
    "smallest plan": Variant("rv32imc", {"ram_budget": "min"}, optimise="-O0"),
    "poisoned": Variant("cortex-m4", {"poison": True}, optimise="-O0"),
    "tables": Variant("rv32imc", {"executor": "graph"}, optimise="-O0"),
    "plain": Variant("c", {"schedule": "reference"}, optimise="-O0"),
}


@given(st.integers(0, 2**32))
@settings(max_examples=30)
def test_new_frames_give_what_the_whole_window_gives(seed: int) -> None:
    """For operands of all classes: constants, inputs, states, what is computed of the window, other windows."""
    model = draw_network(str(seed), "", OPERATORS_OF_A_MODEL)[0]
    streams, states = carried(model)
    with contextlib.suppress(InputError):
        check_on_graph(model, streams, states)


@pytest.mark.sample(3)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("variant", VARIANTS)
def test_c_computes_the_same_runs(variant: str, seed: int) -> None:
    model = draw_network(f"{variant}/{seed}", "", OPERATORS_OF_A_MODEL)[0]
    failures = check_stream(model, VARIANTS[variant])
    assert [each for each in failures if each.kind != "refused"] == []


def test_every_entry_of_the_table_is_drawn() -> None:
    drawn = sum((draw_network(str(seed), "", 12)[1] for seed in range(60)), Counter[str]())
    assert set(drawn) == set(OPERATORS)


def test_a_campaign_draws_streams() -> None:
    [tally, *_] = run(Plan(models=1, seed=4, nodes=3, targets=("c",), streams=True))
    assert (tally.models, tally.failures) == (1, [])


def test_sizes_and_streams_are_refused_together() -> None:
    with pytest.raises(InputError, match="leave it out with --streams"):
        next(run(Plan(sizes=True, streams=True)))
    with pytest.raises(InputError, match="--streams: is for ONNX models"):
        next(run(Plan(streams=True, format="tflite")))


def test_a_difference_names_the_first_element() -> None:
    expected = np.zeros((1, 2), np.float32)
    assert difference(expected, expected) == ""
    assert "first at [0, 1]" in difference(expected, np.asarray([[0, 1]], np.float32))
