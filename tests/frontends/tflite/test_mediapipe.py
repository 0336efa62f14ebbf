"""MediaPipe's custom operators against loops that follow its definitions, element by element.

LiteRT does not have these operators. Tolerances are of float32, in which both compute, and the loops in float64.
"""

import struct
from collections.abc import Sequence

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.tflite import import_model
from s2s.frontends.tflite.writer import GraphSpec, OperatorSpec, TensorSpec, model
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array
from support.compiled import compiled, run_c
from support.tflite_micro_cases import flexible

T = TensorSpec


def one(custom: str, operands: Sequence[TensorSpec], shape: Sequence[int], options: bytes, version: int = 2) -> bytes:
    names = [spec.name for spec in operands]
    operator = OperatorSpec("CUSTOM", names, ["result"], custom=custom, custom_options=options, version=version)
    free = [spec.name for spec in operands if spec.data is None]
    return model([GraphSpec([*operands, T("result", shape)], [operator], free, ["result"])])


def assert_computes(data: bytes, inputs: Sequence[Array], expected: Array, *, in_c: bool = True) -> None:
    imported = import_model(data)
    (found,) = run_graph(imported.module, inputs, imported.weights)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    if in_c:
        with compiled(imported.module, imported.weights, target="c") as artifact:
            np.testing.assert_allclose(run_c(artifact, inputs)[0], expected, rtol=1e-4, atol=1e-4)


def transposed(x: Array, w: Array, bias: Array, strides: tuple[int, int], *, same: bool) -> Array:
    """Every pixel adds its share to the pixels that the kernel reaches from it."""
    (_, rows, columns, _), (_, high, wide, _) = x.shape, w.shape
    cut = [
        max(0, kernel - (size - 1) % stride - 1) if same else 0
        for kernel, size, stride in zip((high, wide), (rows, columns), strides, strict=True)
    ]
    full = np.zeros((1, strides[0] * (rows - 1) + high, strides[1] * (columns - 1) + wide, w.shape[0]))
    for row, column in np.ndindex(rows, columns):
        top, left = row * strides[0], column * strides[1]
        full[0, top : top + high, left : left + wide] += np.einsum("i,ohwi->hwo", x[0, row, column], w)
    height, width = full.shape[1] - cut[0], full.shape[2] - cut[1]
    return full[:, cut[0] // 2 : cut[0] // 2 + height, cut[1] // 2 : cut[1] // 2 + width] + bias


@pytest.mark.parametrize(
    ("kernel", "strides", "same"),
    [((2, 2), (2, 2), True), ((3, 4), (2, 3), True), ((3, 3), (2, 1), False), ((5, 3), (1, 2), True)],
)
def test_transposed_convolutions(kernel: tuple[int, int], strides: tuple[int, int], same: bool):
    random = np.random.default_rng(0)
    x = random.normal(size=(1, 4, 5, 3)).astype(np.float32)
    w = random.normal(size=(2, *kernel, 3)).astype(np.float32)
    bias = random.normal(size=2).astype(np.float32)
    expected = transposed(x, w, bias, strides, same=same)
    options = struct.pack("<3i", 1 if same else 2, strides[1], strides[0])
    operands = [T("x", x.shape), T("w", w.shape, data=w), T("b", (2,), data=bias)]
    assert_computes(one("Convolution2DTransposeBias", operands, expected.shape, options, 1), [x], expected)


def test_matrices_of_landmarks():
    """By products of matrices, as the definition has them: shift to the centre, turn, scale, shift by half a part."""
    random = np.random.default_rng(1)
    points = (random.normal(size=(1, 20, 3)) * [40, 30, 1] + [100, 60, 0]).astype(np.float32)
    chosen, ends, size, scales, target = [3, 7, 1, 12, 19, 4, 3], (2, 9), (16, 24), (1.5, 1.25), 0.3
    x, y = points[0, :, 0].astype(np.float64), points[0, :, 1].astype(np.float64)
    angle = target - np.arctan2(y[ends[1]] - y[ends[0]], x[ends[1]] - x[ends[0]])

    def turn(by: float) -> Array:
        return np.array([[np.cos(by), -np.sin(by)], [np.sin(by), np.cos(by)]])

    turned = turn(angle) @ np.stack([x[chosen], y[chosen]])
    low, high = turned.min(axis=1), turned.max(axis=1)
    linear = turn(-angle) @ np.diag((high - low) * scales[::1] / np.array([size[1], size[0]]))
    expected = np.eye(4)
    expected[:2, :2] = linear
    expected[:2, 3] = turn(-angle) @ ((low + high) / 2) - linear @ [size[1] / 2, size[0] / 2]
    options = flexible(
        {
            "left_rotation_idx": ends[0],
            "right_rotation_idx": ends[1],
            "output_height": size[0],
            "output_width": size[1],
            "scale_x": scales[0],
            "scale_y": scales[1],
            "subset_idxs": chosen,
            "target_rotation_radians": target,
        }
    )
    data = one("Landmarks2TransformMatrix", [T("x", points.shape)], (1, 4, 4), options)
    assert_computes(data, [points], expected[None])


MATRIX = np.array([[[0.8, 0.3, 0, -1.5], [-0.4, 0.9, 0, 2.2], [0, 0, 1, 0], [0, 0, 0, 1]]], np.float32)


def test_parts_of_pictures_are_read_between_pixels():
    random = np.random.default_rng(2)
    picture = random.normal(size=(1, 6, 7, 3)).astype(np.float32)
    rows, columns = 5, 9
    expected = np.zeros((1, rows, columns, 3))
    (a, b, _, e), (c, d, _, f) = MATRIX[0, :2].astype(np.float64)
    for row, column in np.ndindex(rows, columns):
        x = a * (column + 0.5) + b * (row + 0.5) + e - 0.5
        y = c * (column + 0.5) + d * (row + 0.5) + f - 0.5
        if not (0 <= x <= 6 and 0 <= y <= 5):
            continue
        left, top = int(x), int(y)
        for down, across in np.ndindex(2, 2):
            share = abs(1 - across - (x - left)) * abs(1 - down - (y - top))
            expected[0, row, column] += share * picture[0, min(top + down, 5), min(left + across, 6)]
    assert 0 < np.count_nonzero(expected[..., 0]) < rows * columns
    options = flexible({"output_height": rows, "output_width": columns})
    operands = [T("x", picture.shape), T("m", (1, 4, 4))]
    data = one("TransformTensorBilinear", operands, expected.shape, options)
    assert_computes(data, [picture, MATRIX], expected)
    blank = np.full((1, 4, 4), np.nan, np.float32)
    assert_computes(data, [picture, blank], np.zeros_like(expected))


@pytest.mark.parametrize("dimensions", [2, 3])
def test_landmarks_are_moved(dimensions: int):
    points = np.random.default_rng(3).normal(size=(1, 8, dimensions)).astype(np.float32)
    expected = points.copy()
    expected[..., :2] = points[..., :2] @ MATRIX[0, :2, :2].T + MATRIX[0, :2, 3]
    data = one("TransformLandmarks", [T("x", points.shape), T("m", (1, 4, 4))], points.shape, b"")
    assert_computes(data, [points, MATRIX], expected)


def test_version_1_is_refused():
    data = one("TransformLandmarks", [T("x", (1, 8, 2)), T("m", (1, 4, 4))], (1, 8, 2), b"", version=1)
    with pytest.raises(UnsupportedError, match="has version 1; convert the network with version 2"):
        import_model(data)


def test_landmarks_that_there_are_not_are_refused():
    options = {"left_rotation_idx": 0, "right_rotation_idx": 1, "output_height": 4, "output_width": 4}
    options |= {"scale_x": 1.0, "scale_y": 1.0, "target_rotation_radians": 0.0, "subset_idxs": [0, 5]}
    data = one("Landmarks2TransformMatrix", [T("x", (1, 5, 3))], (1, 4, 4), flexible(options))
    with pytest.raises(InputError, match="one beyond the 5 landmarks"):
        import_model(data)
