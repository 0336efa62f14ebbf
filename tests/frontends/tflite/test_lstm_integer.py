"""LSTMs of integers with every part that LiteRT has, several runs each, bit for bit against LiteRT."""

from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.interpret.graph import initial_state, run_graph
from s2s.options import CompileOptions
from support.compiled import run_c
from support.litert_integer_lstm_cases import PARTS, drawn_parts, integer_lstm
from support.litert_lstm_cases import Runs, run_litert

SEQUENCE = "UNIDIRECTIONAL_SEQUENCE_LSTM"
OPERATORS = ("LSTM", SEQUENCE)
CASES = 5


def same(found: Runs, expected: Runs) -> None:
    for values, wanted in zip(found, expected, strict=True):
        for value, right in zip(values, wanted, strict=True):
            np.testing.assert_array_equal(value, right)


def check(data: bytes, runs: Runs, **options: Any) -> Runs:
    """Compare the graph with LiteRT; return what LiteRT gives."""
    expected = run_litert(data, runs)
    imported = import_model(data, **options)
    state = initial_state(imported.module, imported.weights)
    same([run_graph(imported.module, values, imported.weights, state=state) for values in runs], expected)
    return expected


@pytest.mark.sample(1, each="part")
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("builtin", OPERATORS)
def test_each_part_alone_equals_litert(builtin: str, part: str):
    parts = ["projection", part] if part == "projection bias" else [part]
    for seed in range(CASES):
        check(*integer_lstm(builtin, parts, seed))


@pytest.mark.sample(1)
@pytest.mark.parametrize("builtin", OPERATORS)
def test_parts_together_equal_litert(builtin: str):
    for seed in range(16):
        check(*integer_lstm(builtin, ["coupled", *drawn_parts(seed)], seed))


@pytest.mark.sample(1)
@pytest.mark.parametrize("builtin", OPERATORS)
def test_peepholes_of_fewer_outputs_than_cells_equal_litert(builtin: str):
    for seed in range(8):
        check(*integer_lstm(builtin, ["projection", "peepholes"], seed, sizes=(3, 5, 3)))


def test_one_step_without_parts_equals_litert():
    for seed in range(CASES):
        check(*integer_lstm("LSTM", [], seed))


def test_a_plain_layer_equals_litert_where_its_rounding_is_asked_for():
    for seed in range(CASES):
        check(*integer_lstm(SEQUENCE, [], seed), rounding="reference")


@pytest.mark.sample(1)
@pytest.mark.parametrize("target", ["c", "cortex-m4"])
@pytest.mark.parametrize("builtin", OPERATORS)
def test_all_parts_in_c_equal_litert(builtin: str, target: str):
    data, runs = integer_lstm(builtin, [part for part in PARTS if part != "coupled"], 5)
    expected = check(data, runs)
    with compile_artifact(data, CompileOptions(target=target)) as artifact:
        same([run_c(artifact, values) for values in runs], expected)


def test_gates_of_8_bits_are_refused():
    data, _ = integer_lstm("LSTM", [], 0, intermediates=12)
    with pytest.raises(UnsupportedError, match=r"gates of 8 bits .* reads outside of its tables; quantise"):
        import_model(data)


def test_a_layer_without_scales_of_its_gates_is_refused():
    data, _ = integer_lstm(SEQUENCE, ["peepholes"], 0, intermediates=0)
    with pytest.raises(InputError, match="has 0 intermediate tensors; give 5"):
        import_model(data)


def test_peepholes_of_more_outputs_than_cells_are_refused():
    data, _ = integer_lstm(SEQUENCE, ["projection", "peepholes"], 0, sizes=(2, 3, 5))
    with pytest.raises(UnsupportedError, match=r"more outputs \(5\) than cells \(3\)"):
        import_model(data)


def test_a_cell_whose_scale_is_no_power_of_two_is_refused():
    data, _ = integer_lstm(SEQUENCE, ["coupled"], 0, cell_scale=0.0007)
    with pytest.raises(UnsupportedError, match=r"its cell has the scale 0.0007; use a power of two"):
        import_model(data)
