"""Inputs that become constants (`bind`), and sizes of named dimensions (`dims`)."""

import re
from typing import Any

import numpy as np
import onnx
import pytest

from s2s.api import compile as s2s_compile
from s2s.errors import InputError
from s2s.frontends.formats import import_model, load_model, specialised
from s2s.inspection import inspect_model
from s2s.options import CompileOptions
from s2s.options.values import bindings_of, dims_of
from s2s.types.sizes import SizeRange
from support.onnx_nodes import run_imported
from support.onnx_text import onnx_model

RATES = """(float[1, batch] x, int64 sr) => (float[1, batch] y) {
    limit = Constant <value = int64 {16000}> ()
    fast = Equal(sr, limit)
    y = If (fast) <
        then_branch = yes () => (float[1, batch] a) { a = Relu(x) },
        else_branch = no () => (float[1, batch] b) { b = Neg(x) }
    >
}"""
UNLIKE = """(float[3] x, int64 n) => (T y) <int64 two = {2}, int64 one = {1}, int64[1] last = {1}> {
    twice = Mul(n, two) rest = Mod(twice, two) sum = Add(rest, one) c = Equal(sum, CHOICE)
    y = If (c) <
        then_branch = yes () => (float[3] a) { a = Relu(x) },
        else_branch = no () => (int64[3, 1] b) { k = Cast <to = 7> (x) r = Unsqueeze(k, last) b = Neg(r) }
    >
}"""
"""Branches of other types and ranks, of which constants choose one."""
SHAPED = "(float[batch, 4] x, int64[n] shape) => (float[m, k] y) { y = Reshape(x, shape) }"
X = np.array([[-1.0, 2.0, 3.0]], np.float32)


def imported(model: onnx.ModelProto, **how: Any) -> Any:
    return import_model(specialised(load_model(model), how.get("bind", {}), how.get("dims", {})))


@pytest.mark.parametrize(
    ("choice", "output", "expected"),
    [("one", "float[3]", np.maximum(X[0], 0)), ("two", "int64[3, 1]", np.array([[1], [-2], [-3]]))],
)
def test_branches_are_of_any_types_where_a_folded_condition_decides(choice: str, output: str, expected: Any):
    text = UNLIKE.replace("CHOICE", choice).replace("(T y)", f"({output} y)")
    made = imported(onnx_model(text), bind={"n": 5})
    (found,) = run_imported(made, [X[0]])
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("rate", "expected"), [(16000, np.maximum(X, 0)), (8000, -X)])
def test_a_bound_input_decides_a_branch(rate: int, expected: Any):
    made = imported(onnx_model(RATES), bind={"sr": rate}, dims={"batch": 3})
    assert "graph.if" not in str(made.module)
    np.testing.assert_array_equal(run_imported(made, [X])[0], expected)


def test_a_bound_input_decides_a_shape():
    made = imported(onnx_model(SHAPED), bind={"shape": (2, -1)}, dims={"batch": 3})
    assert run_imported(made, [np.zeros((3, 4), np.float32)])[0].shape == (2, 6)


def test_the_file_stays_as_it_is():
    model = onnx_model(RATES)
    before = model.SerializeToString()
    imported(model, bind={"sr": 1}, dims={"batch": 2})
    assert model.SerializeToString() == before


def test_python_takes_arrays_and_verifies():
    artifact: Any = s2s_compile(onnx_model(SHAPED), bind={"shape": np.array([6, 2])}, dims={"batch": 3}, target="c")
    assert [port.name for port in artifact.info.inputs] == ["x"]
    assert artifact.verify().passed


def test_a_file_is_verified_against_onnxruntime(tmp_path: Any):
    file = tmp_path / "rates.onnx"
    file.write_bytes(onnx_model(RATES).SerializeToString())
    artifact: Any = s2s_compile(file, bind={"sr": 16000}, dims={"batch": 3}, target="c")
    assert artifact.verify(against="onnxruntime").passed


@pytest.mark.parametrize("size", [3.5, "three", (1,)])
def test_sizes_of_another_type_are_refused(size: Any):
    with pytest.raises(InputError, match=rf"^dims: batch: {re.escape(repr(size))} given"):
        s2s_compile(onnx_model(SHAPED), dims={"batch": size})


def test_inspect_shows_the_specialised_network():
    found = inspect_model(onnx_model(SHAPED), bind={"shape": (8,)}, dims={"batch": 2})
    assert [tensor.name for tensor in found.inputs] == ["x"]
    assert [list(tensor.shape) for tensor in found.outputs] == [[8]]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"bind": {"rate": 1}}, "--bind rate: the model has no such input; its inputs are 'x', 'sr'"),
        ({"bind": {"sr": 1.5}}, "--bind sr: 1.5 cannot be int64, which the input is; give numbers of its type"),
        ({"bind": {"sr": (1, 2)}}, r"--bind sr: values of shape \[2\] for an input of \[\]; give all of them"),
        ({"dims": {"time": 3}}, "--dim time=3: no dimension of an input has this name; the open ones are 'batch'"),
        ({"dims": {"batch": 0}}, "--dim batch=0: no size; give at least 1"),
    ],
)
def test_what_does_not_fit_is_refused(how: dict[str, Any], message: str):
    with pytest.raises(InputError, match=f"^{message}$"):
        imported(onnx_model(RATES), **how)


def test_constants_are_not_bound_again():
    model = onnx_model("(float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Add(x, w) }")
    model.graph.input.append(onnx.helper.make_tensor_value_info("w", 1, [2]))
    with pytest.raises(InputError, match="--bind w: is a constant of the model already"):
        imported(model, bind={"w": (3, 4)})


def test_open_dimensions_are_asked_for_by_name():
    with pytest.raises(
        InputError, match=r"--shape x=1,128, or the size of each name, as in --dim batch=1 --dim time=128$"
    ):
        imported(onnx_model("(float[batch, time] x) => (float[batch, time] y) { y = Relu(x) }"))


def test_options_of_the_command_line(tmp_path: Any):
    file = tmp_path / "table.npy"
    np.save(file, np.array([[1, 2]]))
    assert bindings_of(["sr=16000", "k=1,2.5", "t=true", f"f=@{file}"]) == {
        "sr": 16000,
        "k": (1, 2.5),
        "t": True,
        "f": ((1, 2),),
    }
    assert dims_of(["batch=1", "time=128"]) == {"batch": 1, "time": 128}


def test_bounds_of_a_dimension_are_parsed():
    assert dims_of(["time=1..128"]) == {"time": SizeRange(1, 128)}
    assert dims_of(["time=1..128:8,16"]) == {"time": SizeRange(1, 128, (8, 16))}
    assert dims_of(["a=b=32..640:+32", "t=4..12:+4,8"]) == {
        "a=b": SizeRange(32, 640, step=32),
        "t": SizeRange(4, 12, (8,), 4),
    }


@pytest.mark.parametrize("option", ["sr", "sr=", "=1", "sr=a", "sr=@missing.npy"])
def test_bindings_in_another_form_are_refused(option: str):
    with pytest.raises(InputError, match=f"^--bind {option}: "):
        bindings_of([option])


@pytest.mark.parametrize(
    "option",
    [
        "batch",
        "batch=",
        "=3",
        "batch=-1",
        "batch=1..",
        "batch=..8",
        "batch=8:+2",
        "batch=1..8:",
        "batch=1..8:+2,",
        "batch=1..8:4,+2",
    ],
)
def test_dimensions_in_another_form_are_refused(option: str):
    with pytest.raises(
        InputError,
        match=rf"^--dim {re.escape(option)}: is not of the form NAME=D, NAME=D..D, NAME=D..D:\+D or ",
    ):
        dims_of([option])


def test_options_compare_by_their_numbers():
    assert CompileOptions(bind={"k": (1, 2)}) == CompileOptions(bind={"k": (1, 2)})
