"""`rgb565`: pixels of 16 bits, as cameras and displays have them."""

from typing import ClassVar, Literal

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.features.images import as_bytes, colours
from s2s.frontends.features.step import I32, PreStep, Shape, States
from s2s.frontends.formulas import cast, concat, reshape
from s2s.frontends.tflite.fixed_point import shifted_right
from s2s.support.frozen import frozen


@frozen(kw_only=True)
class Rgb565(PreStep):
    """Red, green and blue bytes from five, six and five bits, whose highest bits are repeated below the lowest."""

    name: ClassVar[str] = "rgb565"
    by_rows: ClassVar[bool] = True
    dtype: ClassVar[np.dtype[np.generic]] = np.dtype(np.uint16)
    bytes: Literal["little", "big"] = "little"
    """The byte that comes first: the lower one, or the higher one, as cameras on a parallel bus send it."""

    def taken(self, wanted: Shape) -> Shape:
        return colours(self, wanted)[:2]

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        height, width, _ = colours(self, wanted)
        pixels = cast(reshape(x, [height, width, 1]), I32)
        if self.bytes == "big":
            pixels = _bits(pixels, 8, 8) + _bits(pixels, 0, 8) * 256
        red, green, blue = _bits(pixels, 11, 5), _bits(pixels, 5, 6), _bits(pixels, 0, 5)
        parts = [_widened(red, 5), _widened(green, 6), _widened(blue, 5)]
        return as_bytes(concat(parts, 2), (height, width, 3))


def _bits(x: Value, start: int, count: int) -> Value:
    return emit(graph.BitwiseAndOp, shifted_right(x, start), x.like(2**count - 1))


def _widened(x: Value, bits: int) -> Value:
    return x * 2 ** (8 - bits) + shifted_right(x, 2 * bits - 8)
