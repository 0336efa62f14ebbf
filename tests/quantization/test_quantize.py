"""`s2s.quantize` gives models that compile to integers and stay close to what they were made of."""

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from xdsl.dialects.builtin import i8

from s2s import api
from s2s.cli.main import run
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.onnx import import_model
from s2s.frontends.onnx.load import load_model
from s2s.options import Requantise
from s2s.passes.context import CompilerContext
from s2s.quantization import Method, Quantized
from s2s.registry import get_pass
from s2s.types.dtypes import as_tensor_type
from support.onnx_text import onnx_file
from support.project import ROOT

pytest.importorskip("onnxruntime")

FOLDER = ROOT / "examples" / "digits"
RNN = f"""(float[5, 1, 4] x) => (float[5, 1, 1, 4] y) <
    float[4, 4] m = {{{", ".join(["0.5"] * 16)}}},
    float[1, 4, 4] w = {{{", ".join(["0.25", "-0.5", "0.125", "0.75"] * 4)}}}
> {{ [project] a = MatMul (x, m) [recurrent] y, h = RNN <hidden_size = 4> (a, w, w) }}"""
MODEL, SAMPLES = FOLDER / "digits.onnx", FOLDER / "calibration.npz"


@pytest.fixture(scope="module")
def quantized() -> Quantized:
    return api.quantize(MODEL, SAMPLES)


def lifted(model: onnx.ModelProto) -> list[graph.ConvOp | graph.MatmulOp]:
    """The layers of `model` after lifting."""
    imported = import_model(load_model(model))
    get_pass("graph-lift-quantized")().apply(CompilerContext(imported.weights), imported.module)
    return [op for op in imported.module.walk() if isinstance(op, graph.ConvOp | graph.MatmulOp)]


def test_a_quantised_model_is_refused(quantized: Quantized):
    with pytest.raises(InputError, match=r"is quantised already, by .*; quantise the model of floats it was made of"):
        api.quantize(quantized.model, SAMPLES)


def test_every_layer_is_reported_and_close(quantized: Quantized):
    names = [layer.node for layer in quantized.layers]
    assert names == ["relu1", "pool1", "relu2", "pool2", "flatten", "classify", "softmax"]
    assert all(30 < layer.sqnr < 60 for layer in quantized.layers)
    assert quantized.samples == 200


def test_every_layer_becomes_an_integer_one(quantized: Quantized):
    layers = lifted(quantized.model)
    assert len(layers) == 3
    assert {as_tensor_type(operand.type).element_type for op in layers for operand in op.operands[:2]} == {i8}


@pytest.mark.parametrize("method", ["entropy", "percentile"])
def test_other_calibrators(method: Method):
    made = api.quantize(MODEL, SAMPLES, method=method)
    assert made.method == method
    assert all(layer.sqnr > 10 for layer in made.layers)


@pytest.mark.parametrize("requantise", ["float", "fixed"])
def test_accuracy_in_c_is_within_half_a_point_of_floats(quantized: Quantized, requantise: Requantise):
    held_out = np.load(FOLDER / "held_out.npz")
    images, labels = held_out["images"], held_out["labels"]
    right: list[float] = []
    for model in (MODEL, quantized.model):
        with api.compile(model, target="c", requantise=requantise) as artifact:
            found = [artifact.run({"image": image[None]})["probabilities"].argmax() for image in images]
        right.append(float((np.array(found) == labels).mean()))
    assert right[1] >= right[0] - 0.005


def test_integer_ports_leave_the_conversions_to_the_caller():
    made = api.quantize(MODEL, SAMPLES, ports="int8")
    [given], [result] = made.model.graph.input, made.model.graph.output
    assert (given.name, result.name) == ("image", "probabilities")
    assert {value.type.tensor_type.elem_type for value in (given, result)} == {onnx.TensorProto.INT8}
    with api.compile(made.model, target="c") as artifact:
        outputs = artifact.run({"image": np.zeros((1, 1, 8, 8), np.int8)})
    assert outputs["probabilities"].dtype == np.int8


def test_operators_that_stay_in_floats_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    recurrent = onnx_file(RNN, tmp_path)
    np.savez(tmp_path / "samples.npz", x=np.random.default_rng(0).standard_normal((8, 5, 1, 4)).astype(np.float32))
    assert (
        run(["quantize", str(recurrent), "--data", str(tmp_path / "samples.npz"), "-o", str(tmp_path / "q.onnx")]) == 0
    )
    shown = capsys.readouterr().out
    assert "weights: 128 bytes before, " in shown
    assert "recurrent (RNN): stays in floats, with 128 bytes of weights; the quantiser has no" in shown
    assert "project (" not in shown[shown.index("weights:") :]


def test_an_operator_behind_integers_is_none_in_floats(quantized: Quantized):
    assert quantized.floats == ()
    assert quantized.weights_after < quantized.weights_before / 2


def test_command_writes_the_model_and_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    target = tmp_path / "out" / "digits_int8.onnx"
    assert run(["quantize", str(MODEL), "--data", str(SAMPLES), "-o", str(target), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["model"] == str(target)
    assert [layer["operator"] for layer in shown["layers"]].count("Gemm") == 1
    assert target.is_file()


def test_command_shows_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["quantize", str(MODEL), "--data", str(SAMPLES), "-o", str(tmp_path / "q.onnx")]) == 0
    shown = capsys.readouterr().out
    assert "SQNR in dB" in shown
    assert "classify" in shown


def test_command_tells_what_is_wrong_with_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    np.savez(tmp_path / "bad.npz", pictures=np.zeros((1, 1, 8, 8), np.float32))
    assert run(["quantize", str(MODEL), "--data", str(tmp_path / "bad.npz")]) == 2
    assert "holds 'pictures', but no 'image'" in capsys.readouterr().err


def test_same_samples_give_the_same_bytes(quantized: Quantized):
    again = api.quantize(MODEL, SAMPLES)
    assert again.model.SerializeToString(deterministic=True) == quantized.model.SerializeToString(deterministic=True)


@pytest.mark.parametrize("requantise", ["float", "fixed"])
def test_verification_counts_steps(quantized: Quantized, requantise: Requantise):
    with api.compile(quantized.model, target="c", requantise=requantise) as artifact:
        result = artifact.verify()
    assert result.passed
    assert result.steps["probabilities"].step == pytest.approx(1 / 255)  # pyright: ignore[reportUnknownMemberType]
    assert "output probabilities in steps" in result.describe()


def test_report_says_what_is_proven_of_sums(quantized: Quantized, tmp_path: Path):
    with api.compile(quantized.model, target="c") as artifact:
        tree = artifact.write(tmp_path / "digits")
        report = artifact.report()
    assert report.accumulators.startswith("3 layers, none can overflow; ")
    record = json.loads((tree / "metadata.json").read_text())
    assert [layer["proven"] for layer in record["accumulators"]] == [True, True, True]
    assert all(layer["bound"] < 2 ** (layer["bits"] - 1) for layer in record["accumulators"])


def test_integer_ports_state_their_scale(quantized: Quantized):
    made = api.quantize(MODEL, SAMPLES, ports="int8")
    scales = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in quantized.model.graph.initializer}
    with api.compile(made.model, target="c") as artifact:
        given, result = artifact.info.inputs[0].quantisation, artifact.info.outputs[0].quantisation
    assert given is not None
    assert result is not None
    assert (given.scale, given.zero_point) == (float(scales["image_scale"]), -128)
    assert (result.scale, result.zero_point) == (pytest.approx(1 / 255), -128)  # pyright: ignore[reportUnknownMemberType]


def test_no_domain_is_imported_that_no_node_uses(quantized: Quantized):
    assert [entry.domain for entry in quantized.model.opset_import] == [""]


def test_a_place_that_cannot_be_written_is_named(quantized: Quantized, tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"q\.onnx: cannot be written"):
        quantized.save(tmp_path / "file" / "q.onnx")


def test_tflite_models_are_left_to_their_converter(tmp_path: Path):
    model = tmp_path / "model.tflite"
    model.write_bytes(b"\x1c\x00\x00\x00TFL3" + b"\x00" * 64)
    with pytest.raises(InputError):
        api.quantize(model, SAMPLES)
