"""`yuyv` and `nv12`: images of brightness and two colour differences, which two or four pixels share."""

from typing import ClassVar, Literal

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.features.images import as_bytes, colours, weighted
from s2s.frontends.features.step import I32, U8, PreStep, Shape, States
from s2s.frontends.formulas import cast, concat, reshape, take
from s2s.frontends.networks import Values, scan
from s2s.support.frozen import frozen

_FACTORS = {"full": (65536, 91881, -22554, -46802, 116130), "limited": (76309, 104597, -25675, -53279, 132201)}
"""ITU-R BT.601 with 16 fractional bits: brightness, V in red, U and V in green, U in blue. Brightness of the limited
range is 16 to 235, colours 16 to 240."""


@frozen(kw_only=True)
class Yuyv(PreStep):
    """Red, green and blue bytes from pairs of pixels `Y0 U Y1 V`, by ITU-R BT.601."""

    name: ClassVar[str] = "yuyv"
    by_rows: ClassVar[bool] = True
    dtype: ClassVar[np.dtype[np.generic]] = U8
    range: Literal["full", "limited"] = "full"
    """Whether black is 0 and white 255 (JPEG), or black 16 and white 235 (video)."""

    def taken(self, wanted: Shape) -> Shape:
        height, width, _ = colours(self, wanted)
        if width % 2:
            raise self.invalid(f"has pairs of pixels, and {width} columns are wanted", "add --pre crop behind it")
        return (height, width, 2)

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        height, width, _ = colours(self, wanted)
        pairs = reshape(x, [height, width // 2, 2, 2])
        light = reshape(take(pairs, 3, 0, 1), [height, width])
        differences = reshape(take(pairs, 3, 1, 1), [height, width // 2, 2])
        shared = [_repeated(reshape(take(differences, 2, part, 1), [height, width // 2]), 1) for part in range(2)]
        return self.colours(light, shared[0], shared[1], (height, width, 3))

    def colours(self, y: Value, u: Value, v: Value, shape: Shape) -> Value:
        """Return the image of a brightness and two colour differences for each pixel."""
        light, red_v, green_u, green_v, blue_u = _FACTORS[self.range]
        y = cast(y, I32) - (16 if self.range == "limited" else 0)
        u, v = cast(u, I32) - 128, cast(v, I32) - 128
        parts = ([(red_v, v)], [(green_u, u), (green_v, v)], [(blue_u, u)])
        sums = [weighted([(light, y), *part], 16) for part in parts]
        return as_bytes(concat([reshape(part, [*shape[:2], 1]) for part in sums], 2), shape)


@frozen(kw_only=True)
class Nv12(Yuyv):
    """Red, green and blue bytes from a plane of brightness, and half as many rows of `U V` for four pixels each."""

    name: ClassVar[str] = "nv12"
    by_rows: ClassVar[bool] = False

    def taken(self, wanted: Shape) -> Shape:
        height, width, _ = colours(self, wanted)
        if width % 2 or height % 2:
            raise self.invalid(f"has squares of pixels, and {width}x{height} are wanted", "add --pre crop behind it")
        return (height * 3 // 2, width)

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        height, width, _ = colours(self, wanted)
        light = reshape(take(x, 0, 0, height), [height // 2, 2, width])
        plane = reshape(take(x, 0, height, height // 2), [height // 2, width // 2, 2])

        def two_rows(_: Builder, __: Values, slices: Values, ___: Values) -> tuple[Values, Values]:
            parts = [reshape(take(slices[1], 1, part, 1), [1, width // 2]) for part in range(2)]
            shared = [_repeated(_repeated(part, 1), 0) for part in parts]
            return [], [self.colours(slices[0], shared[0], shared[1], (2, width, 3))]

        _, (image,) = scan(x.builder, self.name, two_rows, carried=[], scanned=[light, plane], steps=height // 2)
        return image


def _repeated(x: Value, axis: int) -> Value:
    """Repeat each row or column once."""
    shape = list(x.shape)
    apart = reshape(x, [*shape[: axis + 1], 1, *shape[axis + 1 :]])
    twice = [*shape[: axis + 1], 2, *shape[axis + 1 :]]
    shape[axis] *= 2
    return reshape(emit(graph.BroadcastToOp, apart, shape=twice), shape)
