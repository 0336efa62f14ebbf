"""Operators on images, under TVM's names."""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.frontends.builder import Builder, Value
from s2s.frontends.formulas import cast
from s2s.frontends.sampling import grid_sample as sample_grid
from s2s.frontends.sampling import of_one_type
from s2s.tvm.relay import op
from s2s.tvm.relay.crop import crop_and_resize as crop_and_resize
from s2s.tvm.relay.expr import Expr, const
from s2s.tvm.relay.formula import Formula, constant_ints, constant_numbers, onnx
from s2s.tvm.relay.graph_calls import call
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.resize import Resizing, resized
from s2s.tvm.relay.window import layout_of, pads_of, sizes_of, spatial_rank
from s2s.types.shapes.window import CHANNELS_FIRST

__all__ = ["affine_grid", "crop_and_resize", "dilation2d", "grid_sample", "resize1d", "resize2d", "resize3d"]


@operator("image.resize1d")
def resize1d(
    data: Expr,
    size: int | Sequence[int] | Expr,
    roi: Sequence[float] | Expr | None = None,
    layout: str = "NCW",
    method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel",
    rounding_method: str = "",
    cubic_alpha: float = -0.5,
    cubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: str | None = None,
) -> Expr:
    """The signal with `size` samples."""
    mode, alpha, excludes = coordinate_transformation_mode, cubic_alpha, bool(cubic_exclude)
    resizing = Resizing("resize1d", method, mode, rounding_method, alpha, excludes, extrapolation_value)
    return _resized("resize1d", data, size, roi, layout, resizing, out_dtype)


@operator("image.resize2d")
def resize2d(
    data: Expr,
    size: int | Sequence[int] | Expr,
    roi: Sequence[float] | Expr | None = None,
    layout: str = "NCHW",
    method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel",
    rounding_method: str = "",
    cubic_alpha: float = -0.5,
    cubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: str | None = None,
) -> Expr:
    """The image with `size` rows and columns."""
    mode, alpha, excludes = coordinate_transformation_mode, cubic_alpha, bool(cubic_exclude)
    resizing = Resizing("resize2d", method, mode, rounding_method, alpha, excludes, extrapolation_value)
    return _resized("resize2d", data, size, roi, layout, resizing, out_dtype)


@operator("image.resize3d")
def resize3d(
    data: Expr,
    size: int | Sequence[int] | Expr,
    roi: Sequence[float] | Expr | None = None,
    layout: str = "NCDHW",
    method: str = "linear",
    coordinate_transformation_mode: str = "half_pixel",
    rounding_method: str = "",
    cubic_alpha: float = -0.5,
    cubic_exclude: int = 0,
    extrapolation_value: float = 0.0,
    out_dtype: str | None = None,
) -> Expr:
    """The volume with `size` samples along each dimension."""
    mode, alpha, excludes = coordinate_transformation_mode, cubic_alpha, bool(cubic_exclude)
    resizing = Resizing("resize3d", method, mode, rounding_method, alpha, excludes, extrapolation_value)
    return _resized("resize3d", data, size, roi, layout, resizing, out_dtype)


def _resized(
    where: str,
    data: Expr,
    size: int | Sequence[int] | Expr,
    roi: Sequence[float] | Expr | None,
    layout: str,
    resizing: Resizing,
    out_dtype: str | None,
) -> Expr:
    count = spatial_rank(data)
    sizes = sizes_of(f"image.{where}: size", constant_ints(f"image.{where}", size), count)
    region = constant_numbers(f"image.{where}", roi) if isinstance(roi, Expr) else list(roi or [0.0] * 2 * count)
    if len(region) != 2 * count or min(sizes) < 1:
        raise InputError(
            f"relay.image.{where}: size {sizes}, roi {region} fit no image; "
            f"give {count} positive sizes and {2 * count} ends"
        )
    first = 2 if layout_of(where, layout) == CHANNELS_FIRST else 1
    return resized(data, range(first, first + count), sizes, region, resizing, out_dtype or data.dtype)


@operator("image.grid_sample")
def grid_sample(
    data: Expr,
    grid: Expr,
    method: str = "bilinear",
    layout: str = "NCHW",
    padding_mode: str = "zeros",
    align_corners: bool = True,
) -> Expr:
    """The image at the places of a grid of shape (n, 2, h, w), from -1 to 1."""
    if layout not in ("NCHW", "NCDHW"):
        raise InputError(f"relay.image.grid_sample: layout {layout} is not supported; transpose the data")
    rank = len(data.shape)
    if method not in ("bilinear", "nearest", "bicubic") or padding_mode not in ("zeros", "border", "reflection"):
        raise InputError(
            f"relay.image.grid_sample: there is no method {method} with padding_mode {padding_mode}; give bilinear, "
            "nearest or bicubic, and zeros, border or reflection"
        )
    if rank != len(layout) or tuple(grid.shape[:2]) != (data.shape[0], rank - 2) or len(grid.shape) != rank:
        raise InputError(
            f"relay.image.grid_sample: the grid {list(grid.shape)} does not fit the data {list(data.shape)} in "
            f"{layout}; give a grid of shape (n, {len(layout) - 2}, …)"
        )

    def write(_: Builder, values: Sequence[Value]) -> list[Value]:
        image, places = of_one_type(*values)
        return [cast(sample_grid(image, places, method, padding_mode, align_corners), values[0].dtype)]

    places = op.transpose(grid, [0, *range(2, rank), 1])
    return Formula("image.grid_sample", write, [data, places]).results[0]


@operator("image.affine_grid")
def affine_grid(data: Expr, target_shape: Sequence[int] | Expr) -> Expr:
    """The grid of shape (n, 2, h, w) of affine maps of shape (n, 2, 3)."""
    height, width = constant_ints("image.affine_grid", target_shape)
    size = const(np.array([data.shape[0], 1, height, width], np.int64))
    return op.transpose(onnx("AffineGrid", data, size, align_corners=1), [0, 3, 1, 2])


@operator("image.dilation2d")
def dilation2d(
    data: Expr,
    weight: Expr,
    strides: Sequence[int] | int = (1, 1),
    padding: Sequence[int] | int = (0, 0),
    dilations: Sequence[int] | int = (1, 1),
    data_layout: str = "NCHW",
    kernel_layout: str = "IHW",
    out_dtype: str = "",
) -> Expr:
    """The largest of `data + weight` in each window; padding never is."""
    is_first = layout_of("image.dilation2d", data_layout) == CHANNELS_FIRST
    x = data if is_first else op.transpose(data, [0, 3, 1, 2])
    kernel = op.transpose(weight, [kernel_layout.index(letter) for letter in "IHW"])
    steps, apart = (sizes_of("image.dilation2d", each, 2) for each in (strides, dilations))
    top, left, bottom, right = pads_of("image.dilation2d", padding, 2)
    padded = call(
        graph.PadOp, x, low=[0, 0, top, left], high=[0, 0, bottom, right], mode="constant", value=_lowest(data.dtype)
    )
    parts: list[Expr] = []
    for row, column in np.ndindex(*kernel.shape[1:]):
        begin = [row * apart[0], column * apart[1]]
        last = [
            size - (window - 1) * each + start
            for size, window, each, start in zip(padded.shape[2:], kernel.shape[1:], apart, begin, strict=True)
        ]
        part = op.strided_slice(padded, begin, last, steps, axes=[2, 3])
        place = op.strided_slice(kernel, [row, column], [row + 1, column + 1], axes=[1, 2])
        parts.append(part + place)
    if not parts:
        raise InputError(f"relay.image.dilation2d: the window of {list(weight.shape)} is empty; give a size")
    y = reduce(op.maximum, parts)
    y = y if is_first else op.transpose(y, [0, 2, 3, 1])
    return y if out_dtype in ("", y.dtype) else op.cast(y, out_dtype)


def _lowest(dtype: str) -> float:
    number = np.dtype(dtype)
    return float(np.finfo(number).min) if number.kind == "f" else int(np.iinfo(number).min)
