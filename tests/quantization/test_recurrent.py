"""`s2s quantize` makes integers of GRU and LSTM: little noise, the bits of onnxruntime, no floats left."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from s2s import api
from s2s.compilation import Compilation
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of
from s2s.frontends.formats import load_model
from s2s.options import CompileOptions
from s2s.quantization.static import quantize

STEPS, BATCH, INPUTS, UNITS, SAMPLES = 12, 2, 16, 32, 6
GATES = {"GRU": 3, "LSTM": 4}
MIN_RATIO = 25.0
"""Decibels of the output over the noise of 8 bits."""


def network(operator: str, *, states: bool = False, bias: bool = True, **attributes: Any) -> onnx.ModelProto:
    """A model of one recurrent node with all its outputs; `states` are initial states as constants."""
    rng, count = np.random.default_rng(1), 2 if attributes.get("direction") == "bidirectional" else 1
    rows = GATES[operator] * UNITS
    shapes = {"w": (count, rows, INPUTS), "r": (count, rows, UNITS)} | ({"b": (count, 2 * rows)} if bias else {})
    held = ["h"] + (["c"] if operator == "LSTM" else [])
    shapes |= dict.fromkeys(held, (count, BATCH, UNITS)) if states else {}
    constants = [numpy_helper.from_array(rng.uniform(-0.4, 0.4, s).astype(np.float32), n) for n, s in shapes.items()]
    inputs = ["x", "w", "r", "b" if bias else "", "", *(held if states else [])]
    outputs = ["y", *(f"y_{each}" for each in held)]
    node = helper.make_node(operator, inputs, outputs, "cell", hidden_size=UNITS, **attributes)
    sizes = [[STEPS, count, BATCH, UNITS], *[[count, BATCH, UNITS]] * len(held)]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [STEPS, BATCH, INPUTS])
    results = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in zip(outputs, sizes, strict=True)]
    made = helper.make_graph([node], "g", [x], results, constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def samples() -> dict[str, Any]:
    rng = np.random.default_rng(2)
    return {"x": rng.standard_normal((SAMPLES, STEPS, BATCH, INPUTS)).astype(np.float32)}


CASES: dict[str, onnx.ModelProto] = {
    "gru": network("GRU", linear_before_reset=1),
    "gru that resets its state": network("GRU", states=True),
    "gru backward": network("GRU", linear_before_reset=1, direction="reverse", bias=False),
    "gru both ways": network("GRU", linear_before_reset=1, direction="bidirectional", states=True),
    "lstm": network("LSTM", states=True),
    "lstm backward": network("LSTM", direction="reverse"),
    "lstm both ways": network("LSTM", direction="bidirectional", bias=False),
}


@pytest.mark.parametrize("case", CASES)
def test_cells_become_integers_with_the_bits_of_onnxruntime(case: str):
    found = quantize(CASES[case].SerializeToString(), samples())
    assert not found.floats
    assert {layer.tensor for layer in found.layers} == {value.name for value in CASES[case].graph.output}
    assert all(layer.sqnr > MIN_RATIO for layer in found.layers)
    assert found.weights_after < 0.5 * found.weights_before
    for target in ("c", "cortex-m4"):
        with api.compile(found.model, target=target) as artifact:
            assert artifact.verify().bit_exact


def test_a_step_computes_in_integers():
    found = quantize(CASES["gru"].SerializeToString(), samples())
    compilation = Compilation(load_model(found.model), CompileOptions(target="cortex-m4", name="cell"))
    ops = list(compilation.at("settle").module.walk())
    products = [op for op in ops if isinstance(op, graph.MatmulOp)]
    assert [str(type_of(op.a).element_type) for op in products] == ["i8", "i8"]
    assert sum(isinstance(op, graph.TableOp) for op in ops) == 3
    assert not any(isinstance(op, graph.SigmoidOp | graph.TanhOp) for op in ops)


@pytest.mark.parametrize(
    "attributes",
    [{"clip": 3.0}, {"activations": ["HardSigmoid", "Tanh"]}, {"layout": 0, "activation_alpha": [0.1, 0.2]}],
    ids=str,
)
def test_other_cells_stay_in_floats(attributes: dict[str, Any]):
    found = quantize(network("GRU", **attributes).SerializeToString(), samples())
    assert [each.operator for each in found.floats] == ["GRU"]


def test_a_state_that_is_an_input_is_quantised():
    model = network("GRU", states=True, linear_before_reset=1)
    held = next(each for each in model.graph.initializer if each.name == "h")
    model.graph.initializer.remove(held)
    model.graph.input.append(helper.make_tensor_value_info("h", TensorProto.FLOAT, held.dims))
    given = samples() | {"h": np.random.default_rng(3).uniform(-2, 2, (SAMPLES, *held.dims)).astype(np.float32)}
    found = quantize(model.SerializeToString(), given)
    assert all(layer.sqnr > MIN_RATIO for layer in found.layers)
    with api.compile(found.model, target="c") as artifact:
        assert artifact.verify().passed
