"""Operators whose results differ between other engines: s2s follows the text of the standard."""

from typing import Any

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

from s2s import api
from s2s.types.dtypes import Array
from support.onnx_text import onnx_model


def computed(body: str, opset: int, **inputs: Array) -> Array:
    with api.compile(onnx_model(body, opset), target="c") as artifact:
        return artifact.run(inputs)["y"]


def reference(model: Any, **inputs: Array) -> Array:
    """The first output by the reference evaluator of ONNX."""
    evaluator: Any = ReferenceEvaluator(model)
    return evaluator.run(None, inputs)[0]


def cubic(t: float, a: float = -0.75) -> list[float]:
    """Keys' weights of the four neighbours of a sample, as ONNX defines them."""
    near = [(a + 2) * d**3 - (a + 3) * d**2 + 1 for d in (t, 1 - t)]
    far = [a * (d**3 - 5 * d**2 + 8 * d - 4) for d in (1 + t, 2 - t)]
    return [far[0], *near, far[1]]


def test_positions_of_cubic_samples_are_not_rounded():
    """onnxruntime and the reference evaluator round them to float32, and are off by 3e-6."""
    x = np.random.default_rng(0).uniform(-3, 3, (1, 1, 1, 33)).astype(np.float32)
    body = "(float[1,1,1,33] x) => (float[1,1,1,26] y) <int64[4] sizes = {1,1,1,26}>"
    y = computed(f'{body} {{ y = Resize <mode = "cubic"> (x, , , sizes) }}', 18, x=x)
    wide, expected = x.astype(np.float64).ravel(), np.empty(26)
    for place in range(26):
        position = (place + 0.5) * 33 / 26 - 0.5
        first = int(np.floor(position))
        indices = np.clip(np.arange(first - 1, first + 3), 0, 32)
        expected[place] = wide[indices] @ cubic(position - first)
    np.testing.assert_allclose(y.ravel(), expected, rtol=0, atol=8e-7)


def test_aligned_corners_are_those_of_the_length_that_the_scale_gives():
    """3 elements times 1.5 are 4.5, of which 4 exist: ONNX's reference and its node tests (2.4 of 4 elements in
    `resize_downsample_scales_linear_align_corners`) step by 2 / 3.5, onnxruntime by 2 / 3."""
    x = np.asarray([[0.0, 2.0, 4.0]], np.float32)
    body = "(float[1,3] x) => (float[1,4] y) <float[2] s = {1, 1.5}>"
    attributes = 'mode = "linear", coordinate_transformation_mode = "align_corners"'
    y = computed(f"{body} {{ y = Resize <{attributes}> (x, , s) }}", 18, x=x)
    np.testing.assert_allclose(y, [2 * np.arange(4) * 2 / 3.5], rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.85146695, 0.85205078125])
def test_a_threshold_is_rounded_to_the_type_of_its_operand(alpha: float):
    """The function that defines the operator casts it; onnxruntime compares in float32."""
    x = np.asarray([0.851, 0.8515625, 0.852], np.float16)
    y = computed(f"(float16[3] x) => (float16[3] y) {{ y = ThresholdedRelu <alpha = {alpha}> (x) }}", 22, x=x)
    np.testing.assert_array_equal(y, np.where(x > np.float16(alpha), x, np.float16(0)))


def test_a_dilated_pool_of_a_valid_image_has_the_declared_size():
    """The reference evaluator takes no notice of the dilation."""
    x = np.arange(9, dtype=np.float64).reshape(1, 1, 9)
    attributes = 'auto_pad = "VALID", kernel_shape = [5], dilations = [2]'
    y = computed(f"(double[1,1,9] x) => (double[] y) {{ y = AveragePool <{attributes}> (x) }}", 19, x=x)
    np.testing.assert_array_equal(y, [[[4.0]]])


def test_a_pool_that_steps_over_elements_pads_nothing():
    """The standard fixes the size, ceil(5 / 3); onnxruntime refuses the negative padding, the reference crops."""
    x = np.arange(5, dtype=np.float32).reshape(1, 1, 5)
    attributes = 'auto_pad = "SAME_LOWER", kernel_shape = [1], strides = [3]'
    y = computed(f"(float[1,1,5] x) => (float[] y) {{ y = MaxPool <{attributes}> (x) }}", 12, x=x)
    np.testing.assert_array_equal(y, [[[0.0, 3.0]]])


def test_values_of_one_hot_are_exact():
    """The reference evaluator computes off + (on - off)."""
    values = np.asarray([0.019029101356863976, 1.9], np.float32)
    body = "(float[2] v, int32[1] i) => (float[] y) <int64 depth = {2}> { y = OneHot (i, depth, v) }"
    np.testing.assert_array_equal(computed(body, 11, v=values, i=np.asarray([1], np.int32)), [[values[0], values[1]]])


def test_a_tensor_of_zeros_is_quantised_by_a_scale_of_one():
    """ONNX's function divides 0 by a scale of 0; onnxruntime takes 1, the reference evaluator 1 / 255."""
    body = "(float[2,3] x) => (uint8[2,3] y, float s, uint8 z) { y, s, z = DynamicQuantizeLinear (x) }"
    for zeros in (np.zeros((2, 3), np.float32), np.full((2, 3), -0.0, np.float32)):
        with api.compile(onnx_model(body, 18), target="c") as artifact:
            found = artifact.run({"x": zeros})
        assert not found["y"].any()
        assert (found["s"], found["z"]) == (1, 0)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_a_resized_image_has_the_size_that_the_scale_gives_exactly(mode: str):
    """float32 has 2.5999999 for 2.6, so 5 elements make 12, as shape inference and the reference evaluator of ONNX say;
    onnxruntime multiplies in float32, and makes 13."""
    x = np.arange(5, dtype=np.float32).reshape(1, 5)
    body = "(float[1,5] x) => (float[] y) <float[2] s = {1, 2.6}>"
    model = onnx_model(f'{body} {{ y = Resize <mode = "{mode}"> (x, , s) }}', 18)
    with api.compile(model, target="c") as artifact:
        y = artifact.run({"x": x})["y"]
    assert y.shape == (1, 12)
    np.testing.assert_allclose(y, reference(model, x=x), rtol=1e-6)


@pytest.mark.parametrize("mode", ["half_pixel", "align_corners"])
def test_the_nearest_element_of_a_position_between_two_is_that_of_the_reference(mode: str):
    """onnxruntime rounds positions to float32 first, which moves them over the middle between two elements."""
    x = np.arange(35, dtype=np.float32).reshape(5, 7)
    attributes = f'mode = "nearest", coordinate_transformation_mode = "{mode}"'
    body = "(float[5,7] x) => (float[] y) <float[2] s = {1.3, 0.7}>"
    model = onnx_model(f"{body} {{ y = Resize <{attributes}> (x, , s) }}", 18)
    with api.compile(model, target="c") as artifact:
        y = artifact.run({"x": x})["y"]
    np.testing.assert_array_equal(y, reference(model, x=x))


def test_output_padding_is_no_part_of_a_size_that_auto_pad_fixes():
    """With `SAME_UPPER` 5 x 4 elements make 10 x 8, as onnxruntime and the reference evaluator compute; shape inference
    of ONNX adds the output padding, and says 11 x 8."""
    x, w = np.ones((1, 1, 5, 4), np.float32), np.ones((1, 1, 3, 3), np.float32)
    attributes = 'auto_pad = "SAME_UPPER", output_padding = [1, 0], strides = [2, 2]'
    body = f"(float[1,1,5,4] x, float[1,1,3,3] w) => (float[] y) {{ y = ConvTranspose <{attributes}> (x, w) }}"
    y = computed(body, 11, x=x, w=w)
    assert y.shape == (1, 1, 10, 8)
    np.testing.assert_array_equal(y, reference(onnx_model(body, 11), x=x, w=w))


PAIRS = """(int8[96,32] x) => (int8[96,96] y)
<float sx = {%s}, float sw = {%s}, float sy = {%s}, int8 z = {0}, int8[32,96] w = {%s}>
{ d = DequantizeLinear (x, sx, z) e = DequantizeLinear (w, sw, z) m = MatMul (d, e) y = QuantizeLinear (m, sy, z) }"""


@pytest.mark.parametrize("scales", [(0.05, 0.01, 0.25), (0.1, 0.1, 0.2), (0.03125, 0.0625, 0.25)])
@pytest.mark.parametrize("schedule", ["default", "reference"])
def test_quantised_sums_differ_from_the_real_number_at_ties_only(scales: tuple[float, float, float], schedule: Any):
    """ONNX leaves the order of sums in floats open, so that a value within their error of the middle between two steps
    may go to either; with scales that are powers of two there is no error, and the middle goes to the even step."""
    random = np.random.default_rng(0)
    x, w = (random.integers(-127, 128, shape).astype(np.int8) for shape in ((96, 32), (32, 96)))
    model = onnx_model(PAIRS % (*scales, ", ".join(map(str, w.ravel()))), 17)
    with api.compile(model, target="c", schedule=schedule) as artifact:
        y = artifact.run({"x": x})["y"].astype(np.int64)
    sx, sw, sy = (float(np.float32(each)) for each in scales)
    real = (x.astype(np.int64) @ w.astype(np.int64)) * (sx * sw / sy)
    rounded = np.clip(np.rint(real), -128, 127)
    wrong = y != rounded
    assert (np.abs(y - rounded) <= 1).all()
    assert (np.abs(np.abs(real - np.trunc(real)) - 0.5)[wrong] < 1e-5 * np.abs(real[wrong])).all()
    if scales[0] == 0.03125:
        assert not wrong.any()
