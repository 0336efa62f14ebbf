"""What steps on images share: images are `[height, width, channels]`."""

from s2s.frontends.builder import Value
from s2s.frontends.features.step import I32, U8, PreStep, Shape
from s2s.frontends.formulas import cast, clamp, reshape, take
from s2s.frontends.tflite.fixed_point import shifted_right

CHANNELS = (1, 2, 3, 4)


def image_shape(step: PreStep, wanted: Shape) -> Shape:
    """Return the height, width and channels of an image that a step is to give."""
    shape = wanted
    while len(shape) > 3 and shape[0] == 1:
        shape = shape[1:]
    if len(shape) == 2:
        shape = (*shape, 1)
    if len(shape) != 3 or shape[2] not in CHANNELS:
        raise step.invalid(
            f"gives an image [height, width, channels], and {list(wanted)} is wanted",
            "add --pre channels-first behind it, if that is [1, channels, height, width]",
        )
    return shape


def colours(step: PreStep, wanted: Shape) -> Shape:
    """Return the shape of an image of three colours that a step is to give."""
    shape = image_shape(step, wanted)
    if shape[2] != 3:
        raise step.invalid(f"gives three colours, and {list(wanted)} is wanted", "add --pre grey behind it")
    return shape


def channel(image: Value, number: int) -> Value:
    """Return one channel, `[height, width, 1]`."""
    return take(image, 2, number, 1)


def weighted(parts: list[tuple[int, Value]], bits: int) -> Value:
    """Return the sum of integers by weights, divided by `2 ** bits` to nearest, ties up."""
    first, *others = (part * weight for weight, part in parts)
    total = first + (1 << (bits - 1))
    for part in others:
        total = total + part
    return shifted_right(total, bits)


def as_bytes(x: Value, shape: Shape) -> Value:
    """Return integers limited to 0 to 255, as bytes."""
    return reshape(cast(clamp(cast(x, I32), 0, 255), U8), shape)
