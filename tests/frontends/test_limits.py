"""Each limit of the size of a model refuses what is over it, with one clear message."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from s2s.api import compile
from s2s.cli.main import run
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import files, formulas
from s2s.frontends.onnx import import_model, session, structure
from s2s.frontends.onnx.load import load_model
from s2s.stages import settle
from support.onnx_text import onnx_file, onnx_model
from support.tflite_models import TensorSpec, single

SMALL = "(float[4] x) => (float[4] y) { a = Neg (x) b = Exp (a) y = Neg (b) }"
BRANCHES = """(float[3] x) => (float[3] y) <bool yes = {1}>
{ y = If (yes) <then_branch = t () => (float[3] a) { a = Neg (x) },
                else_branch = e () => (float[3] b) { b = Exp (x) }> }"""


@pytest.mark.parametrize("kind", ["onnx", "tflite"])
def test_bytes_of_a_file(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(files, "MAX_BYTES", 40)
    file = onnx_file(SMALL, tmp_path)
    if kind == "tflite":
        file = tmp_path / "net.tflite"
        file.write_bytes(single("NEG", [TensorSpec("x", (4,))], [TensorSpec("y", (4,))], "NegOptions"))
    with pytest.raises(InputError, match=rf"{file.name}: \d+ bytes are over 2 GiB"):
        compile(file)


def test_nodes_of_a_file(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(structure, "MAX_NODES", 2)
    with pytest.raises(UnsupportedError, match="model: 3 nodes are over the limit of 2; split the model"):
        load_model(onnx_model(SMALL))


def test_nodes_that_loops_unroll_to(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session, "MAX_NODES", 2)
    with pytest.raises(UnsupportedError, match="the model unrolls to over 2 nodes; shorten its loops"):
        import_model(onnx_model(SMALL))


def test_bodies_of_loops_and_branches(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session, "MAX_BODIES", 0)
    with pytest.raises(UnsupportedError, match="unrolls to over 0 steps; shorten the loop"):
        import_model(onnx_model(BRANCHES))


def test_dimensions_of_a_tensor(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(formulas, "MAX_RANK", 3)
    text = "(float[4] x) => (float[1,2,1,4] y) <int64[4] s = {1, 2, 1, 4}> { y = Expand (x, s) }"
    with pytest.raises(UnsupportedError, match="4 dimensions are over the limit of 3; reshape the tensor"):
        import_model(onnx_model(text))


def test_work_of_a_golden_vector(monkeypatch: pytest.MonkeyPatch):
    """The network is compiled without one."""
    text = "(float[4,64] x) => (float[4,64] y) { a = Neg (x) y = Exp (a) }"
    assert compile(onnx_model(text), target="c").info.golden
    monkeypatch.setattr(settle, "MAX_GOLDEN_WORK", 10)
    assert not compile(onnx_model(text), target="c").info.golden


def test_elements_of_a_golden_vector(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(settle, "MAX_GOLDEN_ELEMENTS", 3)
    assert not compile(onnx_model(SMALL), target="c").info.golden


def giant() -> onnx.ModelProto:
    """A convolution of constants, 2^40 products, as a hostile file holds it in a few bytes."""
    nodes = [
        helper.make_node("ConstantOfShape", ["s"], ["a"]),
        helper.make_node("ConstantOfShape", ["t"], ["w"]),
        helper.make_node("Conv", ["a", "w"], ["c"], pads=[511] * 4),
        helper.make_node("ReduceMax", ["c"], ["m"], keepdims=0),
        helper.make_node("Add", ["x", "m"], ["y"]),
    ]
    shapes = {"s": [1, 1, 2048, 2048], "t": [1, 1, 1023, 1023]}
    given = [onnx.numpy_helper.from_array(np.asarray(shape, np.int64), name) for name, shape in shapes.items()]
    ports = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], given)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_giant_convolution_of_constants_is_left_to_the_network():
    imported = import_model(giant())
    assert any(op.name == "graph.conv" for op in imported.module.walk())


def test_untrusted_models_are_refused_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "damaged.onnx"
    file.write_bytes(onnx_model(SMALL).SerializeToString()[:-20])
    assert run(["compile", str(file), "--untrusted", "-o", str(tmp_path / "tree")]) != 0
    assert "damaged.onnx" in capsys.readouterr().err
    assert not (tmp_path / "tree").exists()
