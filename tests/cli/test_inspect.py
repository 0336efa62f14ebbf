"""`s2s inspect` says what is in a network."""

import json
from pathlib import Path

import numpy as np
import pytest

from s2s.cli.main import run
from s2s.frontends.tflite.writer import VALID, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.inspection import inspect_model
from support.onnx_text import onnx_file, onnx_model
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"


def test_shows_the_figures_of_the_example(capsys: pytest.CaptureFixture[str]):
    assert run(["inspect", str(DIGITS)]) == 0
    shown = capsys.readouterr().out
    for part in (
        "f32 1×1×8×8, 256 bytes",
        "2 Conv, 2 MaxPool, 2 Relu",
        "6,090 in 24,360 bytes",
        "84,224 multiply-adds",
    ):
        assert part in shown


def test_json_holds_the_same(capsys: pytest.CaptureFixture[str]):
    assert run(["inspect", str(DIGITS), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["parameters"] == 16 * 9 + 16 + 32 * 16 * 9 + 32 + 10 * 128 + 10
    assert found["inputs"] == [
        {"name": "image", "type": "f32", "shape": [1, 1, 8, 8], "bytes": 256, "scale": None, "zero_point": None}
    ]


def test_pairs_of_state_are_shown_as_the_option_to_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    body = "(float[4] x, float[4] h_in) => (float[4] y, float[4] h_out) { h_out = Add(x, h_in) y = Neg(h_out) }"
    assert run(["inspect", str(onnx_file(body, tmp_path))]) == 0
    assert "--state h_in=h_out" in capsys.readouterr().out


def test_unsupported_nodes_are_part_of_the_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = onnx_file("(float[4] x) => (float[4] y) { [one] a = Frob(x) [two] y = Nicate(a) }", tmp_path)
    assert run(["inspect", str(file)]) == 3
    shown = capsys.readouterr().out
    assert "not supported: one (Frob): " in shown
    assert "not supported: two (Nicate): " in shown


def test_open_dimensions_take_usual_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = onnx_file("(float[N, 3, H, W] x) => (float[N, 3, H, W] y) { y = Relu(x) }", tmp_path)
    assert run(["inspect", str(file)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "f32 1×3×224×224" in shown
    assert "1,3,224,224, as the model leaves sizes open; others with --shape x=1,3,224,224" in shown


def test_usual_sizes_that_a_model_cannot_take_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    body = "(float[N, 3, H, W] x) => (float[1, 48] y) <int64[2] s = {1, 48}> { [flat] y = Reshape(x, s) }"
    file = onnx_file(body, tmp_path)
    assert run(["inspect", str(file)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "leaves sizes open, and contradicts the usual ones, --shape x=1,3,224,224 (flat (Reshape): " in said
    assert "give others" in said
    assert run(["inspect", str(file), "--shape", "x=1,3,4,4"]) == 0


@pytest.mark.parametrize(
    ("body", "shapes"),
    [
        (
            "(float[N, 1, L] x, float[1, 1, 256] w) => (float[N, 1, a] y) { y = Conv(x, w) }",
            ["x=1,1,512"],
        ),
        ("(float[N, 3, 48, W] x) => (float[N, a] y) { y = Flatten(x) }", ["x=1,3,48,224"]),
        (
            "(float[N, 3, H, W] x, float[1, 1, 48, 1] w) => (float[N, 3, 48, W] y) { y = Add(x, w) }",
            ["x=1,3,48,320"],
        ),
        ("(float[2, N, 8] x) => (float[2, N, 8] y) { y = Relu(x) }", ["x=2,1,8"]),
        ("(float[1, N, 8] x) => (float[1, N, 8] y) { y = Relu(x) }", ["x=1,128,8"]),
    ],
)
def test_sizes_that_a_model_takes_are_found(
    body: str, shapes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """A sequence that a window fits in, an image whose height something else fixes, and the batch of a state."""
    assert run(["inspect", str(onnx_file(body, tmp_path))]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert all(f"others with --shape {shape} " in shown for shape in shapes)


def windows() -> bytes:
    """A TFLite network whose window of 300 is longer than the placeholder of its input."""
    weights = np.ones((1, 1, 300, 1), np.float32)
    tensors = [
        TensorSpec("x", (1, 1, 1, 1), signature=(-1, 1, -1, 1)),
        TensorSpec("w", weights.shape, data=weights),
        TensorSpec("b", (1,), data=np.zeros(1, np.float32)),
        TensorSpec("y", (1, 1, 1, 1), signature=(-1, 1, -1, 1)),
    ]
    operator = OperatorSpec(
        "CONV_2D", ["x", "w", "b"], ["y"], "Conv2DOptions", {"padding": VALID, "stride_w": 1, "stride_h": 1}
    )
    return model([GraphSpec(tensors, [operator], ["x"], ["y"])])


def test_placeholders_of_tflite_inputs_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "windows.tflite"
    file.write_bytes(windows())
    assert run(["inspect", str(file)]) == 0
    assert "assumed for x 1,1,640,1, as the model leaves sizes open" in " ".join(capsys.readouterr().out.split())
    assert run(["compile", str(file), "-o", str(tmp_path / "tree")]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "those in the file may stand for none; give yours, as in --shape x=1,1,224,1" in said


def test_a_branch_that_does_not_fit_names_the_condition(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """One branch for each sample rate, of which the shape given fits one."""
    body = """(float[1, 1, 512] x, int64 rate) => (float[1, 1, a] y) <int64 high = {16000}> {
        c = Equal(rate, high)
        [choice] y = If(c) <then_branch = t () => (float[1, 1, a] p) { p = Relu(x) },
            else_branch = e () => (float[1, 1, b] q) <int64[3] s = {1, 1, 256}> { [half] q = Reshape(x, s) }>
    }"""
    file = onnx_file(body, tmp_path)
    assert run(["inspect", str(file)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "half (Reshape): " in said
    assert "choice (If): a branch, whose condition is computed at run time, does not fit (" in said
    assert "--bind NAME=NUMBER" in said
    assert run(["inspect", str(file), "--bind", "rate=16000"]) == 0


def test_shape_fixes_an_open_dimension(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = onnx_file("(float[N, 4] x) => (float[N, 4] y) { y = Relu(x) }", tmp_path)
    assert run(["inspect", str(file), "--shape", "x=2,4"]) == 0
    assert "f32 2×4, 32 bytes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("body", "work"),
    [
        ("(float[2, 3, 8, 8] x, float[6, 3, 3, 3] w) => (float[n] y) { y = Conv(x, w) }", 2 * 6 * 6 * 6 * 27),
        ("(float[2, 3, 8, 8] x, float[3, 6, 2, 2] w) => (float[n] y) { y = ConvTranspose(x, w) }", 2 * 3 * 64 * 24),
        ("(float[5, 2, 3] a, float[3, 4] b) => (float[n] y) { y = MatMul(a, b) }", 5 * 2 * 4 * 3),
        ("(float[3, 2] a, float[4, 3] b) => (float[n] y) { y = Gemm <transA = 1, transB = 1> (a, b) }", 2 * 4 * 3),
        ("(float[5] x) => (float[5] y) { y = Exp(x) }", 0),
    ],
)
def test_counts_multiply_adds(body: str, work: int):
    assert inspect_model(onnx_model(body)).multiply_adds == work


def test_activations_live_until_they_are_last_read():
    body = "(float[10] x) => (float[10] y) { a = Exp(x) b = Exp(a) y = Add(a, b) }"
    assert inspect_model(onnx_model(body)).activation_bytes == 3 * 40


def test_a_reshape_is_no_copy():
    body = "(float[6] x) => (float[2, 3] y) <int64[2] s = {2, 3}> { a = Exp(x) b = Reshape(a, s) y = Exp(b) }"
    assert inspect_model(onnx_model(body)).activation_bytes == 2 * 24
