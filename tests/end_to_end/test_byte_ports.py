"""`--ports int8`: networks that quantise floats themselves are passed bytes, and compute the same."""

from pathlib import Path

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.cli.main import run
from s2s.errors import InputError
from s2s.fuzz.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.options import CompileOptions
from support.onnx_text import onnx_file
from support.trees import DIGITS

QDQ = """(float[2, 3] x) => (float[2, 4] y)
    <float s = {0.05}, int8 z = {3}, float t = {0.01}, int8 u = {0}, float r = {0.1}, int8 v = {-5},
     int8[3, 4] w = {1, -20, 30, 4, 50, -60, 7, 80, -9, 10, 110, -12}>
{
    x0 = QuantizeLinear (x, s, z) x1 = DequantizeLinear (x0, s, z) w1 = DequantizeLinear (w, t, u)
    m = MatMul (x1, w1) q = QuantizeLinear (m, r, v) y = DequantizeLinear (q, r, v)
}"""

MIXED = """(float[2, 3] x, float[2, 3] b) => (float[2, 3] y, float[2, 3] d) <float s = {0.05}, int8 z = {3}>
{
    q = QuantizeLinear (x, s, z) r = DequantizeLinear (q, s, z) t = Relu (r)
    p = QuantizeLinear (t, s, z) y = DequantizeLinear (p, s, z) d = Relu (b)
}"""


def tflite_file(folder: Path) -> Path:
    """A network of TFLite that quantises its float input, and dequantises its output."""
    x, y = TensorSpec("x", (2, 3), "FLOAT32"), TensorSpec("y", (2, 3), "FLOAT32")
    q = TensorSpec("q", (2, 3), "INT8", scale=0.25, zero_point=-7)
    p = TensorSpec("p", (2, 3), "INT8", scale=0.25, zero_point=-7)
    operators = [
        OperatorSpec("QUANTIZE", ["x"], ["q"], "QuantizeOptions"),
        OperatorSpec("RELU", ["q"], ["p"]),
        OperatorSpec("DEQUANTIZE", ["p"], ["y"], "DequantizeOptions"),
    ]
    file = folder / "floats.tflite"
    file.write_bytes(model([GraphSpec([x, q, p, y], operators, ["x"], ["y"])]))
    return file


@pytest.fixture(params=["onnx", "tflite"])
def network(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return onnx_file(QDQ, tmp_path) if request.param == "onnx" else tflite_file(tmp_path)


def test_bytes_give_what_their_real_numbers_give(network: Path) -> None:
    floats = compile_artifact(network, CompileOptions(target="c"))
    bytes = compile_artifact(network, CompileOptions(target="c", ports="int8"))
    inputs, outputs = bytes.report().as_dict()["inputs"], bytes.report().as_dict()["outputs"]
    assert inputs
    assert outputs
    every = np.arange(-128, 128)
    passed = np.random.default_rng(0).choice(every, (2, 3)).astype(np.int8)
    (sx, zx), (sy, zy) = ((0.05, 3), (0.1, -5)) if network.suffix == ".onnx" else ((0.25, -7), (0.25, -7))
    reals = (passed.astype(np.float32) - np.float32(zx)) * np.float32(sx)
    (found,) = bytes.run({"x": passed}).values()
    (expected,) = floats.run({"x": reals}).values()
    assert found.dtype == np.int8
    assert np.array_equal((found.astype(np.float32) - np.float32(zy)) * np.float32(sy), expected)
    assert len(np.unique(found)) > 1


def test_the_header_states_the_quantisation(network: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    assert run(["compile", str(network), "--ports", "int8", "--target", "c", "--name", "net", "-o", str(tree)]) == 0
    header = (tree / "include" / "net.h").read_text()
    assert "#define NET_X_SCALE" in header
    assert "#define NET_Y_ZERO_POINT" in header
    assert "int8_t" in header
    assert "float" not in header.split("net_run(", 1)[1].split(";", 1)[0]


def test_engines_are_passed_the_real_numbers(network: Path) -> None:
    assert run(["verify", str(network), "--ports", "int8", "--target", "c", "--levels"]) == 0


def test_a_network_without_a_quantisation_is_refused() -> None:
    with pytest.raises(InputError, match="digits: --ports int8 finds no input that is quantised first"):
        compile_artifact(DIGITS, CompileOptions(target="c", ports="int8"))


def test_ports_that_stay_floats_are_named_with_the_reason(tmp_path: Path) -> None:
    file = onnx_file(MIXED, tmp_path)
    report = compile_artifact(file, CompileOptions(target="c", ports="int8")).report()
    expected = "b: not quantised first by one scale; d: not dequantised last by one scale"
    assert report.in_words()["not bytes"] == expected
    assert not compile_artifact(file, CompileOptions(target="c")).report().real_ports
