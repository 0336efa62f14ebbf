"""`grey`: the brightness of an image of three colours."""

from typing import ClassVar

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.features.images import as_bytes, channel, image_shape, weighted
from s2s.frontends.features.step import I32, U8, PreStep, Shape, States
from s2s.frontends.formulas import cast, reshape
from s2s.support.frozen import frozen

_WEIGHTS = (19595, 38470, 7471)
"""The shares of red, green and blue of ITU-R BT.601, 0.299, 0.587 and 0.114, with 16 fractional bits."""


@frozen(kw_only=True)
class Grey(PreStep):
    """The brightness of each pixel by ITU-R BT.601; bytes are rounded as Pillow does."""

    name: ClassVar[str] = "grey"
    by_rows: ClassVar[bool] = True
    dtype: ClassVar[np.dtype[np.generic]] = U8

    def taken(self, wanted: Shape) -> Shape:
        height, width, channels = image_shape(self, wanted)
        if channels != 1:
            raise self.invalid(f"gives one channel, and {list(wanted)} is wanted", "leave it out")
        return (height, width, 3)

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        shape = image_shape(self, wanted)
        image = reshape(x, self.taken(wanted))
        parts = [channel(image, number) for number in range(3)]
        if x.is_float:
            red, green, blue = (part * (weight / 65536) for part, weight in zip(parts, _WEIGHTS, strict=True))
            return red + green + blue
        return as_bytes(weighted([(w, cast(p, I32)) for w, p in zip(_WEIGHTS, parts, strict=True)], 16), shape)
