"""LSTM of one step over several runs: what it keeps lies in variable tensors, as LiteRT has them."""

import importlib
from typing import Any

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import TANH, TensorSpec, single
from s2s.interpret.graph import initial_state, run_graph
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from support.compiled import run_c

T = TensorSpec
BATCH, DEPTH, UNITS, RUNS = 2, 5, 4, 4
BASIC = 1


def basic(kind: str, cell_scale: float = 2.0**-11) -> bytes:
    rng = np.random.default_rng(7)
    rows, columns = 4 * UNITS, DEPTH + UNITS
    real: dict[str, Any] = {"type": "FLOAT32"}
    eight: dict[str, Any] = {"type": "UINT8", "scale": 1 / 128, "zero_point": 128}
    sixteen: dict[str, Any] = {"type": "INT16", "scale": cell_scale}
    unscaled: dict[str, Any] = {"type": "INT16", "scale": 2.0**-12}
    unit, cell = (real, real) if kind == "FLOAT32" else (eight, sixteen)
    if kind == "FLOAT32":
        weights, bias = rng.normal(0, 0.5, (rows, columns)).astype(np.float32), rng.normal(0, 0.5, rows)
        operands = [T("w", (rows, columns), data=weights), T("b", (rows,), data=bias.astype(np.float32))]
    else:
        weights = rng.integers(0, 256, (rows, columns)).astype(np.uint8)
        bias = rng.integers(-9999, 9999, rows).astype(np.int32)
        operands = [
            T("w", (rows, columns), data=weights, scale=0.01, zero_point=117),
            T("b", (rows,), data=bias, scale=0.01 / 128),
        ]
    x, h, y = T("x", (BATCH, DEPTH), **unit), T("h", (BATCH, UNITS), is_variable=True, **unit), (BATCH, UNITS)
    inputs = [x, h, *operands, T("c", (BATCH, UNITS), is_variable=True, **cell)]
    outputs = [T("y", y, **unit), T("state", y, **cell), T("rows", (BATCH, columns), **unit)]
    gates = T("gates", (BATCH, rows), **(real if kind == "FLOAT32" else unscaled))
    return single("LSTM", inputs, [*outputs, gates], "LSTMOptions", kernel_type=BASIC, fused_activation_function=TANH)


def full(**options: Any) -> bytes:
    rng = np.random.default_rng(8)

    def drawn(name: str, *shape: int) -> TensorSpec:
        return T(name, shape, data=rng.normal(0, 0.5, shape).astype(np.float32))

    gates = "ifco"
    inputs = [T("x", (BATCH, DEPTH)), *(drawn(f"w{gate}", UNITS, DEPTH) for gate in gates)]
    inputs += [drawn(f"r{gate}", UNITS, UNITS) for gate in gates]
    biases = [drawn(f"b{gate}", UNITS) for gate in gates]
    states = [T(name, (BATCH, UNITS), is_variable=True) for name in "hc"]
    every = [*inputs, None, None, None, *biases, None, None, *states]
    return single("LSTM", every, [T("y", (BATCH, UNITS))], "LSTMOptions", fused_activation_function=TANH, **options)


def inputs_of(kind: str) -> list[Array]:
    rng = np.random.default_rng(9)
    if kind == "FLOAT32":
        return list(rng.normal(size=(RUNS, BATCH, DEPTH)).astype(np.float32))
    return list(rng.integers(0, 256, (RUNS, BATCH, DEPTH)).astype(np.uint8))


def run_litert(data: bytes, kind: str) -> list[list[Array]]:
    package: Any = importlib.import_module("ai_edge_litert.interpreter")
    interpreter = package.Interpreter(model_content=data)
    interpreter.allocate_tensors()
    [place] = interpreter.get_input_details()
    places = [each["index"] for each in interpreter.get_output_details()]
    found: list[list[Array]] = []
    for x in inputs_of(kind):
        interpreter.set_tensor(place["index"], x)
        interpreter.invoke()
        found.append([interpreter.get_tensor(each) for each in places])
    return found


def same(found: list[list[Array]], expected: list[list[Array]]) -> None:
    for values, wanted in zip(found, expected, strict=True):
        for value, right in zip(values, wanted, strict=True):
            if right.dtype == np.float32:
                np.testing.assert_allclose(value, right, rtol=1e-5, atol=1e-6)
            else:
                np.testing.assert_array_equal(value, right)


CASES = [
    ("FLOAT32", basic("FLOAT32")),
    ("UINT8", basic("UINT8")),
    ("FLOAT32", full()),
    ("FLOAT32", full(cell_clip=0.2)),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("kind", "data"), CASES, ids=["basic", "basic-uint8", "full", "full-clipped"])
def test_steps_equal_litert(kind: str, data: bytes):
    expected = run_litert(data, kind)
    imported = import_model(data)
    state = initial_state(imported.module, imported.weights)
    same([run_graph(imported.module, [x], imported.weights, state=state) for x in inputs_of(kind)], expected)
    with compile_artifact(data, CompileOptions(target="c")) as artifact:
        same([run_c(artifact, [x]) for x in inputs_of(kind)], expected)


def test_a_cell_of_another_scale_is_refused():
    with pytest.raises(UnsupportedError, match="its cell has the scale"):
        import_model(basic("UINT8", 2.0**-12))


def test_a_full_step_without_state_is_refused():
    x = T("x", (BATCH, DEPTH), "INT8", scale=0.1)
    with pytest.raises(InputError, match="input 18 is no variable tensor"):
        import_model(single("LSTM", [x], [T("y", (BATCH, UNITS), "INT8", scale=0.1)], "LSTMOptions"))


def test_a_step_without_its_results_is_refused():
    x = T("x", (BATCH, DEPTH))
    with pytest.raises(InputError, match="give 5 and 4"):
        import_model(single("LSTM", [x], [T("y", (BATCH, UNITS))], "LSTMOptions", kernel_type=BASIC))
