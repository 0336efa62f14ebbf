"""`crop`: a part of an image."""

from typing import ClassVar

import numpy as np

from s2s.frontends.builder import Value
from s2s.frontends.features.images import image_shape
from s2s.frontends.features.parameters import Size
from s2s.frontends.features.step import U8, PreStep, Shape, States
from s2s.frontends.formulas import crop, reshape
from s2s.support.frozen import frozen


@frozen(kw_only=True)
class Crop(PreStep):
    """A part of an image, of the size that is wanted; by default its middle."""

    name: ClassVar[str] = "crop"
    dtype: ClassVar[np.dtype[np.generic]] = U8
    size: Size
    """The size of the image that is taken: `160x120`."""
    left: int | None = None
    top: int | None = None

    def taken(self, wanted: Shape) -> Shape:
        height, width, channels = image_shape(self, wanted)
        left, top = self._corner(height, width)
        if min(left, top) < 0 or left + width > self.size.width or top + height > self.size.height:
            raise self.invalid(
                f"{width}x{height} pixels from ({left}, {top}) on are not inside of {self.size}",
                "give a larger size=, or another left= and top=",
            )
        return (self.size.height, self.size.width, channels)

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        height, width, channels = image_shape(self, wanted)
        left, top = self._corner(height, width)
        image = reshape(x, [self.size.height, self.size.width, channels])
        return crop(image, [top, left, 0], [height, width, channels], [1, 1, 1])

    def _corner(self, height: int, width: int) -> tuple[int, int]:
        left = (self.size.width - width) // 2 if self.left is None else self.left
        top = (self.size.height - height) // 2 if self.top is None else self.top
        return left, top
