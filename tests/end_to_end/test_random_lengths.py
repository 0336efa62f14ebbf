"""Random networks that compute with the length of their input, at sizes within random bounds, against onnxruntime and
LiteRT."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from s2s import api
from support.onnx_text import onnx_file
from support.random_length_runs import outcome_of
from support.random_lengths import STEPS, draw
from support.random_tflite_lengths import STEPS as TFLITE_STEPS
from support.random_tflite_lengths import draw_tflite, outcome_of_tflite

SIZES = 12
"""The number of sizes at which a network is run."""


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1))
def test_a_network_is_right_at_every_size_or_refused(tmp_path: Path, seed: int):
    drawn = draw(seed)
    assert not outcome_of(drawn, seed, tmp_path, SIZES).difference, drawn.steps


@pytest.mark.parametrize("name", STEPS)
def test_every_step_is_compiled(name: str, tmp_path: Path):
    drawn = next(drawn for drawn in map(draw, range(10000)) if drawn.steps == (name,))
    with api.compile(onnx_file(drawn.text, tmp_path, 17), target="c", dims={"N": (16, 24)}) as artifact:
        assert "N" in artifact.info.sizes


@pytest.mark.parametrize("name", TFLITE_STEPS)
def test_every_step_of_tflite_is_right_at_every_size(name: str):
    seed, drawn = next((seed, drawn) for seed in range(10000) if (drawn := draw_tflite(seed)).steps == (name,))
    outcome = outcome_of_tflite(drawn, seed, SIZES)
    assert not outcome.refusal
    assert not outcome.difference
    assert outcome.runs > 1
