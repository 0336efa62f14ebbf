"""`s2s reduce` shrinks a failing model of a user to the nodes that fail."""

import sys
from pathlib import Path

import onnx
import pytest
import torch
from torch import Tensor, nn

from s2s.cli.main import run
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.fuzz.tflite.reader import read_graph
from support.onnx_text import onnx_file

LONG = """(float[2, 4] x, float[2, 4] v) => (float[2, 4] y, float[2, 4] z) <float[4, 4] w = {
    1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1
}> {
    a = Relu (x) b = MatMul (a, w) c = Add (b, v) d = Erf (c) e = Mul (d, a) f = Sigmoid (e) y = Sub (f, x)
    g = Neg (v) h = Exp (g) z = Add (h, b)
}"""
BRANCHES = """(float[4] x, bool c) => (float[4] y) {
    a = Abs (x) b = Neg (a)
    d = If (c) <then_branch = t () => (float[4] p) { p = Erf (b) }, else_branch = e () => (float[4] q) { q = Exp (a) }>
    y = Relu (d)
}"""
CHECK = f"{sys.executable} -c \"import onnx, sys; sys.exit(3 * (b'Erf' in open(sys.argv[1], 'rb').read()))\" {{}}"


def reduced(text: str, folder: Path, check: str = CHECK, *more: str) -> onnx.ModelProto:
    """The model that is left of a text."""
    small = folder / "small.onnx"
    assert run(["reduce", str(onnx_file(text, folder)), "--check", check, "-o", str(small), *more]) == 0
    model = onnx.load_model_from_string(small.read_bytes())
    onnx.checker.check_model(small.read_bytes(), full_check=True)  # pyright: ignore[reportUnknownMemberType]
    return model


def test_one_node_is_left_of_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = reduced(LONG, tmp_path)
    assert [node.op_type for node in model.graph.node] == ["Erf"]
    assert [port.name for port in model.graph.input] == ["c"]
    assert [port.name for port in model.graph.output] == ["d"]
    assert not model.graph.initializer
    assert "small.onnx: 1 of 10 nodes: Erf" in capsys.readouterr().out


def test_the_smaller_model_has_the_format_that_its_name_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, small = onnx_file(LONG, tmp_path), tmp_path / "small.tflite"
    assert run(["reduce", str(file), "--check", CHECK, "-o", str(small)]) == 2
    assert "small.tflite: is named like TFLite, and ONNX is written; end it in .onnx" in capsys.readouterr().err
    assert not small.exists()


def test_a_node_with_branches_keeps_what_they_read(tmp_path: Path):
    model = reduced(BRANCHES, tmp_path)
    assert [node.op_type for node in model.graph.node] == ["If"]
    assert {port.name for port in model.graph.input} == {"a", "b", "c"}


def test_a_model_that_needs_two_nodes_keeps_both(tmp_path: Path):
    both = CHECK.replace("b'Erf' in open(sys.argv[1], 'rb').read()", "{'Erf', 'Neg'} <= set(ops)").replace(
        "sys.exit", "ops = [n.op_type for n in onnx.load(sys.argv[1]).graph.node]; sys.exit"
    )
    assert {node.op_type for node in reduced(LONG, tmp_path, both).graph.node} == {"Erf", "Neg"}


def test_what_s2s_itself_refuses_is_found(tmp_path: Path):
    """The type of what an unknown operator gives is told nowhere, so that what reads it stays."""
    model = onnx_file(LONG.replace("d = Erf (c)", "d = com.nobody.Unknown (c)"), tmp_path)
    small = tmp_path / "small.onnx"
    check = f"{sys.executable} -m s2s inspect {{}}"
    assert run(["reduce", str(model), "--check", check, "-o", str(small)]) == 0
    left = onnx.load_model_from_string(small.read_bytes())
    assert [node.op_type for node in left.graph.node] == ["Unknown", "Mul", "Sigmoid", "Sub"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--check", f'{sys.executable} -c ""'], "--check: ends with 0 for"),
        (["--check", "nowhere-at-all {}"], "--check: nowhere-at-all cannot be run"),
        (["--check", CHECK, "--says", "no such words"], "--says no such words: is not in what the command prints"),
    ],
)
def test_a_check_that_says_nothing_is_refused(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(["reduce", str(onnx_file(LONG, tmp_path)), *arguments, "-o", str(tmp_path / "small.onnx")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "small.onnx").exists()


HOLDS = "import sys; sys.exit(3 * (sys.argv[2].encode() in open(sys.argv[1], 'rb').read()))"


def test_an_operator_of_a_tflite_model_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Tensors of one name are told apart, as files may have such."""
    tensors = [TensorSpec(name, (4,), "FLOAT32") for name in ("x", "twin1", "twin2", "sought", "y")]
    builtins = ("RELU", "TANH", "EXP", "LOGISTIC")
    operators = [
        OperatorSpec(builtin, [one.name], [other.name])
        for builtin, one, other in zip(builtins, tensors[:-1], tensors[1:], strict=True)
    ]
    data = model([GraphSpec(tensors, operators, ["x"], ["y"])]).replace(b"twin2", b"twin1")
    (tmp_path / "net.tflite").write_bytes(data)
    check = f'{sys.executable} -c "{HOLDS}" {{}} sought'
    small = tmp_path / "small.tflite"
    assert run(["reduce", str(tmp_path / "net.tflite"), "--check", check, "-o", str(small)]) == 0
    assert "small.tflite: 1 of 4 nodes" in capsys.readouterr().out
    [left] = read_graph(small.read_bytes()).operators
    assert "sought" in (*left.inputs, *left.outputs)


class Layers(nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 6), nn.Linear(6, 3)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.last(torch.tanh(self.first(x))))


def test_a_call_of_a_program_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """What the call reads becomes an input; parameters that nothing reads are left out."""
    torch.export.save(torch.export.export(Layers().eval(), (torch.zeros(2, 4),)), tmp_path / "net.pt2")
    check = f'{sys.executable} -c "{HOLDS}" {{}} aten.tanh.default'
    small = tmp_path / "small.pt2"
    assert run(["reduce", str(tmp_path / "net.pt2"), "--check", check, "-o", str(small)]) == 0
    assert "small.pt2: 1 of 4 nodes: aten.tanh.default" in capsys.readouterr().out
    program = torch.export.load(small)
    assert not program.state_dict
    [result] = program.module()(torch.zeros(2, 6))
    assert result.shape == (2, 6)


def test_what_is_no_whole_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "net.tflite").write_bytes(b"\x1c\x00\x00\x00TFL3" + bytes(64))
    (tmp_path / "net.gguf").write_bytes(b"GGUF" + bytes(64))
    (tmp_path / "net.pt2").write_bytes(b"PK\x03\x04" + bytes(64))
    (tmp_path / "broken.onnx").write_bytes(b"\xff\xff\xff")
    said = {
        "net.tflite": "net.tflite: ",
        "net.gguf": "models of GGUF are not shrunk",
        "net.pt2": "is no archive of torch",
        "broken.onnx": "give",
        "no.onnx": "no such",
    }
    for name, message in said.items():
        assert run(["reduce", str(tmp_path / name), "--check", CHECK, "-o", str(tmp_path / "small.onnx")]) == 2
        assert message in capsys.readouterr().err
