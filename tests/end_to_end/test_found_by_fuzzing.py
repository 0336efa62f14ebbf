"""Models that `s2s fuzz` has found to stop the compiler, cut down: they compile, and give what onnxruntime gives."""

from typing import Any

import numpy as np
import onnx
import onnxruntime  # pyright: ignore[reportMissingTypeStubs]
import pytest

from s2s import api
from s2s.errors import UnsupportedError
from s2s.types.dtypes import Array
from support.onnx_text import onnx_model
from support.threads import one_thread

FLOATS = np.linspace(-2, 2, 12, dtype=np.float32)


def expected(model: onnx.ModelProto, inputs: dict[str, Array]) -> dict[str, Array]:
    runtime: Any = onnxruntime
    options = one_thread()
    options.log_severity_level = 3
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return dict(zip([each.name for each in session.get_outputs()], session.run(None, inputs), strict=True))


CASES: dict[str, tuple[str, dict[str, Array]]] = {
    "places of elements whose distinct values nobody reads": (
        "(float[5] x) => (int64[5] y) { v, first, y, counts = Unique <axis = 0, sorted = 0> (x) }",
        {"x": np.asarray([3, 1, 3, 2, 1], np.float32)},
    ),
    "weights with a scale for each block": (  # a constant with several elements is no number of a table
        """(float[1,1] x) => (uint8[2,1] y) <int8[2,1] c = {1, -2}, float[1,1] b = {0.077}, int8[1,1] zero = {1},
        float s = {0.029}, uint8 o = {76}, float t = {0.0625}, uint8 p = {26}>
        { d = DequantizeLinear <axis = 0, block_size = 2> (c, b, zero) q = QuantizeLinear (d, s, o)
          r = DequantizeLinear (q, s, o) m = MatMul (r, x) y = QuantizeLinear (m, t, p) }""",
        {"x": FLOATS[:1].reshape(1, 1)},
    ),
    "bytes without elements": (
        """(float[3] x) => (float[3] y, uint8[0,3] z) <uint8[0,3] c = {}, float s = {0.5}, uint8 o = {3}>
        { d = DequantizeLinear (c, s, o) a = Add (x, d) z = QuantizeLinear (a, s, o) y = Neg (x) }""",
        {"x": FLOATS[:3]},
    ),
}


@pytest.mark.parametrize("target", ["c", "x86-64-v3"])
@pytest.mark.parametrize("kind", CASES)
def test_the_results_are_those_of_onnxruntime(kind: str, target: str):
    text, inputs = CASES[kind]
    model = onnx_model(text, 21)
    with api.compile(model, target=target) as artifact:
        found = artifact.run(inputs)
    for name, wanted in expected(model, inputs).items():
        assert found[name].dtype == wanted.dtype
        np.testing.assert_allclose(found[name], wanted, rtol=1e-6)


def test_a_slice_of_what_a_table_gives_is_computed_apart():
    """The first 11 of 12 elements lie where all of them do; the rows that give them have another shape."""
    text = """(float[1,3,1,4] x, int64[1] n) => (float[12] y) <int64[1] flat = {12}, int64 last = {-1}>
    { r = ReverseSequence <batch_axis = 0, time_axis = 1> (x, n) v = Reshape (r, flat)
      y = CumProd <exclusive = 1> (v, last) }"""
    with api.compile(onnx_model(text, 26), target="x86-64-v3") as artifact:
        found = artifact.run({"x": FLOATS.reshape(1, 3, 1, 4), "n": np.asarray([2])})["y"]
    turned = np.concatenate([FLOATS[4:8], FLOATS[:4], FLOATS[8:]])
    np.testing.assert_allclose(found, np.cumprod(np.concatenate([[1], turned[:-1]])), rtol=1e-6)


def test_cumulative_products_of_unsigned_words_run_in_blocks_of_rows():
    text = "(uint32[65,5,9] x) => (uint32[65,5,9] y) <int64 axis = {-1}> { y = CumProd <exclusive = 1> (x, axis) }"
    x = np.arange(65 * 5 * 9, dtype=np.uint32).reshape(65, 5, 9)
    with api.compile(onnx_model(text, 26), target="x86-64-v3") as artifact:
        found = artifact.run({"x": x})["y"]
    before = np.concatenate([np.ones((65, 5, 1), np.uint32), x[..., :-1]], -1)
    np.testing.assert_array_equal(found, np.cumprod(before, -1, dtype=np.uint32))


def test_a_kernel_whose_result_lies_over_its_operand_unchanged_has_a_result():
    """STFT's transpose moves nothing and runs in place; the graph executor's tables name its result all the same."""
    text = """(float[1,8,1] x, float[5] w) => (float[1,4,2,2] y, float[1,4,1,2] z)
    <int64 length = {5}, int64 step = {1}, int64[2] parts = {2, 1}>
    { f = STFT <onesided = 1> (x, step, w, length) y, z = Split <axis = 2> (f, parts) }"""
    inputs = {"x": FLOATS[:8].reshape(1, 8, 1), "w": FLOATS[3:8]}
    model = onnx_model(text, 20)
    for executor in ("aot", "graph"):
        with api.compile(model, target="x86-64-v3", executor=executor) as artifact:
            found = artifact.run(inputs)
        for name, wanted in expected(model, inputs).items():
            np.testing.assert_allclose(found[name], wanted, rtol=1e-5, atol=1e-5)


def test_parts_that_do_not_fill_the_bound_of_a_size_are_refused_by_that():
    text = """(float[16,3] x, bool[16] c) => (float[4,3] y, float[1,3] z) <int64[2] parts = {4, 1}>
    { r = Compress <axis = 0> (x, c) y, z = Split <axis = 0> (r, parts) }"""
    with pytest.raises(UnsupportedError, match=r"parts .* do not add up to 16; .*: the bound of a size that a run"):
        api.compile(onnx_model(text, 18))


def test_a_number_of_elements_that_a_run_computes_is_no_constant():
    text = "(float[9] x, bool[9] c) => (int64 n) { r = Compress (x, c) n = Size (r) }"
    with api.compile(onnx_model(text, 18), target="c") as artifact:
        for count in (0, 4, 9):
            given = {"x": np.ones(9, np.float32), "c": np.arange(9) < count}
            assert artifact.run(given)["n"] == count


def test_a_model_that_needs_one_size_of_those_that_a_run_may_compute_is_refused():
    text = """(float[5] x) => (float[n] y) <float[5] c = {1, 2, 3, 4, 5}>
    { v, first, places, counts = Unique (x) y = Mul (v, c) }"""
    with pytest.raises(UnsupportedError, match=r"^Mul_y: .* does not hold where a run computes Unique_v=\d; "):
        api.compile(onnx_model(text, 18))


def test_quantised_bytes_are_padded_by_those_at_the_edge():
    text = """(float[1,2,3] x) => (uint8[3,2,6] q)
    <int64[6] pads = {1, 0, 0, 1, 0, 3}, float step = {0.1}, uint8 zero = {0}>
    { y = Pad <mode = "edge"> (x, pads) q = QuantizeLinear (y, step, zero) }"""
    x = np.linspace(0, 5, 6, dtype=np.float32).reshape(1, 2, 3)
    with api.compile(onnx_model(text, 18), target="c") as artifact:
        expected = np.pad(np.rint(x / np.float32(0.1)), [(1, 1), (0, 0), (0, 3)], mode="edge")
        np.testing.assert_array_equal(artifact.run({"x": x})["q"], expected.astype(np.uint8))
