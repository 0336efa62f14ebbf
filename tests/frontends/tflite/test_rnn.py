"""Plain recurrent layers against LiteRT's reference kernels, over several runs that hand the state on."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import RELU, TANH, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.interpret.graph import initial_state, run_graph
from s2s.types.dtypes import Array
from support.compiled import compiled, run_c

RUNS, STEPS, BATCH, DEPTH, UNITS = 3, 4, 2, 5, 3


def run_litert(data: bytes, runs: Sequence[Array]) -> list[list[Array]]:
    """What LiteRT gives run after run."""
    package: Any = importlib.import_module("ai_edge_litert.interpreter")
    kernels = package.OpResolverType.BUILTIN_REF
    interpreter = package.Interpreter(model_content=data, experimental_op_resolver_type=kernels)
    interpreter.allocate_tensors()
    found: list[list[Array]] = []
    for x in runs:
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
        interpreter.invoke()
        found.append([interpreter.get_tensor(each["index"]) for each in interpreter.get_output_details()])
    return found


def layer(
    builtin: str,
    *,
    merge: bool = False,
    major: bool = False,
    activation: int = TANH,
    narrow: bool = False,
    asymmetric: bool = False,
) -> tuple[bytes, list[Array]]:
    """A model of one layer with random weights, and what it is fed in each run."""
    random = np.random.default_rng(len(builtin) + merge)
    sizes = (STEPS, BATCH) if major else (BATCH, STEPS)
    one_step = builtin == "RNN"
    x = TensorSpec("x", (BATCH, DEPTH) if one_step else (*sizes, DEPTH))
    directions = ("fw", "bw") if builtin.startswith("BI") else ("fw",)
    tensors, names = [x], ["x"]
    for direction in directions:
        for name, shape in (("w", (UNITS, DEPTH)), ("r", (UNITS, UNITS)), ("b", (UNITS,))):
            values = random.normal(0, 0.5, shape).astype(np.float32)
            if narrow and name != "b":
                integers = random.integers(-127, 128, shape).astype(np.int8)
                tensors.append(TensorSpec(f"{direction}_{name}", shape, data=integers, scale=0.008))
            else:
                tensors.append(TensorSpec(f"{direction}_{name}", shape, data=values))
        tensors.append(TensorSpec(f"{direction}_state", (BATCH, UNITS), is_variable=True))
        names += [f"{direction}_{name}" for name in ("w", "r", "b", "state")]
    outputs = [f"y{place}" for place in range(1 if merge else len(directions))]
    width = UNITS * (2 if merge else 1)
    shape = (BATCH, UNITS) if one_step else (*sizes, width)
    fields: dict[str, Any] = {"fused_activation_function": activation, "asymmetric_quantize_inputs": asymmetric}
    if not one_step:
        fields["time_major"] = major
    if len(directions) == 2:
        fields["merge_outputs"] = merge
        names += [""] * 3
    options = {"RNN": "RNNOptions", "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions"}
    operator = OperatorSpec(builtin, names, outputs, options.get(builtin, "BidirectionalSequenceRNNOptions"), fields)
    specs = [*tensors, *(TensorSpec(name, shape) for name in outputs)]
    runs = [random.normal(0, 1, x.shape).astype(np.float32) for _ in range(RUNS)]
    return model([GraphSpec(specs, [operator], ["x"], outputs)]), runs


CASES: dict[str, dict[str, Any]] = {
    "one step": {"builtin": "RNN"},
    "one step, relu": {"builtin": "RNN", "activation": RELU},
    "batch first": {"builtin": "UNIDIRECTIONAL_SEQUENCE_RNN"},
    "time first": {"builtin": "UNIDIRECTIONAL_SEQUENCE_RNN", "major": True},
    "8-bit weights, one step": {"builtin": "RNN", "narrow": True},
    "8-bit weights, with offsets": {"builtin": "UNIDIRECTIONAL_SEQUENCE_RNN", "narrow": True, "asymmetric": True},
    "8-bit weights, both directions": {"builtin": "BIDIRECTIONAL_SEQUENCE_RNN", "narrow": True},
    "both directions": {"builtin": "BIDIRECTIONAL_SEQUENCE_RNN"},
    "both directions, merged": {"builtin": "BIDIRECTIONAL_SEQUENCE_RNN", "merge": True, "major": True},
}


def assert_runs_equal(found: list[list[Array]], expected: list[list[Array]]):
    for run, (values, wanted) in enumerate(zip(found, expected, strict=True)):
        for value, right in zip(values, wanted, strict=True):
            np.testing.assert_allclose(value, right, rtol=1e-6, atol=1e-6, err_msg=f"run {run}")


@pytest.mark.parametrize("name", CASES)
def test_layers_equal_the_reference(name: str):
    data, runs = layer(**CASES[name])
    imported = import_model(data)
    state = initial_state(imported.module, imported.weights)
    found = [run_graph(imported.module, [x], imported.weights, state=state) for x in runs]
    assert_runs_equal(found, run_litert(data, runs))


def test_both_directions_in_c_equal_the_reference():
    data, runs = layer(**CASES["both directions, merged"])
    imported = import_model(data)
    with compiled(imported.module, imported.weights, target="c") as artifact:
        found = [run_c(artifact, [x]) for x in runs]
    assert_runs_equal(found, run_litert(data, runs))


def bidirectional_lstm(*, merge: bool) -> tuple[bytes, list[Array]]:
    """A model of a layer of LSTM cells in both directions, and what it is fed in each run."""
    random = np.random.default_rng(5)
    tensors, names = [TensorSpec("x", (BATCH, STEPS, DEPTH))], ["x"]

    def constant(name: str, *shape: int) -> str:
        tensors.append(TensorSpec(name, shape, data=random.normal(0, 0.5, shape).astype(np.float32)))
        return name

    for way in ("fw", "bw"):
        names += [constant(f"{way}_w{gate}", UNITS, DEPTH) for gate in range(4)]
        names += [constant(f"{way}_r{gate}", UNITS, UNITS) for gate in range(4)]
        names += [*[""] * 3, *(constant(f"{way}_b{gate}", UNITS) for gate in range(4)), "", ""]
    states = [f"{way}_{what}" for way in ("fw", "bw") for what in ("hidden", "cell")]
    tensors += [TensorSpec(name, (BATCH, UNITS), is_variable=True) for name in states]
    names += [*states, *[""] * 9]
    outputs = ["y"] if merge else ["y", "z"]
    tensors += [TensorSpec(name, (BATCH, STEPS, UNITS * (1 + merge))) for name in outputs]
    fields = {"fused_activation_function": TANH, "merge_outputs": merge, "time_major": False, "cell_clip": 0.6}
    operator = OperatorSpec("BIDIRECTIONAL_SEQUENCE_LSTM", names, outputs, "BidirectionalSequenceLSTMOptions", fields)
    runs = [random.normal(0, 1, (BATCH, STEPS, DEPTH)).astype(np.float32) for _ in range(RUNS)]
    return model([GraphSpec(tensors, [operator], ["x"], outputs)]), runs


@pytest.mark.parametrize("merge", [False, True])
def test_lstm_cells_in_both_directions_equal_the_reference(merge: bool):
    data, runs = bidirectional_lstm(merge=merge)
    imported = import_model(data)
    state = initial_state(imported.module, imported.weights)
    found = [run_graph(imported.module, [x], imported.weights, state=state) for x in runs]
    # The reference reads memory that it never wrote where it merges outputs of this operator: it joins them here.
    apart = run_litert(bidirectional_lstm(merge=False)[0], runs)
    assert_runs_equal(found, [[np.concatenate(each, -1)] for each in apart] if merge else apart)
