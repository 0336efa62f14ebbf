"""Layers that keep state, variables and control flow against TFLite-Micro, over several runs."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import TANH, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.inspection import inspect_model
from s2s.interpret.graph import initial_state, run_graph
from s2s.types.dtypes import Array
from support.compiled import compiled, run_c

T, Op = TensorSpec, OperatorSpec
RUNS = 3


def run_micro(data: bytes, runs: Sequence[Sequence[Array]], outputs: int) -> list[list[Array]]:
    """What TFLite-Micro gives run after run."""
    package: Any = importlib.import_module("tflite_micro")
    interpreter = package.runtime.Interpreter.from_bytes(data, arena_size=1 << 20)
    found: list[list[Array]] = []
    for inputs in runs:
        for place, value in enumerate(inputs):
            interpreter.set_input(value, place)
        interpreter.invoke()
        found.append([interpreter.get_output(place).copy() for place in range(outputs)])
    return found


def check(data: bytes, runs: Sequence[Sequence[Array]], outputs: int = 1, *, through_c: bool = False) -> None:
    """The graph level, or C, gives the same, run after run."""
    wanted = run_micro(data, runs, outputs)
    imported = import_model(data)
    state = initial_state(imported.module, imported.weights)
    levels = [[run_graph(imported.module, inputs, imported.weights, state=state) for inputs in runs]]
    if through_c:
        with compiled(imported.module, imported.weights, target="c") as artifact:
            levels.append([run_c(artifact, inputs) for inputs in runs])
    for found in levels:
        for run, (values, expected) in enumerate(zip(found, wanted, strict=True)):
            for value, right in zip(values, expected, strict=True):
                if right.dtype == np.float32:
                    np.testing.assert_allclose(value.reshape(right.shape), right, rtol=1e-5, atol=1e-6)
                else:
                    np.testing.assert_array_equal(value.reshape(right.shape), right, err_msg=f"run {run}")


# ------------------------------------------------------------------------------- LSTM


def lstm(kind: str, seed: int, *, peepholes: bool = False) -> tuple[bytes, list[list[Array]]]:
    rng = np.random.default_rng(seed)
    steps, batch, depth, hidden = (int(n) for n in rng.integers(1, [6, 3, 7, 7]))
    major = bool(rng.random() < 0.5)
    shape = (steps, batch) if major else (batch, steps)
    real = kind == "FLOAT32"
    x_scale, h_scale, c_scale = (
        float(rng.uniform(0.01, 0.05)),
        float(rng.uniform(0.005, 0.01)),
        2.0 ** -int(rng.integers(9, 16)),
    )
    x_zp, h_zp = (0, 0) if kind != "INT8" else (int(rng.integers(-20, 20)), int(rng.integers(-20, 20)))
    if kind == "INT16":
        x_scale, h_scale = x_scale / 256, h_scale / 256

    def weight(name: str, columns: int) -> TensorSpec:
        if real:
            return T(name, (hidden, columns), data=rng.normal(0, 0.5, (hidden, columns)).astype(np.float32))
        data = rng.integers(-127, 128, (hidden, columns)).astype(np.int8)
        return T(name, (hidden, columns), data=data, scale=float(rng.uniform(0.002, 0.02)))

    def bias(name: str) -> TensorSpec:
        if real:
            return T(name, (hidden,), data=rng.normal(0, 0.5, hidden).astype(np.float32))
        dtype = np.int64 if kind == "INT16" else np.int32
        return T(name, (hidden,), data=rng.integers(-2000, 2000, hidden).astype(dtype), scale=x_scale * 0.01)

    def activation(name: str, dims: Sequence[int], scale: float, zero_point: int, **more: Any) -> TensorSpec:
        return T(name, dims, kind, scale=None if real else scale, zero_point=zero_point, **more)

    gates = "ifco"
    tensors = [activation("x", (*shape, depth), x_scale, x_zp)]
    tensors += [weight(f"w{gate}", depth) for gate in gates] + [weight(f"r{gate}", hidden) for gate in gates]
    tensors += [bias(f"b{gate}") for gate in gates]
    tensors += [activation("h", (batch, hidden), h_scale, h_zp, is_variable=True)]
    tensors += [
        T("c", (batch, hidden), "FLOAT32" if real else "INT16", scale=None if real else c_scale, is_variable=True)
    ]
    tensors += [activation("y", (*shape, hidden), h_scale, h_zp)]
    names = ["x", *(f"w{gate}" for gate in gates), *(f"r{gate}" for gate in gates)]
    names += [f"b{gate}" if peepholes else "" for gate in "ifo"]
    names += [*(f"b{gate}" for gate in gates), "", "", "h", "c", *[""] * 4]
    clip = float(rng.choice([0.0, 0.0, 0.25]))
    options = {"fused_activation_function": TANH, "cell_clip": clip, "time_major": major}
    operator = Op("UNIDIRECTIONAL_SEQUENCE_LSTM", names, ["y"], "UnidirectionalSequenceLSTMOptions", options)
    runs = [[_draw(rng, (*shape, depth), kind)] for _ in range(RUNS)]
    return model([GraphSpec(tensors, [operator], ["x"], ["y"])]), runs


def _draw(rng: np.random.Generator, shape: Sequence[int], kind: str) -> Array:
    if kind == "FLOAT32":
        return rng.normal(size=shape).astype(np.float32)
    dtype = np.dtype(kind.lower())
    info = np.iinfo(dtype.str)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


@pytest.mark.sample(8, each="kind")
@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("kind", ["FLOAT32", "INT8", "INT16"])
def test_lstm(kind: str, seed: int):
    check(*lstm(kind, seed), through_c=seed == 0)


@pytest.mark.parametrize("seed", [3, 4, 6])
def test_lstm_on_a_small_core(seed: int):
    data, runs = lstm("INT8", seed)
    imported = import_model(data)
    wanted = run_micro(data, runs, 1)
    with compiled(imported.module, imported.weights, target="cortex-m4") as artifact:
        for inputs, (expected,) in zip(runs, wanted, strict=True):
            np.testing.assert_array_equal(run_c(artifact, inputs)[0], expected)


def test_lstm_on_a_target_with_vectors():
    data, runs = lstm("FLOAT32", 5)
    imported = import_model(data)
    wanted = run_micro(data, runs, 1)
    with compiled(imported.module, imported.weights, target="host") as artifact:
        for inputs, (expected,) in zip(runs, wanted, strict=True):
            np.testing.assert_allclose(run_c(artifact, inputs)[0], expected, rtol=1e-5, atol=1e-6)


# ------------------------------------------------------------------------------- SVDF


def svdf(kind: str, time_kind: str, seed: int) -> tuple[bytes, list[list[Array]]]:
    rng = np.random.default_rng(seed)
    batch, depth, units, rank, memory = (int(n) for n in rng.integers(1, [4, 9, 6, 4, 7]))
    filters, real = units * rank, kind == "FLOAT32"
    x_zp, s_zp, y_zp = (int(n) for n in rng.integers(-20, 20, 3))
    if time_kind == "INT16":
        s_zp = 0
    x_scale, f_scale, t_scale = (float(n) for n in rng.uniform(0.005, 0.05, 3))
    s_scale = float(rng.uniform(0.01, 0.1)) / (256 if time_kind == "INT16" else 1)

    def tensor(name: str, dims: Sequence[int], element: str, scale: float, **more: Any) -> TensorSpec:
        return T(name, dims, element, scale=None if real else scale, **more)

    bias = rng.normal(size=units).astype(np.float32) if real else rng.integers(-500, 500, units).astype(np.int32)
    tensors = [
        tensor("x", (batch, depth), kind, x_scale, zero_point=x_zp),
        tensor("feature", (filters, depth), kind, f_scale, data=_draw(rng, (filters, depth), kind)),
        tensor("time", (filters, memory), time_kind, t_scale, data=_draw(rng, (filters, memory), time_kind)),
        tensor("bias", (units,), "", s_scale * t_scale, data=bias),
        tensor("state", (batch, filters * memory), time_kind, s_scale, zero_point=s_zp, is_variable=True),
        tensor("y", (batch, units), kind, float(rng.uniform(0.02, 0.5)), zero_point=y_zp),
    ]
    options = {"rank": rank, "fused_activation_function": int(rng.choice([0, 1])) if real else 0}
    operator = Op("SVDF", ["x", "feature", "time", "bias", "state"], ["y"], "SVDFOptions", options)
    runs = [[_draw(rng, (batch, depth), kind)] for _ in range(2 * RUNS)]
    return model([GraphSpec(tensors, [operator], ["x"], ["y"])]), runs


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(("kind", "time"), [("FLOAT32", "FLOAT32"), ("INT8", "INT8"), ("INT8", "INT16")])
def test_svdf(kind: str, time: str, seed: int):
    check(*svdf(kind, time, seed), through_c=seed == 0)


# ---------------------------------------------------------------- variables and control


HANDLE = {"container": "", "shared_name": "total"}


def counter(initial: float | None) -> bytes:
    """Adds its input to a variable, and returns both the old and the new value."""
    tensors = [
        T("x", (3,), "FLOAT32"),
        T("handle", (), "RESOURCE"),
        T("old", (3,), "FLOAT32"),
        T("new", (3,), "FLOAT32"),
    ]
    operators = [
        Op("VAR_HANDLE", [], ["handle"], "VarHandleOptions", HANDLE),
        Op("READ_VARIABLE", ["handle"], ["old"], "ReadVariableOptions"),
        Op("ADD", ["old", "x"], ["new"], "AddOptions"),
        Op("ASSIGN_VARIABLE", ["handle", "new"], [], "AssignVariableOptions"),
    ]
    graphs = [GraphSpec(tensors, operators, ["x"], ["old", "new"])]
    if initial is not None:
        operators.insert(0, Op("CALL_ONCE", [], [], "CallOnceOptions", {"init_subgraph_index": 1}))
        values = np.full(3, initial, np.float32)
        graphs.append(
            GraphSpec(
                [T("handle", (), "RESOURCE"), T("first", (3,), data=values)],
                [
                    Op("VAR_HANDLE", [], ["handle"], "VarHandleOptions", HANDLE),
                    Op("ASSIGN_VARIABLE", ["handle", "first"], [], "AssignVariableOptions"),
                ],
                [],
                [],
                "init",
            )
        )
    return model(graphs)


@pytest.mark.parametrize("initial", [None, 2.5])
def test_resource_variables(initial: float | None):
    rng = np.random.default_rng(0)
    check(counter(initial), [[_draw(rng, (3,), "FLOAT32")] for _ in range(RUNS)], 2, through_c=True)


def _graph(name: str, kind: str, operators: Sequence[OperatorSpec], outputs: Sequence[TensorSpec]) -> GraphSpec:
    tensors = [T("a", (4,), kind), T("b", (4,), kind), *outputs]
    return GraphSpec(tensors, operators, ["a", "b"], [outputs[-1].name], name)


def branches(kind: str) -> bytes:
    """The sum of two inputs, or their product."""
    tensors = [T("c", (), "BOOL"), T("x", (4,), kind), T("y", (4,), kind), T("z", (4,), kind)]
    operator = Op("IF", ["c", "x", "y"], ["z"], "IfOptions", {"then_subgraph_index": 1, "else_subgraph_index": 2})
    return model(
        [
            GraphSpec(tensors, [operator], ["c", "x", "y"], ["z"]),
            _graph("yes", kind, [Op("ADD", ["a", "b"], ["r"], "AddOptions")], [T("r", (4,), kind)]),
            _graph("no", kind, [Op("MUL", ["a", "b"], ["r"], "MulOptions")], [T("r", (4,), kind)]),
        ]
    )


@pytest.mark.parametrize("kind", ["FLOAT32", "INT32"])
def test_if(kind: str):
    rng = np.random.default_rng(1)
    values = [rng.integers(-9, 9, (2, 4)).astype(kind.lower()) for _ in range(6)]
    check(branches(kind), [[np.asarray(n % 2 == 0), *pair] for n, pair in enumerate(values)], through_c=True)


def loop(inside: bool) -> bytes:
    """Doubles until the first element reaches a limit; with `inside`, a variable counts the steps."""
    tensors = [T("x", (4,), "INT32"), T("limit", (4,), "INT32"), T("y", (4,), "INT32"), T("unused", (4,), "INT32")]
    less = [
        Op("LESS", ["a", "b"], ["smaller"], "LessOptions"),
        Op("REDUCE_ALL", ["smaller", "axes"], ["r"], "ReducerOptions", {"keep_dims": False}),
    ]
    condition = _graph(
        "test",
        "INT32",
        less,
        [T("smaller", (4,), "BOOL"), T("axes", (1,), data=np.zeros(1, np.int32)), T("r", (), "BOOL")],
    )
    body = [Op("ADD", ["a", "a"], ["r"], "AddOptions")]
    parts = [T("r", (4,), "INT32")]
    if inside:
        parts = [T("handle", (), "RESOURCE"), T("old", (1,), "INT32"), T("new", (1,), "INT32"), *parts]
        parts.insert(0, T("one", (1,), data=np.ones(1, np.int32)))
        body += [
            Op("VAR_HANDLE", [], ["handle"], "VarHandleOptions", HANDLE),
            Op("READ_VARIABLE", ["handle"], ["old"], "ReadVariableOptions"),
            Op("ADD", ["old", "one"], ["new"], "AddOptions"),
            Op("ASSIGN_VARIABLE", ["handle", "new"], [], "AssignVariableOptions"),
        ]
    step = _graph("step", "INT32", body, parts)
    step = GraphSpec(step.tensors, step.operators, step.inputs, ["r", "b"], "step")
    options = {"cond_subgraph_index": 1, "body_subgraph_index": 2}
    operators = [Op("WHILE", ["x", "limit"], ["y", "unused"], "WhileOptions", options)]
    outputs = ["y"]
    if inside:
        tensors += [T("handle", (), "RESOURCE"), T("count", (1,), "INT32")]
        operators.insert(0, Op("VAR_HANDLE", [], ["handle"], "VarHandleOptions", HANDLE))
        operators.append(Op("READ_VARIABLE", ["handle"], ["count"], "ReadVariableOptions"))
        outputs.append("count")
    return model([GraphSpec(tensors, operators, ["x", "limit"], outputs), condition, step])


def test_while():
    rng = np.random.default_rng(2)
    limit = np.full(4, 100, np.int32)
    check(loop(inside=False), [[rng.integers(1, 200, 4).astype(np.int32), limit] for _ in range(8)], through_c=True)


def test_variable_inside_of_a_loop():
    rng = np.random.default_rng(3)
    data, limit = loop(inside=True), np.full(4, 100, np.int32)
    runs = [[rng.integers(1, 50, 4).astype(np.int32), limit] for _ in range(3)]
    imported = import_model(data)
    counts: list[int] = []
    with compiled(imported.module, imported.weights, target="c") as artifact:
        for inputs in runs:
            counts.append(int(run_c(artifact, inputs)[1].item()))
    steps, total = list[int](), 0
    for x, _ in runs:
        while (x < 100).all():
            x, total = x + x, total + 1
        steps.append(total)
    assert counts == steps


def test_integer_lstm_with_peepholes_wants_the_scales_of_its_gates():
    data, _ = lstm("INT8", 0, peepholes=True)
    with pytest.raises(InputError, match="has 0 intermediate tensors; give 5"):
        import_model(data)


def test_a_variable_without_its_handle_is_refused():
    tensors = [T("x", (1, 1), "FLOAT32"), T("handle", (), "RESOURCE"), T("y", (1, 1), "FLOAT32")]
    operators = [Op("READ_VARIABLE", ["handle"], ["y"], "ReadVariableOptions")]
    with pytest.raises(UnsupportedError, match="which variable is meant"):
        import_model(model([GraphSpec(tensors, operators, ["x", "handle"], ["y"])]))


def test_inspection_tells_of_the_network_and_not_of_its_state():
    data, _ = lstm("INT8", 3)
    found = inspect_model(data)
    assert [port.name for port in (*found.inputs, *found.outputs)] == ["x", "y"]
    assert found.multiply_adds == 160
