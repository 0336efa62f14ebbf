"""Einsum, Fourier transforms, reading between pixels, and other operators that few networks have."""

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.onnx import import_model
from support.onnx_nodes import NodeCase, check, floats, known, run_onnxruntime

X = floats(2, 3, 4)
IMAGE = floats(2, 3, 5, 6)
GRID = floats(2, 4, 7, 2, low=-1.3, high=1.3)
SIGNAL = floats(2, 60, 1)
LONG = floats(2, 128, 2)
ITEMS = np.array([[1, 1, 3, 3, 3, 7], [8, 6, 7, 5, 6, 8]])
GRAMS = {
    "min_gram_length": 1,
    "max_gram_length": 2,
    "max_skip_count": 3,
    "ngram_counts": [0, 4],
    "ngram_indexes": [0, 2, 1, 3, 7, 4, 6],
    "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7],
}
"""One, then two items each; nothing stands at the place 5 of the result."""
ROIS = np.array([[0, 0, 3, 3.5], [1, 0.5, 5, 4], [-3, -2, 9, 8]], np.float32)

EINSUMS = {
    "ij,jk->ik": [floats(2, 3), floats(3, 4)],
    "ij,jk": [floats(2, 3), floats(3, 4)],
    "bij,bjk->bik": [floats(2, 3, 4), floats(2, 4, 5)],
    "bhid,bhjd->bhij": [floats(2, 2, 3, 4), floats(2, 2, 5, 4)],
    "...ij,...jk->...ik": [floats(2, 1, 3, 4), floats(5, 4, 2)],
    "ij->ji": [floats(2, 3)],
    "ij->": [floats(2, 3)],
    "ii->i": [floats(3, 3)],
    "...ii->...i": [floats(2, 3, 3)],
    "i,i": [floats(4), floats(4, seed=1)],
    "i,j->ij": [floats(4), floats(3)],
    "ij,jk,kl->il": [floats(2, 3), floats(3, 4), floats(4, 5)],
    "ijk,ij->k": [floats(2, 3, 4), floats(2, 3)],
    "ijk,k->ij": [floats(2, 3, 4), floats(4)],
    ",ij->ij": [floats(), floats(2, 3)],
}


@pytest.mark.parametrize("equation", EINSUMS)
def test_einsum(equation: str):
    operands = EINSUMS[equation]
    expected = np.einsum(equation, *operands)
    check(NodeCase("Einsum", operands, {"equation": equation}, expected=[np.asarray(expected)]))


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [0, 1])
def test_grid_sample(mode: str, padding: str, corners: int):
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": corners}
    clamped = mode == "cubic" and padding == "border"  # the reference clamps the place, not the elements around it
    check(NodeCase("GridSample", [IMAGE, GRID], attributes, 22, tolerance=1e-4, by_runtime=clamped))


CASES = {
    "fourier": NodeCase("DFT", [SIGNAL, None, known(1)], {}, 20, tolerance=1e-4),
    "fourier of complex numbers": NodeCase("DFT", [X[..., :2]], {"axis": 1}, 17),
    "inverse": NodeCase("DFT", [X[..., :2], None, known(0)], {"inverse": 1}, 20),
    "along an axis of run time": NodeCase("DFT", [X[..., :2], None, np.array(-2)], {}, 20, tolerance=1e-4),
    "half of the spectrum": NodeCase("DFT", [SIGNAL, None, known(-2)], {"onesided": 1}, 20, tolerance=1e-4),
    "by the routine, complex": NodeCase("DFT", [LONG, None, known(1)], {}, 20, tolerance=1e-4),
    "by the routine, inverse": NodeCase("DFT", [LONG, None, known(1)], {"inverse": 1}, 20, tolerance=1e-4),
    "by the routine, half of the spectrum": NodeCase(
        "DFT", [LONG[..., :1], known(135), known(1)], {"onesided": 1}, 20, tolerance=1e-4
    ),
    "by the routine, a real signal": NodeCase(
        "DFT",
        [LONG[:, :65], known(128), known(1)],
        {"onesided": 1, "inverse": 1},
        20,
        tolerance=1e-4,
        expected=[np.fft.irfft(LONG[:, :65, 0] + 1j * LONG[:, :65, 1], 128)[..., None].astype(np.float32)],
    ),
    "by the routine, short times": NodeCase(
        "STFT", [LONG[..., :1], known(9), known(np.hanning(64), np.float32)], {}, 17, tolerance=1e-4
    ),
    "filled up": NodeCase("DFT", [SIGNAL, known(64), known(1)], {}, 20, tolerance=1e-4),
    "short times": NodeCase("STFT", [SIGNAL, known(8), None, known(16)], {}, 17, tolerance=1e-4),
    "short times with a window": NodeCase(
        "STFT", [SIGNAL, known(5), known(np.hanning(16), np.float32)], {"onesided": 0}, 17, tolerance=1e-4
    ),
    "short times with a window of run time": NodeCase("STFT", [SIGNAL, known(5), floats(16)], {}, 17, tolerance=1e-4),
    "mel filters": NodeCase(
        "MelWeightMatrix",
        [known(8), known(16), known(8192), known(0, np.float32), known(8192 / 2, np.float32)],
        {},
        17,
    ),
    "mel filters of a rate of run time": NodeCase(
        "MelWeightMatrix",
        [known(8), known(16), np.array(8192), np.array(100, np.float32), np.array(4000, np.float32)],
        {},
        17,
    ),
    **{
        f"n-grams, {mode}": NodeCase(
            "TfIdfVectorizer",
            [ITEMS],
            {"mode": mode, "weights": None if mode == "TF" else [0.5, 2.0, 1.5, 3.0, 0.25, 1.0, 4.0, 0.75], **GRAMS},
            9,
        )
        for mode in ("TF", "IDF", "TFIDF")
    },
    "n-grams of one text": NodeCase("TfIdfVectorizer", [ITEMS[0]], {"mode": "TF", **GRAMS}, 9),
    "window function": NodeCase("HannWindow", [known(10)], {"periodic": 0}, 17),
    "regions": NodeCase(
        "RoiAlign",
        [IMAGE, ROIS, np.array([0, 1, 1])],
        {"output_height": 3, "output_width": 2, "sampling_ratio": 2, "spatial_scale": 0.8},
        22,
    ),
    "largest of regions": NodeCase(
        "RoiAlign",
        [IMAGE, ROIS, np.array([0, 1, 1])],
        {"output_height": 2, "output_width": 2, "sampling_ratio": 3, "mode": "max"},
        16,
    ),
    **{
        f"{mode} of regions, as many samples as they are large, {opset}, {places}": NodeCase(
            "RoiAlign",
            [IMAGE, ROIS, np.array([0, 1, 1])],
            {"output_height": 3, "output_width": 2, "mode": mode}
            | ({} if opset < 16 else {"coordinate_transformation_mode": places}),
            opset,
            by_runtime=opset < 16,  # the reference has the mode of opset 16
        )
        for mode in ("avg", "max")
        for opset, places in (
            (10, "output_half_pixel"),
            (16, "half_pixel"),
            (22, "half_pixel"),
            (22, "output_half_pixel"),
        )
    },
    "bins of regions": NodeCase(
        "MaxRoiPool",
        [IMAGE, np.array([[0, 0, 0, 3, 3.5], [1, 1, 0.6, 5, 4], [1, -3, -2, 9, 8], [0, 40, 2, 50, 3]], np.float32)],
        {"pooled_shape": [3, 2], "spatial_scale": 0.8},
        12,
        by_runtime=True,
    ),
    "deformed convolution": NodeCase(
        "DeformConv",
        [floats(1, 4, 5, 5), floats(6, 2, 3, 3), floats(1, 36, 4, 2), floats(6), floats(1, 18, 4, 2)],
        {"group": 2, "offset_group": 2, "pads": [1, 0, 0, 1], "strides": [1, 2], "dilations": [1, 1]},
        22,
        tolerance=1e-4,
    ),
    **{
        f"columns to image, {kernel} by {strides} and {dilations}": NodeCase(
            "Col2Im",
            [floats(1, 2 * kernel[0] * kernel[1], places), known([8, 7]), known(kernel)],
            {"strides": strides, "dilations": dilations, "pads": [1, 0, 1, 2]},
            18,
        )
        for kernel, strides, dilations, places in (
            ([3, 2], [1, 1], [1, 1], 8 * 8),
            ([3, 3], [2, 2], [1, 1], 4 * 4),
            ([2, 2], [2, 3], [1, 1], 5 * 3),
            ([3, 2], [2, 3], [1, 1], 4 * 3),
            ([3, 2], [2, 1], [2, 2], 3 * 7),
        )
    },
    "unit matrix": NodeCase("EyeLike", [floats(5, 7)], {"k": -2}, 22),
    "large unit matrix": NodeCase("EyeLike", [floats(40, 50)], {"k": 3, "dtype": 11}, 9),
    "columns to image": NodeCase(
        "Col2Im", [floats(1, 12, 9), known([5, 6]), known([2, 3])], {"strides": [2, 2], "pads": [0, 1, 1, 0]}, 18
    ),
    "cache": NodeCase("TensorScatter", [X, X[:, :1], np.array([1, 2])], {"axis": 1}, 24),
    "circular cache": NodeCase(
        "TensorScatter", [X, X[:, :2], np.array([2, 1])], {"axis": 1, "mode": "circular"}, 24
    ),
    "determinant": NodeCase("Det", [floats(2, 4, 4)], {}, 22),
    "determinant of many rows": NodeCase("Det", [floats(2, 3, 9, 9)], {}, 22, tolerance=1e-4),
    "determinant of doubles": NodeCase("Det", [floats(5, 5).astype(np.float64)], {}, 11),
    "determinant of a singular matrix": NodeCase("Det", [np.ones((6, 6), np.float32)], {}, 22),
    "crop or pad": NodeCase("CenterCropPad", [X, known([5, 2])], {"axes": [1, 2]}, 18),
    "affine grid": NodeCase("AffineGrid", [floats(2, 2, 3), known([2, 3, 4, 5])], {}, 20),
    "affine grid of one image": NodeCase(
        "AffineGrid", [floats(1, 2, 3), known([1, 3, 4, 5])], {"align_corners": 1}, 20
    ),
    "affine grid of one volume": NodeCase("AffineGrid", [floats(1, 3, 4), known([1, 1, 2, 4, 3])], {}, 20),
    "attention": NodeCase("Attention", [floats(1, 2, 3, 4), floats(1, 2, 5, 4), floats(1, 2, 5, 4)], {}, 23),
    "loss": NodeCase("SoftmaxCrossEntropyLoss", [floats(3, 4), np.array([0, 2, 1])], {}, 13),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case: NodeCase):
    check(case)


LATER = {
    "crop or pad": NodeCase("CenterCropPad", [X, known([5, 2])], {"axes": [1, 2]}, 22),
    "loss": NodeCase("NegativeLogLikelihoodLoss", [floats(3, 4), np.array([0, 2, 1])], {}, 24),
    "rotary embedding": NodeCase("RotaryEmbedding", [floats(1, 2, 3, 4), floats(1, 3, 2), floats(1, 3, 2)], {}, 26),
    "attention": NodeCase("Attention", [floats(1, 2, 3, 4), floats(1, 2, 5, 4), floats(1, 2, 5, 4)], {}, 26),
}


@pytest.mark.parametrize("case", LATER.values(), ids=LATER)
def test_a_definition_holds_in_opsets_that_changed_its_operators(case: NodeCase):
    """ONNX states none for them, such as RotaryEmbedding by the Reshape of opset 24."""
    check(case)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (NodeCase("AffineGrid", [floats(2, 2, 3), known([1, 3, 4, 5])], {}, 20), "does not fit size"),
        (NodeCase("Einsum", [X], {"equation": "ij->ij"}), "does not fit a tensor of 3 dimensions"),
        (NodeCase("Einsum", [X], {"equation": "ijk,k->ij"}), "has 2 terms for 1 inputs"),
        (NodeCase("Einsum", [X], {"equation": "ijk->ijl"}), "not in the inputs"),
        (NodeCase("Einsum", [X], {"equation": "iik->ik"}), "dimensions of label 'i' differ"),
        (NodeCase("Einsum", [floats(2), floats(3)], {"equation": "i,i"}), "sizes 2 and 3"),
        (NodeCase("GridSample", [IMAGE, floats(3, 4, 7, 2)], {}, 22), "does not fit input"),
        (NodeCase("STFT", [SIGNAL, known(8), None, known(100)], {}, 17), "frames of 100 do not fit"),
        (NodeCase("MaxRoiPool", [IMAGE, ROIS], {"pooled_shape": [2, 2]}, 22), r"give \[regions, 5\] and two sizes"),
        (NodeCase("RoiAlign", [IMAGE, ROIS, np.array([0, 1, 1])], {"sampling_ratio": -1}, 22), "sampling_ratio -1"),
        (NodeCase("Det", [floats(2, 3)], {}, 22), "no square matrix"),
        (NodeCase("LSTM", [floats(3, 1, 2), floats(1, 8, 2), floats(1, 8, 2)], {"input_forget": 1}), "couples"),
        (NodeCase("GRU", [floats(3, 1, 2), floats(1, 6, 2), floats(1, 6, 3)]), "has not 2 columns"),
        (NodeCase("RNN", [floats(3, 1, 2), floats(1, 2, 2), floats(1, 2, 2)], {"activations": ["Abs"]}), "activation"),
    ],
)
def test_what_does_not_fit_is_refused(case: NodeCase, message: str):
    with pytest.raises((InputError, UnsupportedError), match=message) as caught:
        import_model(case.model())
    assert str(caught.value).startswith("node (")


@pytest.mark.parametrize("axis", [2, 3])
def test_a_deformed_convolution_has_any_number_of_dimensions(axis: int):
    """A row is an image of one row, and an image a volume of one slice; neither is moved along the axis it gains."""
    x, w, bias = floats(1, 4, 5, 5), floats(6, 2, 3, 3), floats(6)
    offset, mask = floats(1, 36, 4, 2), floats(1, 18, 4, 2)
    window = {"pads": [1, 0, 0, 1], "strides": [1, 2], "dilations": [1, 1]}
    groups = {"group": 2, "offset_group": 2}
    if axis == 2:
        x, w, mask = x[:, :, :1], w[:, :, :1], mask[:, :6, :1]
        offset = offset.reshape(1, 2, 3, 3, 2, 4, 2)[:, :, :1, :, :, :1]
        offset[..., 0, :, :] = 0
        window |= {"pads": [0, 0, 0, 1]}
        operands = [x, w, offset.reshape(1, 12, 1, 2), bias, mask]
        given = [x[:, :, 0], w[:, :, 0], offset[..., 1, 0, :].reshape(1, 6, 2), bias, mask[:, :, 0]]
        attributes = groups | {"pads": [0, 1], "strides": [2], "dilations": [1]}
    else:
        operands = [x, w, offset, bias, mask]
        moves = offset.reshape(1, 18, 2, 4, 2)
        moves = np.concatenate([np.zeros_like(moves[:, :, :1]), moves], 2).reshape(1, 54, 1, 4, 2)
        given = [x[:, :, None], w[:, :, None], moves, bias, mask[:, :, None]]
        attributes = groups | {"pads": [0, 1, 0, 0, 0, 1], "strides": [1, 1, 2], "dilations": [1, 1, 1]}
    flat = NodeCase("DeformConv", operands, groups | window, 19)
    (expected,) = run_onnxruntime(flat.model(), flat.inputs())
    expected = expected[:, :, 0] if axis == 2 else expected[:, :, None]
    check(NodeCase("DeformConv", given, attributes, 19, tolerance=1e-4, expected=[expected]))
