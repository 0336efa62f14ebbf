"""Operators on images, under TVM's names."""

from collections.abc import Sequence

import numpy as np

from s2s.errors import InputError
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Expr, const
from s2s.tvm.relay.formula import constant_ints, constant_numbers, onnx
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.resize import Resizing, resized
from s2s.tvm.relay.window import layout_of, sizes_of, spatial_rank
from s2s.types.shapes.window import CHANNELS_FIRST


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
    places = op.transpose(grid, [0, *range(2, rank), 1])
    mode = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}.get(method, method)
    return onnx("GridSample", data, places, mode=mode, padding_mode=padding_mode, align_corners=int(align_corners))


@operator("image.affine_grid")
def affine_grid(data: Expr, target_shape: Sequence[int] | Expr) -> Expr:
    """The grid of shape (n, 2, h, w) of affine maps of shape (n, 2, 3)."""
    height, width = constant_ints("image.affine_grid", target_shape)
    size = const(np.array([data.shape[0], 1, height, width], np.int64))
    return op.transpose(onnx("AffineGrid", data, size, align_corners=1), [0, 3, 1, 2])
