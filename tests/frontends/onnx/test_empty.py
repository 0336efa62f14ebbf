"""Tensors without elements are inputs and outputs like others; they are not passed to the C."""

from typing import Any

import numpy as np
import onnx.parser
import pytest

from benchmarks.conformance_adapters import run
from s2s.errors import UnsupportedError

REDUCED = """<ir_version: 8, opset_import: ["" : 18]> g (float[2, 0, 3] x, float[2] z)
    => (float[2, 3] largest, float[0, 2, 3] turned, float[2] w) <int64[1] axes = {1}> {
    largest = ReduceMax <keepdims = 0> (x, axes)
    turned = Transpose <perm = [1, 0, 2]> (x)
    w = Neg(z)
}"""
NOTHING = """<ir_version: 8, opset_import: ["" : 18]> g (float[4] x) => (float[0] y)
    <int64[1] start = {4}, int64[1] end = {4}> { y = Slice(x, start, end) }"""


JOINED = """<ir_version: 8, opset_import: ["" : 18]> g (float[2, 0, 3] x) => (float[2, 0, 7] y)
    <float[2, 0, 4] c = {}> { y = Concat <axis = 2> (x, c) }"""


def _run(text: str, folder: Any, *inputs: Any) -> list[Any]:
    file = folder / "model.onnx"
    file.write_bytes(onnx.parser.parse_model(text).SerializeToString())
    return run(str(file), inputs)


def test_empty_inputs_and_outputs_beside_others(tmp_path: Any):
    z = np.array([1, -2], np.float32)
    largest, turned, w = _run(REDUCED, tmp_path, np.zeros((2, 0, 3), np.float32), z)
    np.testing.assert_array_equal(largest, np.full((2, 3), -np.inf))
    assert turned.shape == (0, 2, 3)
    np.testing.assert_array_equal(w, -z)


def test_a_network_that_gives_nothing(tmp_path: Any):
    [y] = _run(NOTHING, tmp_path, np.zeros(4, np.float32))
    assert (y.shape, y.dtype) == ((0,), np.float32)


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
def test_softmaxes_of_constants_that_hold_nothing(op: str, tmp_path: Any):
    body = f"<float[2, 0] c = {{}}> {{ y = {op} (c) z = Neg(x) }}"
    text = f'<ir_version: 8, opset_import: ["" : 18]> g (float[2] x) => (float[2, 0] y, float[2] z) {body}'
    y, z = _run(text, tmp_path, np.ones(2, np.float32))
    assert y.shape == (2, 0)
    np.testing.assert_array_equal(z, [-1, -1])


def test_a_concatenation_of_nothing_adds_up_sizes(tmp_path: Any):
    [y] = _run(JOINED, tmp_path, np.zeros((2, 0, 3), np.float32))
    assert y.shape == (2, 0, 7)


BRANCHES = """<ir_version: 8, opset_import: ["" : 18]> g (bool on, float[0, 2] x, float[2] z)
    => (float[0, 2] nothing, float[2] y) {
    nothing, y = If (on) <then_branch = t () => (float[0, 2] a, float[2] b) { a = Neg (x) b = Neg (z) },
                          else_branch = e () => (float[0, 2] c, float[2] d) { c = Exp (x) d = Abs (z) }> }"""
LOOP = """<ir_version: 8, opset_import: ["" : 18]> g (float[2] z, float[0] x)
    => (float[0] last, float[2] total, float[3, 0] parts, float[3, 2] sums)
    <int64 steps = {3}, bool on = {1}> {
    last, total, parts, sums = Loop (steps, on, x, z) <body = b (int64 i, bool go, float[0] e, float[2] s)
        => (bool more, float[0] e2, float[2] s2, float[0] part, float[2] sum)
        { more = Identity (go) e2 = Add (e, x) s2 = Add (s, z) part = Neg (e2) sum = Neg (s2) }> }"""
SCANNED = """<ir_version: 8, opset_import: ["" : 18]> g (float[3, 0] x, float[3, 2] z)
    => (float[3, 0] parts, float[3, 2] rows) {
    parts, rows = Scan (x, z) <num_scan_inputs = 2, scan_input_directions = [0, 1], body = b (float[0] e, float[2] s)
        => (float[0] part, float[2] row) { part = Neg (e) row = Neg (s) }> }"""
TESTED = """<ir_version: 8, opset_import: ["" : 18]> g (float[2] z, float[0] x, int64 steps)
    => (float[0] last, float[2] total) <bool on = {1}> {
    last, total = Loop (steps, on, x, z) <body = b (int64 i, bool go, float[0] e, float[2] s)
        => (bool more, float[0] e2, float[2] s2) { more = Identity (go) e2 = Add (e, x) s2 = Add (s, z) }> }"""


@pytest.mark.parametrize("on", [False, True])
def test_branches_pass_and_give_nothing(on: bool, tmp_path: Any):
    z = np.array([1, -2], np.float32)
    nothing, y = _run(BRANCHES, tmp_path, np.array(on), np.zeros((0, 2), np.float32), z)
    assert nothing.shape == (0, 2)
    np.testing.assert_array_equal(y, -z if on else np.abs(z))


def test_loops_carry_and_collect_nothing(tmp_path: Any):
    z = np.array([1, -2], np.float32)
    last, total, parts, sums = _run(LOOP, tmp_path, z, np.zeros(0, np.float32))
    assert (last.shape, parts.shape) == ((0,), (3, 0))
    np.testing.assert_array_equal(total, 4 * z)
    np.testing.assert_array_equal(sums, [-2 * z, -3 * z, -4 * z])


def test_loops_of_a_tested_condition_carry_nothing(tmp_path: Any):
    z = np.array([1, -2], np.float32)
    last, total = _run(TESTED, tmp_path, z, np.zeros(0, np.float32), np.array(3))
    assert last.shape == (0,)
    np.testing.assert_array_equal(total, 4 * z)


def test_scans_of_nothing_beside_others_keep_their_directions(tmp_path: Any):
    z = np.arange(6, dtype=np.float32).reshape(3, 2)
    parts, rows = _run(SCANNED, tmp_path, np.zeros((3, 0), np.float32), z)
    assert parts.shape == (3, 0)
    np.testing.assert_array_equal(rows, -z[::-1])


@pytest.mark.parametrize(
    ("shape", "attribute", "sizes"),
    [
        ((0,), "", [(0,), (0,), (0,), (0,)]),
        ((0, 3), "<axis = 0>", [(0, 3), (0,), (0,), (0,)]),
        ((3, 0), "<axis = 0>", [(1, 0), (1,), (3,), (1,)]),
        ((3, 0), "<axis = 1>", [(3, 0), (0,), (0,), (0,)]),
    ],
)
def test_what_is_distinct_in_nothing(
    shape: tuple[int, ...], attribute: str, sizes: list[tuple[int, ...]], tmp_path: Any
):
    """numpy's `unique` gives these sizes; onnxruntime stops at some of them."""
    given = ", ".join(map(str, shape))
    text = f"""<ir_version: 8, opset_import: ["" : 18]> g (float[{given}] x)
        => (float y, int64 first, int64 inverse, int64 counts) {{
        y, first, inverse, counts = Unique {attribute} (x) }}"""
    for value in (model := onnx.parser.parse_model(text)).graph.output:
        value.type.tensor_type.ClearField("shape")
    file = tmp_path / "model.onnx"
    file.write_bytes(model.SerializeToString())
    assert [each.shape for each in run(str(file), [np.zeros(shape, np.float32)])] == sizes


@pytest.mark.parametrize(("kind", "gates"), [("RNN", 1), ("GRU", 3), ("LSTM", 4)])
def test_recurrent_layers_of_no_steps_give_what_they_begin_with(kind: str, gates: int, tmp_path: Any):
    text = f"""<ir_version: 8, opset_import: ["" : 18]>
        g (float[0, 2, 3] x, float[1, {4 * gates}, 3] w, float[1, {4 * gates}, 4] r, float[1, 2, 4] h)
        => (float[0, 1, 2, 4] y, float[1, 2, 4] last) {{
        y, last = {kind} <hidden_size = 4> (x, w, r, , , h) }}"""
    h = np.arange(8, dtype=np.float32).reshape(1, 2, 4)
    weights = [np.ones((1, 4 * gates, size), np.float32) for size in (3, 4)]
    y, last = _run(text, tmp_path, np.zeros((0, 2, 3), np.float32), *weights, h)
    assert y.shape == (0, 1, 2, 4)
    np.testing.assert_array_equal(last, h)


def test_a_scan_over_a_batch_of_no_sequences_is_refused(tmp_path: Any):
    text = """<ir_version: 8, opset_import: ["" : 8]> g (float[0, 2] s, float[0, 3, 2] x)
        => (float[0, 2] y, float[0, 3, 2] z) {
        y, z = Scan (, s, x) <num_scan_inputs = 1, body = b (float[2] a, float[2] e) => (float[2] c, float[2] d)
            { c = Add (a, e) d = Identity (c) }> }"""
    with pytest.raises(UnsupportedError, match="has a batch of no sequences"):
        _run(text, tmp_path, np.zeros((0, 2), np.float32), np.zeros((0, 3, 2), np.float32))
