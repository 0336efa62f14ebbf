"""Random TFLite networks agree with TFLite-Micro and LiteRT; `s2s fuzz --format tflite` runs more of them.

`S2S_FUZZ_SEED` draws others.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.frontends.tflite.schema import DTYPES
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec
from s2s.fuzz.campaign import Plan, Tally, draw, run
from s2s.fuzz.check import Failure, check
from s2s.fuzz.reduce import Failing, reduce_model
from s2s.fuzz.reproducer import replay, write
from s2s.fuzz.spread import Spread
from s2s.fuzz.tflite.model import TfliteModel, reordered
from s2s.fuzz.tflite.oracle import evaluate_graph
from s2s.fuzz.variants import Variant
from s2s.types.dtypes import Array

PLAN = Plan(models=40, seed=int(os.environ.get("S2S_FUZZ_SEED", "1")), variants=1, thorough=5, format="tflite")
QUICK = Variant(target="c", compiler="gcc", optimise="-O0")


def test_random_networks_agree_with_other_engines() -> None:
    total = Tally()
    for tally in run(PLAN):
        total.add(tally)
    assert [each.failure.describe() for each in total.failures] == [], f"seed {PLAN.seed}"
    assert total.models == PLAN.models
    assert sum(total.refused.values()) < PLAN.models / 4
    assert total.undetermined < total.compared / 4


def test_a_seed_draws_the_same_network_again() -> None:
    first, again = draw(PLAN, 3), draw(PLAN, 3)
    assert first.model.serialised() == again.model.serialised()
    assert all(first.inputs[name].tobytes() == value.tobytes() for name, value in again.inputs.items())


def test_a_network_that_is_read_back_computes_the_same() -> None:
    for number in range(4):
        drawn = draw(PLAN, number)
        again = drawn.model.format.read(drawn.model.serialised())
        assert again.operators == drawn.model.operators
        found = again.evaluate(drawn.inputs)
        for name, spread in drawn.expected.items():
            np.testing.assert_array_equal(found[name].clean, spread.clean)


def test_sizes_that_vary_are_for_onnx() -> None:
    with pytest.raises(InputError, match="leave it out with --format tflite"):
        next(run(Plan(models=1, sizes=True, format="tflite")))


# ---------------------------------------------------------------- a small network


def chain() -> tuple[TfliteModel, dict[str, Array]]:
    """`y = relu(-x)`, of int8 with `a = -x` by a product between them, and `z = |x|` beside."""
    tensors = [
        TensorSpec("x", (4,), "INT8", scale=0.5, zero_point=10),
        TensorSpec("minus", (1,), data=np.asarray([-128], np.int8), scale=1 / 128, zero_point=0),
        TensorSpec("a", (4,), "INT8", scale=0.5, zero_point=10),
        TensorSpec("y", (4,), "INT8", scale=0.5, zero_point=-128),
        TensorSpec("z", (4,), "INT8", scale=0.5, zero_point=-128),
    ]
    operators = [
        OperatorSpec("MUL", ["x", "minus"], ["a"], "MulOptions", {"fused_activation_function": 0}),
        OperatorSpec("ABS", ["x"], ["z"]),
        OperatorSpec("RELU", ["a"], ["y"]),
    ]
    graph = GraphSpec(tensors, operators, ["x"], ["y", "z"])
    return TfliteModel(graph), {"x": np.asarray([-20, 9, 12, 100], np.int8)}


def test_integers_are_those_of_the_kernels() -> None:
    network, inputs = chain()
    values = network.evaluate(inputs)
    assert values["y"].is_exact
    assert values["y"].clean.tolist() == [-98, -127, -128, -128]
    assert values["z"].clean.tolist() == [-98, -127, -126, -38]


def test_one_wrong_integer_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    network, inputs = chain()
    expected = network.evaluate(inputs)
    assert check(network, inputs, expected, QUICK) == []
    wrong = expected["y"].clean.copy()
    wrong[2] += 1
    changed = {**expected, "y": Spread(wrong)}

    def expecting(*_: object, **__: object) -> Mapping[str, Spread]:
        return changed

    monkeypatch.setattr(TfliteModel, "evaluate", expecting)
    [failure] = check(network, inputs, changed, QUICK)
    assert failure.detail.startswith("y: 1 of 4 elements differ, first at [2]: expected -127, found -128")


def test_unsigned_numbers_are_those_of_the_kernels_on_int8() -> None:
    """TFLite-Micro has no kernel for them."""
    network, inputs = chain()
    signed = network.evaluate(inputs)
    graph = network.graph
    tensors = [
        TensorSpec(
            spec.name,
            spec.shape,
            "UINT8",
            None if spec.data is None else (spec.data.astype(np.int16) + 128).astype(np.uint8),
            spec.scale,
            np.asarray(spec.zero_point) + 128,
        )
        for spec in graph.tensors
    ]
    kept = [each for each in graph.operators if each.builtin != "ABS"]
    raised = GraphSpec(tensors, kept, graph.inputs, ["y"])
    values = evaluate_graph(raised, {"x": (inputs["x"].astype(np.int16) + 128).astype(np.uint8)})
    np.testing.assert_array_equal(values["y"].clean.astype(np.int16) - 128, signed["y"].clean)


def test_an_integer_that_hangs_on_a_rounding_is_not_determined() -> None:
    tensors = [
        TensorSpec("x", (2,), "FLOAT32"),
        TensorSpec("s", (2,), "FLOAT32"),
        TensorSpec("y", (2,), "INT8", scale=1.0),
    ]
    operators = [OperatorSpec("SQUARE", ["x"], ["s"]), OperatorSpec("QUANTIZE", ["s"], ["y"])]
    values = evaluate_graph(GraphSpec(tensors, operators, ["x"], ["y"]), {"x": np.asarray([2.5**0.5, 2], np.float32)})
    assert np.isinf(values["y"].bounds()).tolist() == [True, False]


def test_int16_is_padded_with_its_zero_point() -> None:
    """TFLite-Micro pads with 0."""
    counts = np.asarray([[0, 1]], np.int32)
    tensors = [
        TensorSpec("x", (2,), "INT16", scale=0.5, zero_point=7),
        TensorSpec("counts", (1, 2), data=counts),
        TensorSpec("y", (3,), "INT16", scale=0.5, zero_point=7),
    ]
    graph = GraphSpec(tensors, [OperatorSpec("PAD", ["x", "counts"], ["y"], "PadOptions")], ["x"], ["y"])
    assert evaluate_graph(graph, {"x": np.asarray([1, 2], np.int16)})["y"].clean.tolist() == [1, 2, 7]


def test_another_order_computes_the_same() -> None:
    network, inputs = chain()
    other = reordered(network.graph)
    assert [spec.name for spec in other.tensors] != [spec.name for spec in network.graph.tensors]
    found = evaluate_graph(other, inputs)
    for name, spread in network.evaluate(inputs).items():
        np.testing.assert_array_equal(found[name].clean, spread.clean)


def test_an_operator_is_cut_off_by_making_its_result_an_input() -> None:
    network, inputs = chain()
    cut = network.pruned(["y"]).without(0, network.evaluate(inputs))
    assert (cut.operators, cut.inputs, cut.outputs) == (["RELU"], ["a"], ["y"])


def test_a_failing_network_is_reduced_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network, inputs = chain()

    def fails(model: TfliteModel, *_: object) -> list[Failure]:
        return [Failure("wrong", "y differs", QUICK, "y")] if "RELU" in model.operators else []

    monkeypatch.setattr("s2s.fuzz.reduce.failures_of", fails)
    smallest = reduce_model(Failing(network, inputs, Failure("wrong", "y differs", QUICK, "y")))
    assert smallest.model.operators == ["RELU"]
    path = write(smallest, tmp_path)
    assert path.suffix == ".tflite"
    assert replay(path) == []


def test_inputs_are_read_back_in_their_types() -> None:
    network, inputs = chain()
    stored = {name: np.frombuffer(value.tobytes(), np.uint8) for name, value in inputs.items()}
    found = network.read_inputs(stored)["x"]
    assert found.dtype == DTYPES["INT8"]
    np.testing.assert_array_equal(found, inputs["x"])
