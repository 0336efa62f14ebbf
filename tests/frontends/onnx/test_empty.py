"""Tensors without elements are inputs and outputs like others; they are not passed to the C."""

from typing import Any

import numpy as np
import onnx.parser

from benchmarks.conformance_adapters import run

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


def test_a_concatenation_of_nothing_adds_up_sizes(tmp_path: Any):
    [y] = _run(JOINED, tmp_path, np.zeros((2, 0, 3), np.float32))
    assert y.shape == (2, 0, 7)
