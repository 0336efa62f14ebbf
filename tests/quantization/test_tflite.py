"""Quantised networks are written as TFLite files, which TFLite's engines and this compiler read alike."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import pytest

from s2s import api
from s2s.cli.main import run
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.formats import load_model
from s2s.quantization.result import Quantized
from s2s.quantization.settings import Activations, PortType
from s2s.quantization.tflite_network import as_tflite
from s2s.types.dtypes import Array
from s2s.verify.engines import ForeignEngine, run_engine
from support.onnx_text import onnx_model
from support.project import ROOT

pytest.importorskip("onnxruntime")
pytest.importorskip("ai_edge_litert")
pytest.importorskip("tflite_micro")

DIGITS = ROOT / "examples" / "digits"
Shapes = Mapping[str, tuple[int, ...]]

RESIDUAL = """(float[1, 3, 12, 12] x) => (float[1, 5] y) {
    a = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w1, b1)
    r = Relu (a)
    low = Constant <value = float {0.0}> ()
    high = Constant <value = float {1.5}> ()
    d = Conv <pads = [1, 1, 1, 1], group = 8> (r, w2, b2)
    c = Clip (d, low, high)
    p = Conv (c, w3, b3)
    s = Add (p, r)
    t = Relu (s)
    m = GlobalAveragePool (t)
    f = Flatten (m)
    g = Gemm <transB = 1> (f, w4, b4)
    y = Softmax <axis = 1> (g)
}"""
RESIDUAL_WEIGHTS = {
    "w1": (8, 3, 3, 3),
    "b1": (8,),
    "w2": (8, 1, 3, 3),
    "b2": (8,),
    "w3": (8, 8, 1, 1),
    "b3": (8,),
    "w4": (5, 8),
    "b4": (5,),
}
BRANCHES = """(float[1, 4, 9, 9] x) => (float[1, 6] y) {
    u = Conv <auto_pad = "SAME_LOWER"> (x, w0, b0)
    a = Conv <pads = [2, 2, 2, 2], dilations = [2, 2]> (u, w1, b1)
    l = LeakyRelu <alpha = 0.125> (a)
    m = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (l)
    v = AveragePool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (l)
    c = Concat <axis = 1> (m, v)
    q = GlobalAveragePool (c)
    e = Sigmoid (q)
    g = Mul (c, e)
    axes = Constant <value = int64[2] {2, 3}> ()
    n = ReduceMean <axes = [2, 3], keepdims = 0> (g)
    z = MatMul (n, w2)
    y = Add (z, b2)
}"""
BRANCHES_WEIGHTS = {"w0": (4, 4, 2, 2), "b0": (4,), "w1": (6, 4, 3, 3), "b1": (6,), "w2": (12, 6), "b2": (6,)}
MOVED = """(float[1, 6, 4] x, float[1, 4, 2, 2] i) => (float[1, 16] y) {
    t = Transpose <perm = [0, 2, 1]> (x)
    n = MatMul (t, w1)
    h = Tanh (n)
    k = Conv <pads = [0, 0, 1, 1]> (i, w2, b2)
    shape = Constant <value = int64[3] {1, 4, 4}> ()
    r = Reshape (k, shape)
    d = Mul (h, r)
    y = Flatten (d)
}"""
MOVED_WEIGHTS = {"w1": (6, 4), "w2": (4, 4, 2, 2), "b2": (4,)}


def network(body: str, weights: Shapes) -> onnx.ModelProto:
    """A network with random weights."""
    random = np.random.default_rng(7)
    model = onnx_model(body, opset=13)
    for name, shape in weights.items():
        size = np.sqrt(max(np.prod(shape[1:]), 1)) if len(shape) > 1 else 4
        values = random.normal(size=shape) / size
        model.graph.initializer.append(onnx.numpy_helper.from_array(values.astype(np.float32), name))
    return model


def samples_of(model: onnx.ModelProto) -> dict[str, Array]:
    """Random samples for the inputs of a network."""
    random = np.random.default_rng(3)
    dims = {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim] for value in model.graph.input}
    return {name: random.normal(size=(40, *shape[1:])).astype(np.float32) for name, shape in dims.items()}


def quantised(
    body: str, weights: Shapes, ports: PortType = "float", activations: Activations = "int8"
) -> tuple[Quantized, dict[str, Array]]:
    """A network in 8 bits, and its samples."""
    model = network(body, weights)
    samples = samples_of(model)
    return api.quantize(model, samples, refine=False, ports=ports, activations=activations), samples


def first(engine: ForeignEngine, model: object, inputs: Mapping[str, Array]) -> Array:
    """The first output of a model by an engine."""
    return run_engine(engine, load_model(model), inputs)[0]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("body", "weights"),
    [(RESIDUAL, RESIDUAL_WEIGHTS), (BRANCHES, BRANCHES_WEIGHTS), (MOVED, MOVED_WEIGHTS)],
    ids=["residual", "branches", "moved"],
)
def test_engines_agree(body: str, weights: Shapes):
    made, samples = quantised(body, weights)
    data = as_tflite(made.model)
    [scale] = [node.input[1] for node in made.model.graph.node if node.output[0] == "y"]
    [held] = [tensor for tensor in made.model.graph.initializer if tensor.name == scale]
    step = float(onnx.numpy_helper.to_array(held).reshape(-1)[0])
    with api.compile(data, target="c") as artifact:
        for number in range(8):
            inputs = {name: array[number : number + 1] for name, array in samples.items()}
            expected = first("onnxruntime", made.model, inputs)
            micro, whole = (first(engine, data, inputs) for engine in ("tflm", "litert"))
            assert np.abs(whole - expected).max() <= 4.01 * step
            assert np.abs(whole - micro).max() <= 1.01 * step
            np.testing.assert_array_equal(artifact.run(inputs)["y"], micro)


@pytest.mark.parametrize(
    ("body", "weights"),
    [(RESIDUAL, RESIDUAL_WEIGHTS), (BRANCHES, BRANCHES_WEIGHTS)],
    ids=["residual", "branches"],
)
def test_engines_agree_on_activations_of_16_bits(body: str, weights: Shapes):
    made, samples = quantised(body, weights, activations="int16")
    data = as_tflite(made.model)
    with api.compile(data, target="c") as artifact, api.compile(made.model, target="c") as integers:
        for number in range(8):
            inputs = {name: array[number : number + 1] for name, array in samples.items()}
            expected = first("onnxruntime", made.model, inputs)
            micro, whole = (first(engine, data, inputs) for engine in ("tflm", "litert"))
            for found in (micro, whole, integers.run(inputs)["y"]):
                assert np.abs(found - expected).max() <= 1e-3 * np.abs(expected).max()
            np.testing.assert_array_equal(artifact.run(inputs)["y"], micro)


def test_integer_ports_are_integers_of_tflite():
    made, samples = quantised(RESIDUAL, RESIDUAL_WEIGHTS, "int8")
    data = as_tflite(made.model)
    integers = {"x": np.clip(np.rint(samples["x"][:1] * 30), -128, 127).astype(np.int8)}
    found, expected = first("tflm", data, integers), first("onnxruntime", made.model, integers)
    assert found.dtype == np.int8
    assert np.abs(found.astype(int) - expected).max() <= 4


def test_weights_of_four_bits_stay_packed(tmp_path: Path):
    pytest.importorskip("scipy")
    from s2s.quantization.onnx_work import OnnxWork
    from s2s.quantization.settings import settings_of
    from s2s.quantization.widths import OPSET, Mixer

    work = OnnxWork(load_model(DIGITS / "digits.onnx"), DIGITS / "calibration.npz", settings_of(), OPSET)  # pyright: ignore[reportArgumentType]
    mixer = Mixer(work.best.real, work.best.quantized, work.format)
    small, large = (mixer.model({layer.name: width for layer in mixer.layers}) for width in ("int4", "int8"))
    files = [as_tflite(model) for model in (small, large)]
    assert len(files[1]) - len(files[0]) > 2300
    image = {"image": np.load(DIGITS / "calibration.npz")["image"][:1]}
    found, expected = first("tflm", files[0], image), first("onnxruntime", small, image)
    assert np.abs(found - expected).max() < 0.05


def test_the_command_writes_a_file_that_verifies(tmp_path: Path):
    file = tmp_path / "digits.tflite"
    command = ["quantize", str(DIGITS / "digits.onnx"), "--data", str(DIGITS / "calibration.npz"), "-o", str(file)]
    assert run(command) == 0
    assert run(["verify", str(file), "--target", "c", "--against", "tflm"]) == 0


@pytest.mark.parametrize(
    ("body", "weights", "message"),
    [
        (
            "(float[1, 4, 9] x) => (float[1, 4, 7] y) { y = Conv (x, w) }",
            {"w": (4, 4, 3)},
            r"Conv_0 \(Conv\): a convolution of other than images",
        ),
        (
            "(float[1, 4, 9, 9] x) => (float[1, 4, 9, 9] y) { y = Conv <group = 2> (x, w) }",
            {"w": (4, 2, 1, 1)},
            r"Conv_0 \(Conv\): a convolution in 2 groups has no form",
        ),
        (
            "(float[1, 4, 9] x) => (float[1, 4, 9] y) { y = Softmax <axis = 1> (x) }",
            {},
            r"Softmax_0 \(Softmax\): a softmax of another axis",
        ),
        ("(float[1, 9] x) => (float[1, 9] y) { y = Erf (x) }", {}, r"Erf_0 \(Erf\): has no form in the TFLite"),
    ],
)
def test_what_tflite_cannot_say_is_refused_by_name(body: str, weights: Shapes, message: str):
    made, _ = quantised(body, weights)
    with pytest.raises(UnsupportedError, match=message):
        as_tflite(made.model)


BOUNDED = """(float[1, 2] x) => (float[1, 2] y) <
    float s = {0.125}, int8 z = {0}, int8[2, 2] w = {1, 2, -3, 4}, float low = {LOW}, float high = {HIGH}
> {
    q = QuantizeLinear (x, s, z)
    d = DequantizeLinear (q, s, z)
    v = DequantizeLinear (w, s, z)
    a = MatMul (d, v)
    c = Clip (a, low, high)
    e = QuantizeLinear (c, s, z)
    y = DequantizeLinear (e, s, z)
}"""


@pytest.mark.parametrize(("low", "high"), [(0, 6), (-1, 1), (-16, 15.875)])
def test_bounds_of_tflite_are_those_of_the_model(low: float, high: float):
    model = onnx_model(BOUNDED.replace("LOW", f"{low:.3f}").replace("HIGH", f"{high:.3f}"))
    for numbers in ((3.0, -2.0), (40.0, -40.0), (-14.0, 15.0)):
        inputs = {"x": np.array([numbers], np.float32)}
        expected = first("onnxruntime", model, inputs)
        for engine in ("tflm", "litert"):
            np.testing.assert_array_equal(first(engine, as_tflite(model), inputs), expected)


def test_other_bounds_are_refused():
    model = onnx_model(BOUNDED.replace("LOW", "-2.0").replace("HIGH", "2.0"))
    with pytest.raises(UnsupportedError, match=r"\(MatMul\): a bound of \(-2\.0, 2\.0\) has no form in the TFLite"):
        as_tflite(model)


def test_an_onnx_model_gets_no_name_of_a_program(tmp_path: Path):
    made = Quantized(onnx_model(BOUNDED.replace("LOW", "0.0").replace("HIGH", "6.0")), "minmax", 1, (), (), 0, 0)
    with pytest.raises(
        InputError, match=r"m\.pt2: is named like PyTorch, and ONNX is written; end it in \.onnx or \.tfl"
    ):
        made.save(tmp_path / "m.pt2")
    assert not (tmp_path / "m.pt2").exists()
