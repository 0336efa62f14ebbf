"""LSTMs of floats with every part that LiteRT has, several runs each, against LiteRT."""

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import NONE, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.interpret.graph import initial_state, run_graph
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from support.compiled import run_c
from support.litert_lstm_cases import Runs, drawn_parts, lstm, parts_of, run_litert

OPERATORS = ("LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_LSTM")
CASES = 5
TOLERANCE = 1e-5
"""Of floats, relative to the larger of a number and one: kernels add in an order of their own."""
DIAGONAL = "diagonal_recurrent_tensors"
EACH = [(builtin, part) for builtin in OPERATORS for part in parts_of(builtin)]


def same(found: Runs, expected: Runs) -> None:
    for values, wanted in zip(found, expected, strict=True):
        for value, right in zip(values, wanted, strict=True):
            np.testing.assert_allclose(value, right, rtol=TOLERANCE, atol=TOLERANCE)


def check(data: bytes, runs: Runs) -> list[list[Array]]:
    """Compare the graph with LiteRT; return what LiteRT gives."""
    expected = run_litert(data, runs)
    imported = import_model(data)
    state = initial_state(imported.module, imported.weights)
    same([run_graph(imported.module, values, imported.weights, state=state) for values in runs], expected)
    return expected


@pytest.mark.sample(12)
@pytest.mark.parametrize("narrow", [False, True], ids=["float32", "int8-weights"])
@pytest.mark.parametrize(("builtin", "part"), EACH)
def test_each_part_alone_equals_litert(builtin: str, part: str, narrow: bool):
    parts = ["projection", part] if part == "projection bias" else [part]
    for seed in range(CASES):
        check(*lstm(builtin, parts, seed, narrow=narrow))


@pytest.mark.parametrize("narrow", [False, True], ids=["float32", "int8-weights"])
@pytest.mark.parametrize("builtin", OPERATORS)
def test_parts_together_equal_litert(builtin: str, narrow: bool):
    for seed in range(14):
        check(*lstm(builtin, drawn_parts(builtin, seed), seed, narrow=narrow))


@pytest.mark.parametrize("narrow", [False, True], ids=["float32", "int8-weights"])
@pytest.mark.parametrize("builtin", OPERATORS)
def test_all_parts_in_c_equal_litert(builtin: str, narrow: bool):
    parts = [part for part in parts_of(builtin) if part != "coupled"]
    data, runs = lstm(builtin, parts, 5, narrow=narrow)
    expected = check(data, runs)
    with compile_artifact(data, CompileOptions(target="c")) as artifact:
        same([run_c(artifact, values) for values in runs], expected)


def test_a_layer_without_an_activation_is_refused():
    data, _ = lstm("UNIDIRECTIONAL_SEQUENCE_LSTM", [], 0, activation=NONE)
    with pytest.raises(UnsupportedError, match="has no activation"):
        import_model(data)


def test_diagonal_recurrent_weights_are_refused():
    names = ["x", *[""] * 23]
    operator = OperatorSpec(OPERATORS[1], names, ["y"], "UnidirectionalSequenceLSTMOptions", {DIAGONAL: True})
    tensors = [TensorSpec(name, (1, 2, 3)) for name in "xy"]
    with pytest.raises(UnsupportedError, match="has diagonals for recurrent weights; give whole matrices"):
        import_model(model([GraphSpec(tensors, [operator], ["x"], ["y"])]))
