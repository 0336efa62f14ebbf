"""Resize in its modes, and quantised operators."""

from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model
from support.onnx_nodes import NodeCase, check, floats, known, run_imported, run_onnxruntime

X = floats(1, 2, 5, 7)
SCALES = known([1, 1, 1.7, 0.6], np.float32)
COORDINATES = ["half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"]
BYTES = np.random.default_rng(0).integers(0, 255, (2, 4, 6, 5)).astype(np.uint8)
WEIGHTS = np.random.default_rng(1).integers(-127, 127, (3, 4, 3, 3)).astype(np.int8)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("coordinates", COORDINATES)
def test_coordinates(mode: str, coordinates: str):
    attributes = {"mode": mode, "coordinate_transformation_mode": coordinates}
    check(NodeCase("Resize", [X, None, SCALES], attributes))


@pytest.mark.parametrize("rounding", ["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
def test_rounding_of_nearest(rounding: str):
    check(NodeCase("Resize", [X, None, None, known([1, 2, 7, 4])], {"nearest_mode": rounding}))


REGIONS: dict[str, dict[str, Any]] = {
    "nearest": {"mode": "nearest"},
    "linear": {"mode": "linear"},
    "cubic": {"mode": "cubic", "cubic_coeff_a": -0.5},
    "cubic inside": {"mode": "cubic", "exclude_outside": 1},
    "smoothed": {"mode": "linear", "antialias": 1},
}
CASES = {
    **{
        f"region of run time, {mode}": NodeCase(
            "Resize",
            [X, np.array([0.4, -0.3, 0.6, 1.2], np.float32), None, known([3, 5])],
            {
                "axes": [3, 2],
                "coordinate_transformation_mode": "tf_crop_and_resize",
                "extrapolation_value": 10.0,
                **attributes,
            },
            18,
        )
        for mode, attributes in REGIONS.items()
    },
    "sizes of axes": NodeCase("Resize", [X, None, None, known([9, 4])], {"axes": [2, 3], "mode": "linear"}, 18),
    "aspect ratio": NodeCase(
        "Resize", [X, None, None, known([9, 9])], {"axes": [2, 3], "keep_aspect_ratio_policy": "not_larger"}, 18
    ),
    "antialiased": NodeCase("Resize", [X, None, None, known([1, 2, 2, 3])], {"mode": "linear", "antialias": 1}, 18),
    "antialiased cubic": NodeCase(
        "Resize", [X, None, None, known([1, 2, 2, 3])], {"mode": "cubic", "antialias": 1, "cubic_coeff_a": -0.5}, 18
    ),
    "cubic without what is outside": NodeCase("Resize", [X, None, SCALES], {"mode": "cubic", "exclude_outside": 1}),
    "crop": NodeCase(
        "Resize",
        [X, known([0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7], np.float32), None, known([1, 2, 3, 4])],
        {"mode": "linear", "coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 9.0},
    ),
    "opset 10": NodeCase("Resize", [X, SCALES], {"mode": "linear"}, 10, by_runtime=True),
    "quantize": NodeCase("QuantizeLinear", [X * 50, known(0.7, np.float32), known(100, np.uint8)]),
    "quantize per channel": NodeCase(
        "QuantizeLinear", [X * 50, known([0.7, 0.3], np.float32), known([3, -4], np.int8)], {"axis": 1}
    ),
    "dequantize": NodeCase("DequantizeLinear", [BYTES, known(0.7, np.float32), known(100, np.uint8)]),
    "dequantize in blocks": NodeCase(
        "DequantizeLinear", [BYTES[0, 0], known(floats(3, 5, low=0.1), np.float32)], {"axis": 0, "block_size": 2}
    ),
    "dequantize a sum": NodeCase("DequantizeLinear", [np.array([[1 << 20, -5]], np.int32), known(0.5, np.float32)]),
    "quantize dynamically": NodeCase("DynamicQuantizeLinear", [X], {}, 11, outputs=3),
    "integer product": NodeCase("MatMulInteger", [BYTES[0, 0], BYTES[0, 0].T, known(3, np.uint8), known(5, np.uint8)]),
    "integer convolution": NodeCase("ConvInteger", [BYTES, BYTES[:1, :, :3, :3], known(7, np.uint8)]),
    "quantised product": NodeCase(
        "QLinearMatMul",
        [BYTES[0, 0], known(0.1, np.float32), known(3, np.uint8), BYTES[1, 1].T, known(0.2, np.float32),
         known(5, np.uint8), known(9.0, np.float32), known(10, np.uint8)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case: NodeCase):
    check(case)


def test_upsample():
    x = floats(1, 1, 2, 3)
    expected = x.repeat(2, 2).repeat(3, 3)
    check(NodeCase("Upsample", [x, known([1, 1, 2, 3], np.float32)], {}, 9, expected=[expected]))
    check(NodeCase("Upsample", [x], {"scales": [1.0, 1.0, 2.0, 3.0]}, 7, expected=[expected]))


def test_quantised_convolution_is_that_of_onnxruntime():
    operands = [
        BYTES, known(0.02, np.float32), known(120, np.uint8),
        known(WEIGHTS, np.int8), known([0.01, 0.02, 0.005], np.float32), known([0, 0, 0], np.int8),
        known(0.3, np.float32), known(110, np.uint8), known([100, -2000, 30], np.int32),
    ]  # fmt: skip
    case = NodeCase("QLinearConv", operands, {"pads": [1, 1, 1, 1], "strides": [2, 1]}, 10)
    found = run_imported(import_model(case.model()), case.inputs())
    np.testing.assert_array_equal(found[0], run_onnxruntime(case.model(), case.inputs())[0])


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (NodeCase("Resize", [X, None, known([1, 1, 0, 1], np.float32)]), "positive scale"),
        (NodeCase("Resize", [X, None, known([1, 1, np.nan, 1], np.float32)]), "positive scale"),
        (NodeCase("Resize", [X, None, known([1, 1, 1e9, 1e9], np.float32)]), "elements"),
        (NodeCase("Resize", [X, None, known([1, 1], np.float32)]), "do not fit 4 axes"),
        (NodeCase("Resize", [X]), "exactly one of scales and sizes"),
        (NodeCase("Resize", [X, None, None, known([1, 2, 3, 4])], {"mode": "magic"}), "mode is 'magic'"),
        (NodeCase("QuantizeLinear", [X, known(0, np.float32)]), "not a positive finite number"),
        (NodeCase("QuantizeLinear", [X, known(np.nan, np.float32)]), "not a positive finite number"),
        (NodeCase("QuantizeLinear", [X, known([1, 2, 3], np.float32)]), "3 scales or zero points for axis 1"),
    ],
)
def test_what_does_not_fit_is_refused(case: NodeCase, message: str):
    with pytest.raises((InputError, UnsupportedError), match=message) as caught:
        import_model(case.model())
    assert str(caught.value).startswith("node (")
