"""`resize`: an image in another size."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import numpy as np

from s2s.dialects import graph
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.features.images import image_shape
from s2s.frontends.features.parameters import Size
from s2s.frontends.features.step import F32, I32, U8, PreStep, Shape, States, as_array
from s2s.frontends.formulas import cast, clamp, reshape, take
from s2s.frontends.networks import Values, scan
from s2s.frontends.resample import Taps, coordinates, linear_kernel, nearest_taps, read_taps, weighted_taps
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

MAX_WEIGHTS = 1 << 24
"""The most weights of a table."""


@frozen(kw_only=True)
class Resize(PreStep):
    """An image of the size that is wanted; pixels are squares whose centres are half a pixel from their edges.

    Bytes stay bytes: they are rounded to nearest, ties up. One row of the result is computed after the other, and the
    steps before this one on the rows that it reads only, so that no larger image exists than the input.
    """

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
        return self.by_rows_of(reshape(x, self.taken(wanted)), wanted, lambda row: row)

    def by_rows_of(self, x: Value, wanted: Shape, earlier: Callable[[Value], Value]) -> Value:
        """Resize the image that `earlier` makes of `x`, rows of which it takes one by one."""
        height, width, channels = image_shape(self, wanted)
        taps = self._taps(self.size.height, height)
        places = x.builder.constant(taps.index.astype(np.int32))
        weights = x.builder.constant(as_array(taps.weight))

        def row(_: Builder, __: Values, slices: Values, kept: Values) -> tuple[Values, Values]:
            lines = [_line(kept[0], slices[0], number, earlier) for number in range(taps.index.shape[1])]
            line = lines[0] if self.mode == "nearest" else _blended(lines, slices[1])
            resized = read_taps(_Place(self, line.builder), line, 1, self._taps(self.size.width, width))
            return [], [_rounded(resized) if lines[0].dtype == U8 and resized.is_float else resized]

        _, (lines,) = scan(x.builder, self.name, row, carried=[], scanned=[places, weights], kept=[x], steps=height)
        return reshape(lines, [height, width, channels])

    def _taps(self, size: int, count: int) -> Taps:
        at = coordinates("half_pixel", size, count / size, count, (0.0, 1.0))
        if self.mode == "nearest":
            return nearest_taps(at, size, "round_prefer_ceil")
        antialias = self.antialias == "yes"
        kernel, reach = linear_kernel(count / size, antialias)
        return weighted_taps(at, size, kernel, reach, antialias)


def _line(image: Value, places: Value, number: int, earlier: Callable[[Value], Value]) -> Value:
    """Return a row that a row of the result reads."""
    return earlier(emit(graph.GatherOp, image, take(places, 0, number, 1), axis=0))


def _blended(lines: Values, weights: Value) -> Value:
    """Return the sum of rows by their weights."""
    first, *others = (
        cast(line, F32) * reshape(take(weights, 0, number, 1), [1, 1, 1]) for number, line in enumerate(lines)
    )
    total = first
    for other in others:
        total = total + other
    return total


def _rounded(x: Value) -> Value:
    return cast(cast(emit(graph.FloorOp, clamp(x, 0, 255) + 0.5), I32), U8)


class _Place:
    """What the formulas of resizing ask of a node."""

    def __init__(self, step: Resize, builder: Builder) -> None:
        self.step, self.builder = step, builder

    def invalid(self, fact: str, way_out: str) -> InputError:
        return self.step.invalid(fact, way_out)

    def unsupported(self, fact: str, way_out: str) -> UnsupportedError:
        return UnsupportedError(f"--pre {self.step}: {fact}; {way_out}")

    def require_small(self, count: int, what: str) -> None:
        if count > MAX_WEIGHTS:
            raise self.unsupported(
                f"{what} has {count} elements", f"resize to a smaller image, of at most {MAX_WEIGHTS}"
            )

    def constant(self, values: object, dtype: np.dtype[np.generic] | type[np.generic] | None = None) -> Value:
        return self.builder.constant(np.asarray(values, dtype))

    def table(self, values: Array, shape: Sequence[int]) -> Value:
        return self.builder.table(values, shape)
