"""What values near a tie may change of the outputs of a quantised network."""

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from s2s.compilation import Compilation
from s2s.interpret.graph import run_graph
from s2s.options import CompileOptions
from s2s.types.dtypes import Array
from s2s.verify.expected import Expected
from s2s.verify.tie_spread import tie_spread
from s2s.verify.verification import Judge
from support.onnx_nodes import run_onnxruntime

pytest.importorskip("onnxruntime")

ROWS = 400


def network() -> onnx.ModelProto:
    """A layer with a bias of floats, which lifting rounds to the scale of the sums, and floats behind it."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 20]>
        f (float[{ROWS}, 16] x) => (float[{ROWS}, 8] y)
        <float step = {{0.05}}, int8 zero = {{0}}, float w_step = {{0.02}}, float y_step = {{0.1}}> {{
            x8 = QuantizeLinear (x, step, zero)
            xf = DequantizeLinear (x8, step, zero)
            wf = DequantizeLinear (w, w_step, zero)
            s = MatMul (xf, wf)
            a = Add (s, b)
            a8 = QuantizeLinear (a, y_step, zero)
            af = DequantizeLinear (a8, y_step, zero)
            y = Exp (af)
        }}"""
    )
    rng = np.random.default_rng(0)
    weights = rng.integers(-40, 41, (16, 8)).astype(np.int8)
    bias = (rng.integers(-300, 301, 8) * 1e-3 + 0.00045).astype(np.float32)
    model.graph.initializer.extend([numpy_helper.from_array(weights, "w"), numpy_helper.from_array(bias, "b")])
    return model


@pytest.fixture(scope="module")
def compilation() -> Compilation:
    return Compilation(network(), CompileOptions(target="c", name="net"))


def inputs() -> Array:
    return np.random.default_rng(1).normal(size=(ROWS, 16)).astype(np.float32)


def judged(compilation: Compilation, found: Array, wanted: Array) -> tuple[bool, str]:
    expected = Expected("onnxruntime 1", "one", [([inputs()], [wanted])])
    result = Judge(compilation).judge(expected, [[found]])
    return result.passed, result.outputs["y"].tolerance


def test_values_that_the_engine_rounds_to_the_other_side_are_granted(compilation: Compilation):
    state = compilation.at("settle")
    (found,) = run_graph(state.module, [inputs()], state.weights)
    (wanted,) = run_onnxruntime(network(), [inputs()])
    assert not np.allclose(found, wanted, rtol=1e-4, atol=1e-5)
    passed, tolerance = judged(compilation, found, wanted)
    assert passed
    assert "values lie so near the middle between two steps that rounding decides" in tolerance


def test_one_step_is_granted_to_no_value_that_lies_apart_from_a_tie(compilation: Compilation):
    (wanted,) = run_onnxruntime(network(), [inputs()])
    spread = tie_spread(compilation, [inputs()])
    assert spread is not None
    free = np.argwhere(spread.outputs[0] == 0)
    assert len(free) > 0.9 * wanted.size
    found = wanted.copy()
    found[tuple(free[17])] *= np.exp(np.float32(0.1))
    assert not judged(compilation, found, wanted)[0]


def test_a_network_without_such_values_has_no_spread(compilation: Compilation):
    assert tie_spread(compilation, [np.full((ROWS, 16), 0.05, np.float32)]) is None
