"""The engines that verification compares with."""

import ml_dtypes
import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.parser import parse_model

from s2s.frontends.model import load_for_engine
from s2s.options import CompileOptions
from s2s.verify.engines import run_engine
from support.threads import one_thread

ort = pytest.importorskip("onnxruntime")

QUANTISED = """
<ir_version: 8, opset_import: ["" : 17]>
network (float[512, 32] x) => (float[512, 32] y) <float s = {0.03}, float t = {0.002}, int8 z = {0}>
{
    q = QuantizeLinear(x, s, z)
    a = DequantizeLinear(q, s, z)
    b = DequantizeLinear(w, t, z)
    c = MatMul(a, b)
    r = QuantizeLinear(c, s, z)
    y = DequantizeLinear(r, s, z)
}
"""


def quantised_product() -> ModelProto:
    """A product of quantised matrices, which onnxruntime merges with its neighbours unless told not to."""
    model = parse_model(QUANTISED)
    weights = np.random.default_rng(1).integers(-127, 127, (32, 32)).astype(np.int8)
    model.graph.initializer.append(numpy_helper.from_array(weights, "w"))
    return model


def run(model: ModelProto, x: np.ndarray[tuple[int, ...], np.dtype[np.float32]], level: str) -> np.ndarray:
    options = one_thread()
    options.log_severity_level = 4
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": x})[0]


def test_onnxruntime_runs_the_nodes_as_they_are():
    model, x = quantised_product(), np.random.default_rng(0).standard_normal((512, 32)).astype(np.float32)
    apart, merged = (run(model, x, level) for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_ALL"))
    assert (apart != merged).any(), "a network that shows no difference tests nothing"
    (found,) = run_engine("onnxruntime", load_for_engine(model, "verify", CompileOptions()), {"x": x})
    np.testing.assert_array_equal(found, apart)


def test_an_input_without_dimensions_keeps_its_shape():
    model = parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float x) => (float y) { y = Neg(x) }""")
    model = load_for_engine(model, "verify", CompileOptions())
    (found,) = run_engine("onnxruntime", model, {"x": np.array(2, np.float32)})
    assert found.shape == ()
    assert found == -2


def test_an_output_of_float8_has_its_type():
    """onnxruntime hands it over as bytes."""
    x = np.array([0.1, -448, 3.25], np.float32)
    graph = helper.make_graph(
        [helper.make_node("Cast", ["x"], ["y"], to=TensorProto.FLOAT8E4M3FN)],
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT8E4M3FN, [3])],
    )
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    (found,) = run_engine("onnxruntime", load_for_engine(proto, "verify", CompileOptions()), {"x": x})
    np.testing.assert_array_equal(found, x.astype(ml_dtypes.float8_e4m3fn))
