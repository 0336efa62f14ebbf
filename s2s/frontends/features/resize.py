"""`resize`: an image in another size."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.features.images import image_shape
from s2s.frontends.features.parameters import Size
from s2s.frontends.features.step import F32, PreStep, Shape, States, U8
from s2s.frontends.formulas import cast, reshape
from s2s.frontends.resample import Taps, coordinates, linear_kernel, nearest_taps, read_taps, weighted_taps
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

MOST = 1 << 24
"""The most weights of a table."""


@frozen(kw_only=True)
class Resize(PreStep):
    """An image of the size that is wanted; pixels are squares whose centres are half a pixel from their edges."""

    name: ClassVar[str] = "resize"
    dtype: ClassVar[np.dtype[np.generic]] = U8
    size: Size
    """The size of the image that is taken: `160x120`."""
    mode: Literal["bilinear", "nearest"] = "bilinear"
    antialias: Literal["no", "yes"] = "no"
    """Whether a smaller image weighs all pixels that it covers, as Pillow does."""

    def check(self) -> None:
        self.require_positive(width=self.size.width, height=self.size.height)
        if self.antialias == "yes" and self.mode == "nearest":
            raise self.invalid("nearest pixels have no weights", "leave antialias out")

    def taken(self, wanted: Shape) -> Shape:
        return (self.size.height, self.size.width, image_shape(self, wanted)[2])

    def apply(self, x: Value, wanted: Shape, states: States) -> Value:
        height, width, channels = image_shape(self, wanted)
        image = reshape(x, [self.size.height, self.size.width, channels])
        image = image if self.mode == "nearest" else cast(image, F32)
        for axis, count in enumerate((height, width)):
            image = read_taps(_Place(self, x.builder), image, axis, self._taps(image.shape[axis], count))
        return image

    def _taps(self, size: int, count: int) -> Taps:
        at = coordinates("half_pixel", size, count / size, count, (0.0, 1.0))
        if self.mode == "nearest":
            return nearest_taps(at, size, "round_prefer_ceil")
        antialias = self.antialias == "yes"
        kernel, reach = linear_kernel(count / size, antialias)
        return weighted_taps(at, size, kernel, reach, antialias)


class _Place:
    """What the formulas of resizing ask of a node."""

    def __init__(self, step: Resize, builder: Builder) -> None:
        self.step, self.builder = step, builder

    def invalid(self, fact: str, way_out: str) -> InputError:
        return self.step.invalid(fact, way_out)

    def unsupported(self, fact: str, way_out: str) -> UnsupportedError:
        return UnsupportedError(f"--pre {self.step}: {fact}; {way_out}")

    def require_small(self, count: int, what: str) -> None:
        if count > MOST:
            raise self.unsupported(f"{what} has {count} elements", f"resize to a smaller image, of at most {MOST}")

    def constant(self, values: object, dtype: np.dtype[np.generic] | type[np.generic] | None = None) -> Value:
        return self.builder.constant(np.asarray(values, dtype))

    def table(self, values: Array, shape: Sequence[int]) -> Value:
        return self.builder.table(values, shape)
