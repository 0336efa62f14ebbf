"""`--ports int8`: networks that quantise floats themselves are passed bytes, and compute the same."""

from pathlib import Path

import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.cli.main import run
from s2s.errors import InputError
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
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


_PARAMETERS = "float s = {0.05}, int8 z = {3}, int64[2] rows = {6, 4}, int64[4] ends = {0, 1, 0, 1}, float half = {0.5}"
MOVED = {
    "transposed": f"""(float[4, 6] x) => (float[6, 4] y) <{_PARAMETERS}>
{{
    t = Transpose <perm = [1, 0]> (x) q = QuantizeLinear (t, s, z) d = DequantizeLinear (q, s, z) r = Relu (d)
    p = QuantizeLinear (r, s, z) y = DequantizeLinear (p, s, z)
}}""",
    "reshaped, and padded by a number": f"""(float[4, 6] x) => (float[4, 8] y) <{_PARAMETERS}>
{{
    f = Reshape (x, rows) t = Transpose <perm = [1, 0]> (f) v = Pad (t, ends, half) q = QuantizeLinear (v, s, z)
    d = DequantizeLinear (q, s, z) r = Relu (d) p = QuantizeLinear (r, s, z) e = DequantizeLinear (p, s, z)
    y = Pad (e, ends, half)
}}""",
    "read by two quantisations": f"""(float[4, 6] x) => (float[4, 6] y, float[6, 4] u) <{_PARAMETERS}>
{{
    q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) r = Relu (d) p = QuantizeLinear (r, s, z)
    y = DequantizeLinear (p, s, z) t = Transpose <perm = [1, 0]> (x) v = QuantizeLinear (t, s, z)
    w = DequantizeLinear (v, s, z) l = LeakyRelu (w) m = QuantizeLinear (l, s, z) u = DequantizeLinear (m, s, z)
}}""",
    "two of each, joined behind": f"""(float[4, 6] x, float[4, 6] b) => (float[4, 12] y, float[4, 6] h) <{_PARAMETERS}>
{{
    q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) r = Relu (d) p = QuantizeLinear (r, s, z)
    e = DequantizeLinear (p, s, z) k = QuantizeLinear (b, s, z) c = DequantizeLinear (k, s, z)
    n = LeakyRelu (c) o = QuantizeLinear (n, s, z) f = DequantizeLinear (o, s, z) y = Concat <axis = 1> (e, f)
    h = Identity (e)
}}""",
    "of unsigned bytes, by a softmax": """(float[4, 6] x) => (float[4, 6] y)
    <float s = {0.05}, uint8 z = {120}, float t = {0.00390625}, uint8 u = {0}>
{
    q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) r = Softmax (d) p = QuantizeLinear (r, t, u)
    y = DequantizeLinear (p, t, u)
}""",
}
STAYS = {
    "two scales": """(float[4] x) => (float[4] y, float[4] u) <float s = {0.05}, float t = {0.1}, int8 z = {3}>
{
    q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z)
    p = QuantizeLinear (x, t, z) u = DequantizeLinear (p, t, z)
}""",
    "joined of two scales": """(float[4] x, float[4] b) => (float[8] y)
    <float s = {0.05}, float t = {0.1}, int8 z = {3}>
{
    q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z)
    p = QuantizeLinear (b, t, z) e = DequantizeLinear (p, t, z)
    y = Concat <axis = 0> (d, e)
}""",
    "padded by no byte": """(float[4] x) => (float[6] y)
    <float s = {0.05}, int8 z = {3}, int64[2] ends = {1, 1}, float far = {0.51}>
{
    q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) y = Pad (d, ends, far)
}""",
    "softmax in floats": """(float[4, 6] x) => (float[4, 6] y) <float s = {0.05}, int8 z = {3}>
{
    q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) y = Softmax (d)
}""",
}


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


@pytest.mark.parametrize("case", MOVED)
def test_values_may_be_moved_before_and_behind(case: str, tmp_path: Path) -> None:
    artifact = compile_artifact(onnx_file(MOVED[case], tmp_path), CompileOptions(target="c", ports="int8"))
    assert not artifact.report().real_ports
    assert {port.dtype.itemsize for port in (*artifact.info.inputs, *artifact.info.outputs)} == {1}
    assert artifact.verify().bit_exact


@pytest.mark.parametrize(
    ("case", "named"),
    [("two scales", "x"), ("joined of two scales", "y"), ("padded by no byte", "y"), ("softmax in floats", "y")],
)
def test_what_no_byte_stands_for_stays_a_float(case: str, named: str, tmp_path: Path) -> None:
    report = compile_artifact(onnx_file(STAYS[case], tmp_path), CompileOptions(target="c", ports="int8")).report()
    assert report.in_words()["not bytes"].startswith(f"{named}: not ")
