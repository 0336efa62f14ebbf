"""RNN, GRU, LSTM and control flow against onnxruntime."""

from typing import Any

import numpy as np
import onnx
import pytest

from s2s.analysis.network.functions import has_control_flow
from s2s.errors import UnsupportedError
from s2s.frontends.onnx import import_model
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from support.compiled import compiled, run_c
from support.onnx_nodes import Known, NodeCase, run_onnxruntime
from support.onnx_text import onnx_model

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
FUNCTIONS = {"RNN": 1, "GRU": 2, "LSTM": 3}
ACTIVATIONS = ("Relu", "Tanh", "Sigmoid", "LeakyRelu", "HardSigmoid", "Elu", "Softsign", "Softplus")


def recurrent_case(kind: str, seed: int) -> NodeCase:
    """A node with random sizes, operands and attributes."""
    rng = np.random.default_rng(seed)
    steps, batch, size, hidden = (int(n) for n in rng.integers(1, [7, 4, 6, 6]))
    direction = str(rng.choice(["forward", "reverse", "bidirectional"]))
    directions, gates = (2 if direction == "bidirectional" else 1), GATES[kind]

    def draw(*shape: int) -> Array:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    def maybe(value: Array) -> Array | None:
        return value if rng.random() < 0.5 else None

    weights = [draw(directions, gates * hidden, size), draw(directions, gates * hidden, hidden)]
    bias = maybe(draw(directions, 2 * gates * hidden))
    lengths = maybe(rng.integers(1, steps + 1, batch).astype(np.int32))
    states = [maybe(draw(directions, batch, hidden)) for _ in range(2 if kind == "LSTM" else 1)]
    operands: list[Any] = [draw(steps, batch, size), *map(Known, weights), None if bias is None else Known(bias)]
    operands += [lengths if lengths is None or rng.random() < 0.3 else Known(lengths), *states]
    if kind == "LSTM":
        peepholes = maybe(draw(directions, 3 * hidden))
        operands.append(None if peepholes is None else Known(peepholes))
    attributes: dict[str, Any] = {"hidden_size": hidden, "direction": direction}
    if rng.random() < 0.4:
        attributes["activations"] = [str(name) for name in rng.choice(ACTIVATIONS, FUNCTIONS[kind] * directions)]
    if rng.random() < 0.3:
        attributes["clip"] = float(rng.uniform(0.2, 1.0))
    if kind == "GRU":
        attributes["linear_before_reset"] = int(rng.integers(2))
    return NodeCase(kind, operands, attributes, 14, outputs=3 if kind == "LSTM" else 2)


def inputs_of(case: NodeCase) -> list[Array]:
    return [operand for operand in case.operands if isinstance(operand, np.ndarray)]


@pytest.mark.sample(60)
@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("kind", GATES)
def test_random_layers_match_onnxruntime(kind: str, seed: int):
    case = recurrent_case(kind, seed)
    model, inputs = case.model(), inputs_of(case)
    imported = import_model(model)
    found = run_graph(imported.module, inputs, imported.weights)
    for wanted, value in zip(run_onnxruntime(model, inputs), found, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("kind", "seed"), [("RNN", 1), ("GRU", 2), ("LSTM", 3), ("LSTM", 8)])
def test_c_of_layers_matches(kind: str, seed: int):
    case = recurrent_case(kind, seed)
    model, inputs = case.model(), inputs_of(case)
    imported = import_model(model)
    with compiled(imported.module, imported.weights, target="c") as artifact:
        found = run_c(artifact, inputs)
    for wanted, value in zip(run_onnxruntime(model, inputs), found, strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-5)


def test_constants_and_states_are_named_after_their_roles():
    shapes = {"w": (2, 4, 2), "r": (2, 4, 1), "b": (2, 8)}
    w, r, b = (Known(np.arange(np.prod(shape), dtype=np.float32).reshape(shape)) for shape in shapes.values())
    attributes = {"hidden_size": 1, "direction": "bidirectional"}
    imported = import_model(NodeCase("LSTM", [np.ones((3, 1, 2), np.float32), w, r, b], attributes, 14).model())
    roles = ("w", "r", "b", "w_back", "r_back", "b_back")
    assert set(imported.weights.names()) == {f"node_{role}" for role in roles}
    assert "(%h: tensor<1x1xf32>, %c: tensor<1x1xf32>, %x: tensor<1x4xf32>)" in str(imported.module)


def test_operations_do_not_grow_with_the_steps():
    def operations(steps: int) -> int:
        x, w, r = (np.zeros(shape, np.float32) for shape in ((steps, 1, 4), (1, 12, 4), (1, 12, 3)))
        case = NodeCase("LSTM", [x, Known(w), Known(r)], {"hidden_size": 3}, 14)
        return len(list(import_model(case.model()).module.walk()))

    assert operations(10) == operations(1000)


CONTROL = {
    "if": """(float[4] x, bool flag) => (float[4] y, float[4] z) <float[4] w = {1, 2, 3, 4}> {
        e = Exp (x)
        y, z = If (flag) <then_branch = t () => (float[4] a, float[4] b) { a = Add (e, w) b = Mul (a, x) },
                          else_branch = f () => (float[4] c, float[4] d) { c = Identity (x) d = Identity (w) }>
    }""",
    "while": """(float[4] x, float limit) => (float[4] y) <bool true = {1}, int64 most = {20}> {
        y = Loop (most, true, x) <body = b (int64 i, bool c, float[4] v) => (bool d, float[4] w) {
            f = Cast <to = 1> (i)
            w = Add (v, f)
            s = ReduceSum <keepdims = 0> (w)
            d = Less (s, limit) }>
    }""",
    "dynamic trip count": """(float[4] x, int64 n) => (float[4] y, int64 z) <int64 zero = {0}> {
        y, z = Loop (n, , x, zero) <body = b (int64 i, bool c, float[4] v, int64 k)
                                          => (bool d, float[4] w, int64 m) {
            d = Identity (c)
            w = Sub (x, v)
            m = Add (k, i) }>
    }""",
    "counted": """(float[4] x) => (float[4] y, float[6, 4] all) <bool true = {1}, int64 n = {6}> {
        y, all = Loop (n, true, x) <body = b (int64 i, bool c, float[4] v) => (bool d, float[4] w, float[4] o) {
            d = Identity (c)
            f = Cast <to = 1> (i)
            w = Add (v, f)
            o = Mul (w, x) }>
    }""",
    "slices that a loop counts": """(float[6, 4] x) => (float[2, 4] y)
        <bool true = {1}, int64 n = {5}, int64[1] axis = {0}, int64 one = {1},
         float[2, 4] z = {0, 0, 0, 0, 0, 0, 0, 0}> {
        y = Loop (n, true, z) <body = b (int64 i, bool c, float[2, 4] v) => (bool d, float[2, 4] w) {
            d = Identity (c)
            s = Unsqueeze (i, axis)
            e = Add (s, one)
            f = Add (one, e)
            p = Slice (x, s, f)
            q = Mul (p, v)
            w = Add (q, p) }>
    }""",
    "slices of a loop that stops early": """(float[4, 6] x, float limit) => (float[4, 1] y)
        <bool true = {1}, int64 n = {6}, int64[1] axis = {1}, int64[1] zero = {0}, int64[1] one = {1},
         float[4, 1] z = {0, 0, 0, 0}> {
        y = Loop (n, true, z) <body = b (int64 i, bool c, float[4, 1] v) => (bool d, float[4, 1] w) {
            s = Unsqueeze (i, zero)
            e = Add (s, one)
            p = Slice (x, s, e, axis, one)
            w = Add (v, p)
            t = ReduceSum <keepdims = 0> (w)
            d = Less (t, limit) }>
    }""",
    "scan": """(float[4] h, float[3, 5] x) => (float[4] y, float[4, 5] all) {
        y, all = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1],
                       scan_output_axes = [1], body = b (float[4] v, float[3] p) => (float[4] w, float[4] o) {
            s = ReduceSum <keepdims = 0> (p)
            w = Add (v, s)
            o = Tanh (w) }> (h, x)
    }""",
    "nested": """(float[4] x, bool flag) => (float[4] y) <bool true = {1}, int64 n = {3}> {
        y = Loop (n, true, x) <body = b (int64 i, bool c, float[4] v) => (bool d, float[4] w) {
            d = Identity (c)
            w = If (flag) <then_branch = t () => (float[4] a) { a = Add (v, x) },
                           else_branch = f () => (float[4] g) { g = Mul (v, x) }> }>
    }""",
}


def control_inputs(model: onnx.ModelProto, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    found: list[Array] = []
    for value in model.graph.input:
        tensor = value.type.tensor_type
        shape = [dim.dim_value for dim in tensor.shape.dim]
        match tensor.elem_type:
            case onnx.TensorProto.BOOL:
                found.append(np.asarray(rng.random() < 0.5))
            case onnx.TensorProto.INT64:
                found.append(np.asarray(rng.integers(0, 6), np.int64))
            case _:
                found.append(np.asarray(rng.normal(0, 2, shape), np.float32))
    return found


@pytest.mark.parametrize("name", CONTROL)
def test_control_flow_matches_onnxruntime(name: str):
    model = onnx_model(CONTROL[name])
    imported = import_model(model)
    assert has_control_flow(imported.module)
    with compiled(imported.module, imported.weights, target="c") as artifact:
        for seed in range(8):
            inputs = control_inputs(model, seed)
            wanted = run_onnxruntime(model, inputs)
            for levels in (run_graph(imported.module, inputs, imported.weights), run_c(artifact, inputs)):
                for value, expected in zip(levels, wanted, strict=True):
                    np.testing.assert_allclose(value, expected, rtol=1e-5, atol=1e-6)


def test_a_slice_that_may_reach_behind_the_end_is_refused():
    text = CONTROL["slices that a loop counts"].replace("n = {5}", "n = {6}")
    with pytest.raises(UnsupportedError, match="starts is computed at run time"):
        import_model(onnx_model(text))
