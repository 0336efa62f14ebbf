"""Regions of images in another size, under TVM's name."""

from collections.abc import Sequence

import numpy as np

from s2s.errors import InputError
from s2s.tvm.relay import op
from s2s.tvm.relay.arithmetic import round
from s2s.tvm.relay.expr import Expr, const
from s2s.tvm.relay.formula import constant_ints
from s2s.tvm.relay.indexing import take
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.window import layout_of, sizes_of
from s2s.types.shapes.window import CHANNELS_FIRST


@operator("image.crop_and_resize")
def crop_and_resize(
    data: Expr,
    boxes: Expr,
    box_indices: Expr,
    crop_size: Sequence[int] | Expr,
    layout: str,
    method: str = "bilinear",
    extrapolation_value: float = 0,
    out_dtype: str | None = None,
) -> Expr:
    """The parts of images in `boxes`, `[boxes, 4]` of top, left, bottom and right from 0 to 1, each as an image of
    `crop_size`; `box_indices` are the images, and `extrapolation_value` is what lies outside of them."""
    is_first = layout_of("image.crop_and_resize", layout) == CHANNELS_FIRST
    rows, columns = sizes_of("image.crop_and_resize: crop_size", constant_ints("image.crop_and_resize", crop_size), 2)
    if method not in ("bilinear", "nearest_neighbor") or min(rows, columns) < 2:
        raise InputError(
            f"relay.image.crop_and_resize: {method} to {rows} x {columns}; give bilinear or nearest_neighbor, and "
            "sizes of 2 at least, as the corners of a box become the corners of a result"
        )
    image = op.transpose(data, [0, 2, 3, 1]) if is_first else data
    down = _places(boxes, 0, image.shape[1], rows)
    across = _places(boxes, 1, image.shape[2], columns)
    value = _Crop(image, box_indices).sampled(down, across, is_nearest=method == "nearest_neighbor")
    inside = op.logical_and(
        op.expand_dims(_is_inside(down, image.shape[1]), 2), op.expand_dims(_is_inside(across, image.shape[2]), 1)
    )
    result = op.where(op.expand_dims(inside, 3), value, value.like(float(extrapolation_value)))
    result = op.transpose(result, [0, 3, 1, 2]) if is_first else result
    return result.astype(out_dtype or data.dtype)


def _places(boxes: Expr, axis: int, size: int, count: int) -> Expr:
    """The places `[boxes, count]` of samples along an axis of `size` pixels."""
    first, last = (op.strided_slice(boxes, [at], [at + 1], axes=[1]) for at in (axis, axis + 2))
    step = (last - first) * float(size - 1) * (1 / (count - 1))
    return first * float(size - 1) + step * const(np.arange(count, dtype=boxes.dtype)[None])


def _is_inside(places: Expr, size: int) -> Expr:
    return op.logical_and(
        op.greater_equal(places, places.like(0.0)), op.less_equal(places, places.like(float(size - 1)))
    )


class _Crop:
    """Pixels of the image of each box."""

    def __init__(self, image: Expr, numbers: Expr) -> None:
        _, self.height, self.width, channels = image.shape
        self.rows = op.reshape(image, [-1, channels])
        first = numbers.astype("int32") * const(self.height * self.width, "int32")
        self.first = op.reshape(first, [*numbers.shape, 1, 1])

    def sampled(self, down: Expr, across: Expr, *, is_nearest: bool) -> Expr:
        """The pixels nearest to places, or between the four pixels around them."""
        down = op.clip(down, 0, self.height - 1)
        across = op.clip(across, 0, self.width - 1)
        if is_nearest:
            return self._at(round(down), round(across))
        above, left = op.floor(down), op.floor(across)
        below, right = op.ceil(down), op.ceil(across)
        share = op.expand_dims(op.expand_dims(across - left, 1), 3)
        top = self._between(self._at(above, left), self._at(above, right), share)
        bottom = self._between(self._at(below, left), self._at(below, right), share)
        return self._between(top, bottom, op.expand_dims(op.expand_dims(down - above, 2), 3))

    @staticmethod
    def _between(a: Expr, b: Expr, share: Expr) -> Expr:
        return a + (b - a) * share

    def _at(self, row: Expr, column: Expr) -> Expr:
        """The pixels `[boxes, rows, columns, channels]` of whole places."""
        rows = op.expand_dims(row.astype("int32"), 2) * const(self.width, "int32")
        return take(self.rows, self.first + rows + op.expand_dims(column.astype("int32"), 1), 0)
