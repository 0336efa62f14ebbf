"""Bodies of If, Loop and Scan that read, carry and give elements of every type of at most 16 bits."""

import re
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper
from onnx.reference import ReferenceEvaluator

from benchmarks.conformance_adapters import run, run_graph
from s2s.api import compile as compile_network
from s2s.errors import UnsupportedError
from s2s.frontends.onnx import import_model
from s2s.types.dtypes import Array
from s2s.types.narrow import NARROW

FLOAT6 = (ml_dtypes.float6_e2m3fn, ml_dtypes.float6_e3m2fn)
TYPES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16), *(each for each in NARROW if each.type not in FLOAT6))
"""What Identity, of which these bodies are made, takes."""

BODIES = """<ir_version: 14, opset_import: ["" : 28]>
g (T[3, 4] x, T[4] row, bool c, int64 n) => (T[3, 4] chosen, T[4] sum, T[3, 4] sums, T[4] power, T[4] last,
                                               float[k, 4] powers) {
    three = Constant <value = int64 {3}> ()
    yes = Constant <value = bool {1}> ()
    chosen = If (c) <
        then_branch = b0 () => (T[3, 4] p) { p = Identity (x) },
        else_branch = b1 () => (T[3, 4] q) { fx = Cast <to = 1> (x)  gx = Add (fx, fx)  q = Cast <to = NUMBER> (gx) }>
    sum, sums = Scan <num_scan_inputs = 1, body = b2 (T[4] a, T[4] b) => (T[4] d, T[4] e) {
        fa = Cast <to = 1> (a)  fb = Cast <to = 1> (b)  fd = Add (fa, fb)  d = Cast <to = NUMBER> (fd)
        e = Identity (a) }> (row, x)
    power = Loop (n, yes, row) <body = b3 (int64 i, bool g1, T[4] h) => (bool g2, T[4] m) {
        g2 = Identity (g1)  fh = Cast <to = 1> (h)  f = Cast <to = 1> (row)  fm = Add (fh, f)
        m = Cast <to = NUMBER> (fm) }>
    last, rows = Loop (three, yes, row) <body = b4 (int64 j, bool g3, T[4] u) => (bool g4, T[4] v, T[4] y) {
        g4 = Less (j, n)  fu = Cast <to = 1> (u)  fw = Add (fu, fu)  v = Cast <to = NUMBER> (fw)  y = Identity (u) }>
    powers = Cast <to = 1> (rows)
}"""


def model_of(text: str, dtype: np.dtype[Any]) -> onnx.ModelProto:
    """The model of `text`, in which `T` stands for `dtype`."""
    number = helper.np_dtype_to_tensor_dtype(dtype)
    name = onnx.TensorProto.DataType.Name(number).lower()
    return onnx.parser.parse_model(re.sub(r"\bT\b", name, text).replace("NUMBER", str(number)))


def small_numbers(dtype: np.dtype[Any]) -> Array:
    """Numbers of which some sums are numbers of the type, and others must be rounded or wrapped."""
    numbers = np.array([1, 0.5, 1.5, 0, 1, 1, 0, 0.5, 1, 1.5, 0.5, 1]).reshape(3, 4)
    signed = not dtype.name.startswith("u") and "e8m0" not in dtype.name
    return (numbers * (np.array([1, -1, 1, -1]) if signed else 1)).astype(dtype)


@pytest.mark.parametrize("goes", [True, False])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_bodies_keep_the_type_of_what_they_read_carry_and_give(dtype: np.dtype[Any], goes: bool, tmp_path: Any):
    model = model_of(BODIES, dtype)
    given = {"x": small_numbers(dtype), "row": small_numbers(dtype)[0], "c": np.array(goes), "n": np.array(1, np.int64)}
    evaluator: Any = ReferenceEvaluator(model)
    wanted = evaluator.run(None, given)
    file = tmp_path / "model.onnx"
    file.write_bytes(model.SerializeToString())
    for found, expected in zip(run(str(file), list(given.values())), wanted, strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))


SIDEWAYS = """<ir_version: 14, opset_import: ["" : 28]> g (T[3, 4] x, T[3] first) => (T[3] last, T[4, 3] sides) {
    last, sides = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1],
        body = b (T[3] a, T[3] c) => (T[3] d, T[3] e) { d = Identity (c)  e = Identity (a) }> (first, x)
}"""
DEEPER = """<ir_version: 14, opset_import: ["" : 28]> g (T[2] x) => (T[1, 1, 1, 2] y, T[3, 2] parts) {
    three = Constant <value = int64 {3}> ()
    y, parts = Loop (three, , x) <body = b (int64 i, bool g1, T a) => (bool g2, T d, T[2] e) {
        g2 = Identity (g1)  front = Constant <value = int64[1] {0}> ()  d = Unsqueeze (a, front)  e = Identity (x) }>
}"""


@pytest.mark.parametrize("dtype", [np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.float8_e5m2)], ids=str)
def test_slices_of_any_axis_keep_their_type(dtype: np.dtype[Any], tmp_path: Any):
    file = tmp_path / "model.onnx"
    file.write_bytes(model_of(SIDEWAYS, dtype).SerializeToString())
    x, first = small_numbers(dtype), small_numbers(dtype)[:, 1]
    last, sides = run_graph(str(file), [x, first])
    np.testing.assert_array_equal(last.astype(float), x[:, 0].astype(float))
    np.testing.assert_array_equal(sides.astype(float), np.stack([first, x[:, 3], x[:, 2], x[:, 1]]).astype(float))


@pytest.mark.parametrize("dtype", [np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.float8_e5m2)], ids=str)
def test_steps_in_place_keep_the_type(dtype: np.dtype[Any], tmp_path: Any):
    file = tmp_path / "model.onnx"
    file.write_bytes(model_of(DEEPER, dtype).SerializeToString())
    y, parts = run_graph(str(file), [np.array([1, -2], dtype)])
    assert y.dtype == parts.dtype == dtype
    np.testing.assert_array_equal(y.astype(float), [[[[1, -2]]]])
    np.testing.assert_array_equal(parts.astype(float), [[1, -2]] * 3)


def test_texts_that_a_body_gives_are_refused():
    text = """<ir_version: 14, opset_import: ["" : 28]> g (bool c) => (string[1] y) {
        a = Constant <value = string[1] {"a"}> ()  b = Constant <value = string[1] {"b"}> ()
        y = If (c) <then_branch = t () => (string[1] p) { p = Identity (a) },
                    else_branch = e () => (string[1] q) { q = Identity (b) }>
    }"""
    with pytest.raises(UnsupportedError, match="an output of its body is text; choose it outside of the body"):
        import_model(onnx.parser.parse_model(text))


def test_packed_rows_of_which_a_run_computes_the_number_are_refused():
    text = """<ir_version: 14, opset_import: ["" : 28]> g (int4[4] x, int64 n) => (int4[k, 4] rows) {
        most = Constant <value = int64 {3}> ()  yes = Constant <value = bool {1}> ()
        none, rows = Loop (most, yes, n) <body = b (int64 i, bool g1, int64 c) => (bool g2, int64 d, int4[4] y) {
            g2 = Less (i, n)  d = Identity (c)  y = Identity (x) }>
    }"""
    with pytest.raises(UnsupportedError, match="output rows: its elements are packed into bytes, which have no axis"):
        compile_network(onnx.parser.parse_model(text))
