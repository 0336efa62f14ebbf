"""Steps on images against numpy and Pillow."""

from typing import Any

import numpy as np
import pytest

from s2s.errors import InputError
from s2s.frontends.features import pre
from s2s.types.dtypes import Array
from support.steps import runs, stepped

HEIGHT, WIDTH = 6, 8


def pixels(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).integers(0, 256, shape).astype(np.uint8)


def image(steps: list[Any], shape: tuple[int, ...], taken: Array) -> Array:
    """What the steps make of pixels."""
    (found,) = runs(stepped({"x": shape}, steps), [{"x": taken}])
    return found["x_out"]


def test_normalising_is_by_channel() -> None:
    x, mean, std = pixels(1, HEIGHT, WIDTH, 3), (10.0, 20.0, 30.0), (2.0, 3.0, 5.0)
    found = image([pre.Normalise(mean=mean, std=std)], x.shape, x)
    np.testing.assert_allclose(
        found, (x.astype(np.float32) - np.asarray(mean, np.float32)) / np.asarray(std, np.float32), rtol=1e-6
    )


def test_grey_is_rounded_as_pillow_does() -> None:
    library = pytest.importorskip("PIL.Image")
    x = pixels(HEIGHT, WIDTH, 3)
    right = np.asarray(library.fromarray(x).convert("L"))
    assert np.array_equal(image([pre.Grey()], (1, HEIGHT, WIDTH, 1), x).reshape(right.shape), right)


def test_channels_come_first() -> None:
    x = pixels(HEIGHT, WIDTH, 3)
    assert np.array_equal(image([pre.ChannelsFirst()], (1, 3, HEIGHT, WIDTH), x)[0], x.transpose(2, 0, 1))


@pytest.mark.parametrize("corner", [{}, {"left": 0, "top": 3}])
def test_a_part_is_cropped(corner: Any) -> None:
    x = pixels(11, 13, 3)
    left, top = corner.get("left", 2), corner.get("top", 2)
    found = image([pre.Crop(size=pre.Size(13, 11), **corner)], (HEIGHT, WIDTH, 3), x)
    assert np.array_equal(found, x[top : top + HEIGHT, left : left + WIDTH])


def linear(x: Array, count: int, axis: int) -> Array:
    """Two neighbours weighted by their distance, along one axis."""
    size = x.shape[axis]
    at = np.clip((np.arange(count) + 0.5) * size / count - 0.5, 0, size - 1)
    low = np.floor(at).astype(int)
    share = (at - low).reshape([-1 if dim == axis else 1 for dim in range(x.ndim)])
    return np.take(x, low, axis) * (1 - share) + np.take(x, np.minimum(low + 1, size - 1), axis) * share


@pytest.mark.parametrize("size", [(5, 4), (16, 12), (31, 17), (8, 6)])
def test_bytes_are_resized_to_bytes(size: tuple[int, int]) -> None:
    x = pixels(size[1], size[0], 3)
    found = image([pre.Resize(size=pre.Size(*size))], (HEIGHT, WIDTH, 3), x)
    right = linear(linear(x.astype(float), HEIGHT, 0), WIDTH, 1)
    assert np.abs(found - right).max() <= 0.5 + 1e-3
    assert np.array_equal(found, np.round(found))


def test_nearest_pixels_are_taken() -> None:
    x = pixels(12, 24, 1)
    found = image([pre.Resize(size=pre.Size(24, 12), mode="nearest")], (HEIGHT, WIDTH), x)
    assert np.array_equal(found, x[1::2, 1::3, 0])


def test_antialiasing_weighs_what_a_pixel_covers() -> None:
    library = pytest.importorskip("PIL.Image")
    x = pixels(17, 31, 3)
    found = image([pre.Resize(size=pre.Size(31, 17), antialias="yes")], (HEIGHT, WIDTH, 3), x)
    right = np.asarray(library.fromarray(x).resize((WIDTH, HEIGHT), library.Resampling.BILINEAR)).astype(float)
    assert np.abs(found - right).max() <= 1  # Pillow rounds after each axis


@pytest.mark.parametrize("order", ["little", "big"])
def test_sixteen_bits_are_three_bytes(order: Any) -> None:
    words = np.arange(2**16, dtype=np.uint16).reshape(256, 256)
    found = image([pre.Rgb565(bytes=order)], (256, 256, 3), words.byteswap() if order == "big" else words)
    red, green, blue = words >> 11, (words >> 5) & 63, words & 31
    right = np.stack([red * 8 + red // 4, green * 4 + green // 16, blue * 8 + blue // 4], -1)
    assert np.array_equal(found, right)


def colours(y: Array, u: Array, v: Array, limited: bool) -> Array:
    """The colours of ITU-R BT.601 in double precision."""
    scale, offset, chroma = (255 / 219, 16, 255 / 224) if limited else (1.0, 0, 1.0)
    y, u, v = scale * (y.astype(float) - offset), chroma * (u.astype(float) - 128), chroma * (v.astype(float) - 128)
    red, green, blue = y + 1.402 * v, y - 0.344136 * u - 0.714136 * v, y + 1.772 * u
    return np.clip(np.stack([red, green, blue], -1), 0, 255)


@pytest.mark.parametrize("limited", [False, True])
def test_pairs_of_pixels_share_colours(limited: bool) -> None:
    x = pixels(HEIGHT, WIDTH, 2)
    found = image([pre.Yuyv(range="limited" if limited else "full")], (HEIGHT, WIDTH, 3), x)
    u, v = (np.repeat(x[:, start::2, 1], 2, 1) for start in range(2))
    assert np.abs(found - colours(x[..., 0], u, v, limited)).max() <= 0.51


def test_squares_of_pixels_share_colours() -> None:
    x = pixels(HEIGHT * 3 // 2, WIDTH)
    found = image([pre.Nv12()], (HEIGHT, WIDTH, 3), x)
    plane = x[HEIGHT:].reshape(HEIGHT // 2, WIDTH // 2, 2)
    u, v = (plane[..., part].repeat(2, 0).repeat(2, 1) for part in range(2))
    assert np.abs(found - colours(x[:HEIGHT], u, v, False)).max() <= 0.51


@pytest.mark.parametrize("first", [[pre.Rgb565()], [pre.Yuyv()], [pre.Grey()], [pre.Normalise(std=(2.0,))]])
def test_rows_before_a_resize_are_what_whole_images_are(first: list[pre.PreStep]) -> None:
    channels = 1 if isinstance(first[0], pre.Grey) else 3
    shape = (12, 20, channels)
    taken = first[0].taken(shape)
    kind = first[0].taken_type()
    x: Array = (pixels(*taken).astype(np.int64) * (257 if kind == np.uint16 else 1)).astype(kind)
    (whole,) = runs(stepped({"x": shape}, first), [{"x": x}])
    resize = pre.Resize(size=pre.Size(20, 12), mode="nearest")
    both = image([*first, resize], (HEIGHT, 10, channels), x)
    assert np.array_equal(both, whole["x_out"][1::2, 1::2])


@pytest.mark.parametrize(
    ("step", "shape", "message"),
    [
        ("grey", (4, 4, 3), "gives one channel, and [4, 4, 3] is wanted; leave it out"),
        ("rgb565", (4, 4, 1), "gives three colours, and [4, 4, 1] is wanted; add --pre grey behind it"),
        ("resize:size=8x8", (1, 3, 8, 8), "add --pre channels-first behind it"),
        ("crop:size=3x9", (4, 4, 3), "4x4 pixels from (-1, 2) on are not inside of 3x9"),
        ("yuyv", (4, 5, 3), "has pairs of pixels, and 5 columns are wanted"),
        ("normalise:std=0", (4, 4, 3), "divides by a number that is not above 0"),
        ("normalise:mean=1/2", (4, 4, 3), "has 2 means and 1 deviations, and [4, 4, 3] is wanted"),
        ("resize", (4, 4, 3), "needs a parameter; give size=160x120"),
        ("resize:size=4", (4, 4, 3), "size=4 is no such value; give size=160x120"),
        ("resize:size=4x4,size=4x4", (4, 4, 3), "states size twice; state it once"),
        ("channels-first", (5, 4, 3), "gives [channels, height, width], and [5, 4, 3] is wanted"),
    ],
)
def test_what_does_not_fit_is_refused(step: str, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(InputError) as error:
        stepped({"x": shape}, [step])
    assert message in str(error.value)
