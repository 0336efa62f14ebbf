"""Boxes and regions of images, under TVM's names."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.tvm.refusals import refusing
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Expr, const
from s2s.tvm.relay.formula import onnx
from s2s.tvm.relay.nn.pool import max_pool2d
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.window import layout_of, sizes_of
from s2s.types.shapes.window import CHANNELS_FIRST


@operator("vision.multibox_prior")
def multibox_prior(
    data: Expr,
    sizes: Sequence[float] = (1.0,),
    ratios: Sequence[float] = (1.0,),
    steps: Sequence[float] = (-1.0, -1.0),
    offsets: Sequence[float] = (0.5, 0.5),
    clip: bool = False,
) -> Expr:
    """Boxes `[1, rows * columns * boxes, 4]` around each position of `data` in NCHW, which are constants: left, top,
    right and bottom, from 0 to 1.

    There is a box for each of `sizes` and each of `ratios` but the first. Steps that are not positive divide the
    image evenly.
    """
    rows, columns = data.shape[2:]
    down, across = (step if step > 0 else 1 / count for step, count in zip(steps, (rows, columns), strict=True))
    centers = np.stack(
        np.broadcast_arrays(
            ((np.arange(columns) + offsets[1]) * across)[None, :], ((np.arange(rows) + offsets[0]) * down)[:, None]
        ),
        -1,
    )
    roots = [1.0, *(math.sqrt(ratio) for ratio in ratios[1:])]
    kinds = [*((size, 1.0) for size in sizes), *((sizes[0], root) for root in roots[1:])]
    halves = np.array([(size * rows / columns * root / 2, size / root / 2) for size, root in kinds])
    corners = [centers[:, :, None] - halves, centers[:, :, None] + halves]
    boxes = np.concatenate(corners, -1).reshape(1, -1, 4)
    return const((np.clip(boxes, 0, 1) if clip else boxes).astype(data.dtype))


@operator("vision.roi_align")
def roi_align(
    data: Expr,
    rois: Expr,
    pooled_size: int | Sequence[int],
    spatial_scale: float,
    sample_ratio: int = -1,
    layout: str = "NCHW",
    mode: str = "avg",
) -> Expr:
    """The mean, or the largest, of interpolated samples in the bins of regions `[regions, 5]`: the image, left, top,
    right and bottom.

    Each bin has `sample_ratio` samples along each axis, or as many as it has pixels if this is not positive.
    """
    is_first = layout_of("roi_align", layout) == CHANNELS_FIRST
    rows, columns = sizes_of("vision.roi_align: pooled_size", pooled_size, 2)
    if mode not in ("avg", "max"):
        raise InputError(f"relay.vision.roi_align: mode {mode!r} is not known; give 'avg' or 'max'")
    if mode == "max" and sample_ratio < 1:
        raise UnsupportedError(
            "relay.vision.roi_align: the largest of as many samples as a bin has pixels; give sample_ratio"
        )
    samples = sample_ratio if mode == "max" else 1
    pooled = onnx(
        "RoiAlign",
        data if is_first else op.transpose(data, [0, 3, 1, 2]),
        op.strided_slice(rois, [1], [5], axes=[1]),
        op.squeeze(op.strided_slice(rois, [0], [1], axes=[1]), [1]).astype("int64"),
        mode="avg",
        output_height=rows * samples,
        output_width=columns * samples,
        sampling_ratio=1 if mode == "max" else max(sample_ratio, 0),
        spatial_scale=spatial_scale,
        coordinate_transformation_mode="output_half_pixel",
    )
    pooled = max_pool2d(pooled, samples, samples) if samples > 1 else pooled
    return pooled if is_first else op.transpose(pooled, [0, 2, 3, 1])


@operator("vision.yolo_reorg")
def yolo_reorg(data: Expr, stride: int) -> Expr:
    """`data[n, c, h, w]` as `[n, c * stride^2, h / stride, w / stride]`, in the order of Darknet: each image, read as
    `c / stride^2` planes of `h * stride` rows, is cut into blocks of `stride` rows and columns, whose positions become
    channels."""
    batch, channels, rows, columns = data.shape
    block = stride * stride
    planes = op.reshape(data, [batch, channels // block, rows, stride, columns, stride])
    moved = op.transpose(planes, [0, 3, 5, 1, 2, 4])
    return op.reshape(moved, [batch, channels * block, rows // stride, columns // stride])


@operator("vision.roi_pool")
def roi_pool(
    data: Expr, rois: Expr, pooled_size: int | Sequence[int], spatial_scale: float, layout: str = "NCHW"
) -> Expr:
    """The largest element in each of the bins of regions `[regions, 5]`: the image, left, top, right and bottom."""
    is_first = layout_of("roi_pool", layout) == CHANNELS_FIRST
    sizes = sizes_of("vision.roi_pool: pooled_size", pooled_size, 2)
    image = data if is_first else op.transpose(data, [0, 3, 1, 2])
    pooled = onnx("MaxRoiPool", image, rois, pooled_shape=sizes, spatial_scale=spatial_scale)
    return pooled if is_first else op.transpose(pooled, [0, 2, 3, 1])


__all__ = ["multibox_prior", "roi_align", "roi_pool", "yolo_reorg"]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("relay.vision")
