"""Operators on images, under TVM's names."""

from collections.abc import Sequence

import numpy as np

from s2s.errors import InputError
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Expr, const
from s2s.tvm.relay.formula import constant_ints, onnx
from s2s.tvm.relay.window import layout_of, spatial_rank
from s2s.types.shapes.window import CHANNELS_FIRST

METHODS = {"nearest_neighbor": "nearest", "linear": "linear", "cubic": "cubic"}
"""ONNX's names of the methods."""
ROUNDINGS = {
    "round": "round_prefer_ceil",
    "round_prefer_floor": "round_prefer_floor",
    "round_prefer_ceil": "round_prefer_ceil",
    "floor": "floor",
    "ceil": "ceil",
}
"""ONNX's names of the roundings."""
MODES = (
    "half_pixel",
    "align_corners",
    "asymmetric",
    "pytorch_half_pixel",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)
"""How positions of the result are mapped to the data."""


def resize1d(
    data: Expr,
    size: int | Sequence[int] | Expr,
    roi: Sequence[float] | None = None,
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
    numbers = (cubic_alpha, cubic_exclude, extrapolation_value)
    mode = coordinate_transformation_mode
    return _resized("resize1d", data, size, roi, layout, method, mode, rounding_method, numbers, out_dtype)


def resize2d(
    data: Expr,
    size: int | Sequence[int] | Expr,
    roi: Sequence[float] | None = None,
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
    numbers = (cubic_alpha, cubic_exclude, extrapolation_value)
    mode = coordinate_transformation_mode
    return _resized("resize2d", data, size, roi, layout, method, mode, rounding_method, numbers, out_dtype)


def resize3d(
    data: Expr,
    size: int | Sequence[int] | Expr,
    roi: Sequence[float] | None = None,
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
    numbers = (cubic_alpha, cubic_exclude, extrapolation_value)
    mode = coordinate_transformation_mode
    return _resized("resize3d", data, size, roi, layout, method, mode, rounding_method, numbers, out_dtype)


def _resized(
    where: str,
    data: Expr,
    size: int | Sequence[int] | Expr,
    roi: Sequence[float] | None,
    layout: str,
    method: str,
    mode: str,
    rounding: str,
    numbers: tuple[float, int, float],
    out_dtype: str | None,
) -> Expr:
    if method not in METHODS or mode not in MODES:
        raise InputError(
            f"relay.image.{where}: {method}, {mode} is not known; give one of {', '.join((*METHODS, *MODES))}"
        )
    count = spatial_rank(data)
    sizes = constant_ints(f"image.{where}", size)
    sizes = sizes * count if len(sizes) == 1 else sizes
    is_first = layout_of(where, layout) == CHANNELS_FIRST
    order = list(range(len(data.shape))) if is_first else [0, len(data.shape) - 1, *range(1, len(data.shape) - 1)]
    moved = data if is_first else op.transpose(data, order)
    rounded = rounding or ("round" if mode == "align_corners" else "floor")
    if method == "nearest_neighbor" and rounded not in ROUNDINGS:
        raise InputError(f"relay.image.{where}: rounding_method {rounding!r} is not known; give {', '.join(ROUNDINGS)}")
    region = None if not roi or mode != "tf_crop_and_resize" else const(_region(roi, count), "float32")
    y = onnx(
        "Resize",
        moved,
        region,
        None,
        const(np.array([*moved.shape[:2], *sizes], np.int64)),
        mode=METHODS[method],
        coordinate_transformation_mode=mode,
        nearest_mode=ROUNDINGS.get(rounded, "floor"),
        cubic_coeff_a=numbers[0],
        exclude_outside=numbers[1],
        extrapolation_value=numbers[2],
    )
    y = y if is_first else op.transpose(y, [order.index(place) for place in range(len(order))])
    return y if out_dtype in (None, "", y.dtype) else y.astype(out_dtype or "")


def _region(roi: Sequence[float], count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """The region in ONNX's order: starts of all dimensions, then ends."""
    starts, ends = list(roi[:count]), list(roi[count:])
    return np.array([0, 0, *starts, 1, 1, *ends], np.float32)


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


def affine_grid(data: Expr, target_shape: Sequence[int] | Expr) -> Expr:
    """The grid of shape (n, 2, h, w) of affine maps of shape (n, 2, 3)."""
    height, width = constant_ints("image.affine_grid", target_shape)
    size = const(np.array([data.shape[0], 1, height, width], np.int64))
    return op.transpose(onnx("AffineGrid", data, size, align_corners=1), [0, 3, 1, 2])
