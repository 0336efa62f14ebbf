"""Each limit of the size of a model refuses what is over it, with one clear message."""

import zipfile
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from s2s.api import compile
from s2s.cli.main import run
from s2s.errors import InputError, UnsupportedError
from s2s.frontends import builder, files, formulas
from s2s.frontends.onnx import import_model, session, structure
from s2s.frontends.onnx.load import load_model
from s2s.frontends.tflite import session as tflite_session
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model, single
from s2s.frontends.torch import archive
from s2s.interpret.graph import work
from s2s.stages import golden
from s2s.verify import sizes
from support.onnx_text import onnx_file, onnx_model

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


def test_elements_of_a_tensor():
    with pytest.raises(UnsupportedError, match=r"input x: shape \[60000, 60000\] has over 2147483647 elements; split"):
        import_model(onnx_model("(float[60000, 60000] x) => (float[60000, 60000] y) { y = Neg (x) }"))


def test_elements_of_a_constant(monkeypatch: pytest.MonkeyPatch):
    """The network computes what is larger."""
    text = "(float[1] x) => (float[4] y) <int64[1] s = {4}> { a = ConstantOfShape (s) b = Exp (a) y = Add (x, b) }"
    assert "graph.exp" not in operations(text)
    monkeypatch.setattr(work, "MAX_FOLDED_ELEMENTS", 3)
    assert "graph.exp" in operations(text)


def test_work_of_constants(monkeypatch: pytest.MonkeyPatch):
    """The network computes what is left when so much has been folded."""
    text = "(float[4] x) => (float[4] y) <float[4] c = {1, 2, 3, 4}> { a = Exp (c) b = Sin (a) y = Add (x, b) }"
    assert not {"graph.exp", "graph.sin"} & set(operations(text))
    monkeypatch.setattr(builder, "MAX_FOLDED_WORK", 2 * work.OPERATION)
    assert "graph.sin" in operations(text)


def operations(text: str) -> list[str]:
    return [op.name for op in import_model(onnx_model(text)).module.walk()]


def test_operators_of_a_tflite_model(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tflite_session, "MAX_NODES", 0)
    with pytest.raises(UnsupportedError, match="over 0 operators are imported; split the model"):
        compile(single("NEG", [TensorSpec("x", (4,))], [TensorSpec("y", (4,))], "NegOptions"))


def test_nesting_of_a_tflite_model(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tflite_session, "MAX_DEPTH", 0)
    tensors = [TensorSpec("c", (), "BOOL"), TensorSpec("x", (4,)), TensorSpec("y", (4,))]
    options = {"then_subgraph_index": 1, "else_subgraph_index": 1}
    branch = OperatorSpec("IF", ["c", "x"], ["y"], "IfOptions", options)
    inner = GraphSpec([TensorSpec("a", (4,)), TensorSpec("b", (4,))], [OperatorSpec("NEG", ["a"], ["b"])], ["a"], ["b"])
    with pytest.raises(UnsupportedError, match="sub-graphs are nested more than 0 deep; flatten the model"):
        compile(model([GraphSpec(tensors, [branch], ["c", "x"], ["y"]), inner]))


def test_bytes_of_an_exported_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "net.pt2"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("net/models/model.json", "{}" + " " * 500)
    assert path.stat().st_size < 300
    monkeypatch.setattr(archive, "MAX_JSON_BYTES", 300)
    with pytest.raises(InputError, match=r"net/models/model.json has 502 bytes; split the model"):
        archive.read_archive(path, trust=False)
    monkeypatch.setattr(archive, "MAX_ARCHIVE_BYTES", 300)
    with pytest.raises(InputError, match=r"net.pt2: holds over 300 bytes; split the model"):
        archive.read_archive(path, trust=False)


def test_work_of_a_golden_vector(monkeypatch: pytest.MonkeyPatch):
    """The network is compiled without one."""
    text = "(float[4,64] x) => (float[4,64] y) { a = Neg (x) y = Exp (a) }"
    assert compile(onnx_model(text), target="c").info.golden
    monkeypatch.setattr(golden, "MAX_GOLDEN_WORK", 10)
    assert not compile(onnx_model(text), target="c").info.golden


def test_elements_of_a_golden_vector(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(golden, "MAX_GOLDEN_ELEMENTS", 3)
    assert not compile(onnx_model(SMALL), target="c").info.golden


def test_elements_of_a_golden_vector_of_a_network_that_computes_sizes(monkeypatch: pytest.MonkeyPatch):
    """No such inputs are made: of 2^31 truth values the compiler drew 16 GB."""
    text = "(bool[64] x) => (int64[1,n] y) { y = NonZero (x) }"
    assert compile(onnx_model(text), target="c").info.golden
    monkeypatch.setattr(sizes, "MAX_GOLDEN_ELEMENTS", 3)
    monkeypatch.delattr(sizes, "sample")
    assert not compile(onnx_model(text), target="c").info.golden


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
