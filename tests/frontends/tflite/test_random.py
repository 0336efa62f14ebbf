"""Random numbers are those of LiteRT: the first runs of a network, and those after them."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import TensorSpec, single
from s2s.interpret.graph import initial_state, run_graph
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from support.compiled import run_c

SEEDS = [(1, 0), (0, 7), (-5, 123456789), (2**40 + 3, -(2**50))]
SHAPE = (3, 7)
LOGITS = np.random.default_rng(4).normal(0, 3, (3, 40)).astype(np.float32)
RUNS = 3


def model_of(builtin: str, seeds: tuple[int, int]) -> bytes:
    shape = TensorSpec("shape", (2,), data=np.array(SHAPE, np.int32))
    return single(builtin, [shape], [TensorSpec("y", SHAPE)], "RandomOptions", seed=seeds[0], seed2=seeds[1])


def chosen_of(seeds: tuple[int, int], samples: int = 5) -> bytes:
    operands = [TensorSpec("x", LOGITS.shape, "FLOAT32"), TensorSpec("n", (), data=np.array(samples, np.int32))]
    y = TensorSpec("y", (len(LOGITS), samples), "INT64")
    return single("MULTINOMIAL", operands, [y], "RandomOptions", seed=seeds[0], seed2=seeds[1])


def drawn_by_litert(data: bytes, inputs: Sequence[Array] = ()) -> list[Array]:
    package: Any = importlib.import_module("ai_edge_litert.interpreter")
    interpreter = package.Interpreter(model_content=data)
    interpreter.allocate_tensors()
    for detail, value in zip(interpreter.get_input_details(), inputs, strict=True):
        interpreter.set_tensor(detail["index"], value)
    [output] = interpreter.get_output_details()
    runs: list[Array] = []
    for _ in range(RUNS):
        interpreter.invoke()
        runs.append(interpreter.get_tensor(output["index"]))
    return runs


def drawn(data: bytes, inputs: Sequence[Array] = ()) -> list[Array]:
    imported = import_model(data)
    state = initial_state(imported.module, imported.weights)
    return [run_graph(imported.module, inputs, imported.weights, state=state)[0] for _ in range(RUNS)]


@pytest.mark.parametrize("seeds", SEEDS)
def test_uniform_numbers_equal_those_of_litert(seeds: tuple[int, int]):
    data = model_of("RANDOM_UNIFORM", seeds)
    np.testing.assert_array_equal(drawn(data), drawn_by_litert(data))


@pytest.mark.parametrize("seeds", SEEDS)
def test_normal_numbers_equal_those_of_litert(seeds: tuple[int, int]):
    data = model_of("RANDOM_STANDARD_NORMAL", seeds)
    np.testing.assert_allclose(drawn(data), drawn_by_litert(data), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("seeds", SEEDS)
def test_classes_equal_those_of_litert_run_after_run(seeds: tuple[int, int]):
    data = chosen_of(seeds)
    np.testing.assert_array_equal(drawn(data, [LOGITS]), drawn_by_litert(data, [LOGITS]))


def test_c_draws_the_same_classes_run_after_run():
    data = chosen_of(SEEDS[2])
    with compile_artifact(data, CompileOptions(target="c")) as artifact:
        found = [run_c(artifact, [LOGITS])[0] for _ in range(RUNS)]
    np.testing.assert_array_equal(found, drawn_by_litert(data, [LOGITS]))


def test_classes_without_seeds_are_refused():
    with pytest.raises(UnsupportedError, match="has no seeds"):
        import_model(chosen_of((0, 0)))


def test_c_draws_the_same_numbers():
    data = model_of("RANDOM_UNIFORM", SEEDS[2])
    with compile_artifact(data, CompileOptions(target="c")) as artifact:
        [found] = run_c(artifact, [])
    np.testing.assert_array_equal(found, drawn_by_litert(data)[0])


@pytest.mark.parametrize("builtin", ["RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL"])
def test_numbers_without_seeds_are_refused(builtin: str):
    with pytest.raises(UnsupportedError, match="has no seeds"):
        import_model(model_of(builtin, (0, 0)))
