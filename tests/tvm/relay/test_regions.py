"""Operators on regions, signals and sparse coordinates mean what TVM documents: loops in numpy state it."""

from collections.abc import Callable
from itertools import product
from typing import Any, cast

import numpy as np
import pytest

from s2s.errors import InputError, UnsupportedError
from s2s.tvm import relay
from s2s.tvm.relay import Expr, nn, vision
from s2s.types.dtypes import Array
from tests.tvm.relay.test_meanings import run

One = Callable[[Any], Expr]
Two = Callable[[Any, Any], Expr]
Three = Callable[[Any, Any, Any], Expr]
RNG = np.random.default_rng(7)
IMAGE = RNG.standard_normal((2, 3, 9, 8)).astype(np.float32)


def run_one(formula: One, x: Array) -> list[Array]:
    """What a formula of one array gives."""
    return run(formula, x)


def run_two(formula: Two, x: Array, y: Array) -> list[Array]:
    """What a formula of two arrays gives."""
    return run(formula, x, y)


def run_three(formula: Three, x: Array, y: Array, z: Array) -> list[Array]:
    """What a formula of three arrays gives."""
    return run(formula, x, y, z)


def reshaped(indices: Array, before: list[int], after: list[int]) -> Array:
    """The coordinates of a sparse tensor in another shape, by the places in a row."""
    return np.stack(np.unravel_index(np.ravel_multi_index(tuple(indices.T), before), after), -1)


@pytest.mark.parametrize(
    ("before", "asked", "after"),
    [([2, 3, 6], [9, -1], [9, 4]), ([9, 4], [2, -1, 6], [2, 3, 6]), ([9, 4], [-1], [36]), ([25], [5, 5], [5, 5])],
)
def test_coordinates_of_sparse_tensors_move_to_another_shape(before: list[int], asked: list[int], after: list[int]):
    indices = np.stack([RNG.integers(0, size, 6) for size in before], -1).astype(np.int32)
    shapes = np.array(before, np.int64), np.array(asked, np.int64)
    places, shape = run(relay.sparse_reshape, indices, *shapes)
    assert shape.tolist() == after
    assert places.dtype == np.int32
    np.testing.assert_array_equal(places, reshaped(indices, before, after))


def test_coordinates_in_the_same_shape_stay_even_outside_of_it():
    indices = np.array([[0, 100], [7, 3]], np.int64)
    shape = np.array([500, 20], np.int64)
    places, _ = run(relay.sparse_reshape, indices, shape, shape)
    np.testing.assert_array_equal(places, indices)


@pytest.mark.parametrize("onesided", [True, False])
def test_short_windows_are_centered_and_transformed(onesided: bool):
    signal, window = RNG.standard_normal((2, 12)).astype(np.float32), np.array([1, 3, 2], np.int32)
    (result,) = run_two(lambda x, w: relay.stft(x, 4, 2, 3, w, True, onesided), signal, window)
    frames = np.stack([signal[:, at : at + 4] * np.pad(window, (0, 1)) for at in range(0, 9, 2)], -1)
    spectrum = (np.fft.rfft if onesided else np.fft.fft)(frames, axis=1) / 2
    np.testing.assert_allclose(result[..., 0] + 1j * result[..., 1], spectrum, atol=1e-5)


def test_the_fourier_transform_and_its_inverse():
    real, imaginary = RNG.standard_normal((2, 3, 10)).astype(np.float32)
    forward = run(relay.dft, real, imaginary)
    np.testing.assert_allclose(forward[0] + 1j * forward[1], np.fft.fft(real + 1j * imaginary), atol=1e-5)
    back = run_two(lambda x, y: relay.dft(x, y, True), *forward)
    np.testing.assert_allclose(back, [real, imaginary], atol=1e-5)


def cropped(image: Array, box: Array, size: tuple[int, int], is_nearest: bool, outside: float) -> Array:
    """A box of an image `[channels, rows, columns]` in another size."""
    limits = image.shape[1] - 1, image.shape[2] - 1
    result = np.empty((image.shape[0], *size), np.float32)
    for at in np.ndindex(*size):
        y, x = (
            box[axis] * limits[axis] + at[axis] * (box[axis + 2] - box[axis]) * limits[axis] / (size[axis] - 1)
            for axis in (0, 1)
        )
        if not (0 <= y <= limits[0] and 0 <= x <= limits[1]):
            result[:, *at] = outside
        elif is_nearest:
            result[:, *at] = image[:, int(np.floor(y + 0.5)), int(np.floor(x + 0.5))]
        else:
            (top, left), (down, across) = (int(y), int(x)), (y % 1, x % 1)
            corners = product(
                ((top, 1 - down), (int(np.ceil(y)), down)), ((left, 1 - across), (int(np.ceil(x)), across))
            )
            result[:, *at] = sum(image[:, row, column] * a * b for (row, a), (column, b) in corners)
    return result


@pytest.mark.parametrize("method", ["bilinear", "nearest_neighbor"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_boxes_are_cut_out_and_resized(method: str, layout: str):
    boxes, numbers = RNG.uniform(-0.1, 1.1, (5, 4)).astype(np.float32), np.array([1, 0, 0, 1, 0], np.int32)
    image = IMAGE if layout == "NCHW" else np.asarray(IMAGE.transpose(0, 2, 3, 1), order="C")
    (result,) = run_three(
        lambda x, b, n: relay.image.crop_and_resize(x, b, n, (5, 6), layout, method, 7.0), image, boxes, numbers
    )
    wanted = [cropped(IMAGE[n], b, (5, 6), method != "bilinear", 7.0) for n, b in zip(numbers, boxes, strict=True)]
    found = result if layout == "NCHW" else result.transpose(0, 3, 1, 2)
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_a_result_of_one_row_has_no_corners():
    box = relay.var("b", shape=(1, 4)), relay.var("n", shape=(1,), dtype="int32")
    with pytest.raises(InputError, match="sizes of 2 at least"):
        relay.image.crop_and_resize(relay.var("x", shape=(1, 3, 4, 4)), *box, (1, 4), "NCHW")


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_moved_taps_outside_of_the_image_are_zero(layout: str):
    x = RNG.standard_normal((2, 4, 5, 5)).astype(np.float32)
    offset = RNG.uniform(-2, 2, (2, 36, 5, 5)).astype(np.float32)
    weight = RNG.standard_normal((4, 4, 3, 3)).astype(np.float32)
    wanted = np.zeros((2, 4, 5, 5))
    for n, c, row, column, tap in product(range(2), range(4), range(5), range(5), range(9)):
        group = c // 2
        y, x_ = (
            at - 1 + move + offset[n, (group * 9 + tap) * 2 + axis, row, column]
            for axis, (at, move) in enumerate(((row, tap // 3), (column, tap % 3)))
        )
        if 0 <= y < 5 and 0 <= x_ < 5:
            (top, left), (down, across) = (int(y), int(x_)), (y % 1, x_ % 1)
            padded = np.pad(x[n, c], ((0, 1), (0, 1)))
            value = (padded[top, left] * (1 - across) + padded[top, left + 1] * across) * (1 - down)
            value += (padded[top + 1, left] * (1 - across) + padded[top + 1, left + 1] * across) * down
            wanted[n, :, row, column] += value * weight[:, c, tap // 3, tap % 3]
    arrays = [x, offset, weight]
    kernel_layout = "OIHW"
    if layout == "NHWC":
        arrays = [np.asarray(each.transpose(0, 2, 3, 1), order="C") for each in (x, offset)]
        arrays.append(np.asarray(weight.transpose(2, 3, 1, 0), order="C"))
        kernel_layout = "HWIO"
    (result,) = run_three(
        lambda a, b, c: nn.deformable_conv2d(
            a, b, c, padding=(1, 1), deformable_groups=2, data_layout=layout, kernel_layout=kernel_layout
        ),
        arrays[0],
        arrays[1],
        arrays[2],
    )
    np.testing.assert_allclose(result if layout == "NCHW" else result.transpose(0, 3, 1, 2), wanted, atol=1e-4)


def test_a_deformable_convolution_tells_offset_and_weight_their_types():
    x, offset, weight = relay.var("x", shape=(1, 4, 16, 16)), relay.var("o"), relay.var("w")
    y = nn.deformable_conv2d(x, offset, weight, padding=(1, 1), groups=2, channels=4, kernel_size=(3, 3))
    assert (y.shape, offset.shape, weight.shape) == ((1, 4, 16, 16), (1, 18, 16, 16), (4, 2, 3, 3))


def test_planes_are_cut_into_blocks_in_the_order_of_darknet():
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2)
    (result,) = run_one(lambda x: vision.yolo_reorg(x, 2), x)
    assert result.reshape(-1).tolist() == [0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15]


def test_prior_boxes_lie_around_each_position():
    image = np.zeros((1, 3, 2, 4), np.float32)
    (result,) = run_one(
        lambda x: vision.multibox_prior(x, (0.3, 0.5), (1.0, 4.0), (-1.0, -1.0), (0.5, 0.25)) * 1.0, image
    )
    center = np.array([0.25 / 4, 0.5 / 2])
    halves = np.array([[0.3 / 4, 0.15], [0.5 / 4, 0.25], [0.3, 0.075]])
    halves[2, 0] = 0.3 * 2 / 4 * 2 / 2
    np.testing.assert_allclose(result[0, :3], np.concatenate([center - halves, center + halves], 1), rtol=1e-6)


def samples_of(image: Array, region: Array, bins: int, ratio: int) -> Array:
    """The samples `[channels, bins, bins, ratio * ratio]` of a region."""
    result = np.zeros((image.shape[0], bins, bins, ratio * ratio))
    left, top, right, bottom = region
    size = np.maximum([bottom - top, right - left], 1) / bins
    for p, q, i, j in product(range(bins), range(bins), range(ratio), range(ratio)):
        y, x = top + (p + (i + 0.5) / ratio) * size[0], left + (q + (j + 0.5) / ratio) * size[1]
        if -1 <= y <= image.shape[1] and -1 <= x <= image.shape[2]:
            y, x = np.clip(y, 0, image.shape[1] - 1), np.clip(x, 0, image.shape[2] - 1)
            padded = np.pad(image, ((0, 0), (0, 1), (0, 1)))
            block = padded[:, int(y) : int(y) + 2, int(x) : int(x) + 2]
            result[:, p, q, i * ratio + j] = np.array([1 - y % 1, y % 1]) @ block @ np.array([1 - x % 1, x % 1])
    return result


@pytest.mark.parametrize("mode", ["avg", "max"])
def test_bins_of_regions_are_the_mean_or_the_largest_of_interpolated_samples(mode: str):
    regions = np.concatenate([[[1.0], [0.0]], RNG.uniform(-2, 12, (2, 4))], 1).astype(np.float32)
    (result,) = run_two(lambda x, r: vision.roi_align(x, r, (3, 3), 0.5, 2, mode=mode), IMAGE, regions)
    for region, found in zip(regions, result, strict=True):
        samples = samples_of(IMAGE[int(region[0])], region[1:] * 0.5, 3, 2)
        wanted = samples.mean(-1) if mode == "avg" else samples.max(-1)
        np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_the_largest_of_as_many_samples_as_pixels_is_refused():
    x, regions = relay.var("x", shape=(1, 3, 8, 8)), relay.var("r", shape=(2, 5))
    with pytest.raises(UnsupportedError, match="give sample_ratio"):
        vision.roi_align(x, regions, (3, 3), 1.0, mode="max")


def test_pooled_regions_are_the_largest_pixels_of_bins():
    regions = np.array([[1, 0, 2, 7, 8], [0, 3, 1, 5, 4]], np.float32)
    (result,) = run_two(lambda x, r: vision.roi_pool(x, r, (2, 2), 1.0), IMAGE, regions)
    assert result[0, 0, 0, 0] == IMAGE[1, 0, 2:6, 0:4].max()
    assert result[1, 2, 1, 1] == IMAGE[0, 2, 3:5, 4:6].max()


def test_sums_of_segments_may_have_fewer_ids_than_rows_and_tell_their_number():
    data, ids = RNG.standard_normal((3, 4)).astype(np.float32), np.array([0, 2], np.int32)
    (result,) = run_two(lambda x, i: relay.segment_sum(x, i, 4), data, ids)
    np.testing.assert_array_equal(result, np.stack([data[0], np.zeros(4), data[1], np.zeros(4)]))
    with pytest.raises(UnsupportedError, match="give num_segments"):
        relay.segment_sum(relay.var("x", shape=(3, 4)), relay.var("i", shape=(3,), dtype="int32"))


def test_sums_and_products_of_truth_values_are_any_and_all():
    values = np.array([[True, False], [False, False], [True, True]])
    (some,) = run_one(lambda x: relay.sum(x, 1), values)
    (every,) = run_one(lambda x: relay.prod(x, 1), values)
    assert some.tolist() == [True, False, True]
    assert every.tolist() == [False, False, True]


def test_a_variance_of_variable_sizes_has_the_factor_of_the_sizes_that_are_given():
    rows = relay.var("x", shape=(cast("int", relay.Any()), 4))
    function = relay.Function([rows], relay.variance(rows, 0, unbiased=True))
    values = RNG.standard_normal((5, 4)).astype(np.float32)
    evaluated = cast("Callable[..., Any]", relay.create_executor().evaluate(function))
    np.testing.assert_allclose(evaluated(values).numpy(), values.var(0, ddof=1), rtol=1e-5)
