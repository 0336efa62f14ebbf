"""An open batch is one in every command, unless the user gives another size."""

import json
from pathlib import Path

import pytest
from onnx import ModelProto

from s2s.cli.main import run
from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.frontends.onnx.open_shapes import batches_of_one
from s2s.inspection import inspect_model
from s2s.options import CompileOptions
from s2s.stages.read import Read
from support.onnx_text import onnx_file, onnx_model


def relu(*shapes: str) -> str:
    """The text of a model with an input of each shape, of which the first gives the output."""
    names = [f"x{number}" for number in range(len(shapes))]
    inputs = ", ".join(f"float[{shape}] {name}" for shape, name in zip(shapes, names, strict=True))
    unused = " ".join(f"u{name} = Neg({name})" for name in names[1:])
    return f"({inputs}) => (float[{shapes[0]}] y) {{ y = Relu(x0) {unused} }}"


def _model(*shapes: str) -> ModelProto:
    return onnx_model(relu(*shapes))


@pytest.mark.parametrize(
    ("dims", "shape"),
    [
        ("batch, 3, 8, 8", (1, 3, 8, 8)),
        ("batch_size, 3", (1, 3)),
        ("2, N_Batch, 8", (2, 1, 8)),
        ("unk__12, 3", (1, 3)),
        ("batch", (1,)),
        ("N, 3", None),
        ("unk__12", None),
        ("3, unk__12", None),
        ("batch, steps", None),
    ],
)
def test_what_is_a_batch(dims: str, shape: tuple[int, ...] | None):
    assumed = batches_of_one(_model(dims), {}, ())
    assert assumed == ({} if shape is None else {"x0": shape})


def test_the_first_dimension_without_a_name_is_a_batch():
    model = onnx_model(relu("N, 3"))
    model.graph.input[0].type.tensor_type.shape.dim[0].Clear()
    assert batches_of_one(model, {}, ()) == {"x0": (1, 3)}


@pytest.mark.parametrize(("shapes", "dims"), [({"x0": (4, 3)}, ()), ({}, ("batch",)), ({"x0": ("N", 3)}, ("N",))])
def test_inputs_share_their_batch(shapes: dict[str, tuple[int | str, ...]], dims: tuple[str, ...]):
    model = _model("batch, 3", "batch_size, 4")
    assert batches_of_one(model, {}, ()) == {"x0": (1, 3), "x1": (1, 4)}
    assert batches_of_one(model, shapes, dims) == {}


def test_the_other_sizes_may_vary(tmp_path: Path):
    file = onnx_file(relu("batch, 3, width"), tmp_path)
    read = Compilation(file, CompileOptions(target="c", dims={"width": (1, 8)})).facts(Read)
    assert (read.assumed, read.inputs[0].shape) == ({"x0": (1, 3, "width")}, (1, 3, 8))


def test_a_size_that_is_no_batch_is_refused_by_its_name():
    with pytest.raises(InputError, match=r"input x0: dimension 2 \(height\) has no size; give the shape"):
        Compilation(_model("batch, 3, height, 8"), CompileOptions(target="c")).at("read")


def test_commands_agree_and_say_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, said = onnx_file(relu("batch, 3, 8"), tmp_path), "assumed for x0 1,3,8, as the model leaves sizes open"
    for command in (["inspect", str(file)], ["compile", str(file), "-o", str(tmp_path / "tree")]):
        assert run(command) == 0
        assert " ".join(capsys.readouterr().out.split()).count(said) == 1
    assert run(["compile", str(file), "-o", str(tmp_path / "tree"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["assumed"] == {"x0": [1, 3, 8]}
    assert inspect_model(file).assumed == {"x0": (1, 3, 8)}
    assert run(["verify", str(file), "--target", "c"]) == 0
