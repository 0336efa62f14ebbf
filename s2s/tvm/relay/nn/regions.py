"""Poolings over all positions, and over regions that divide the data into parts, under TVM's names."""

from collections.abc import Callable

import numpy as np

from s2s.errors import InputError
from s2s.tvm.relay import op, reduce
from s2s.tvm.relay.expr import Expr
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.window import Sizes, layout_of, sizes_of, spatial_rank
from s2s.types.shapes.window import CHANNELS_FIRST


@operator("nn.global_max_pool1d")
def global_max_pool1d(data: Expr, layout: str = "NCW", out_layout: str = "") -> Expr:
    """The largest value of each channel."""
    return reduce.max(data, _spatial_axes("global_max_pool1d", data, layout, out_layout), keepdims=True)


@operator("nn.global_max_pool2d")
def global_max_pool2d(data: Expr, layout: str = "NCHW", out_layout: str = "") -> Expr:
    """The largest value of each channel."""
    return reduce.max(data, _spatial_axes("global_max_pool2d", data, layout, out_layout), keepdims=True)


@operator("nn.global_max_pool3d")
def global_max_pool3d(data: Expr, layout: str = "NCDHW", out_layout: str = "") -> Expr:
    """The largest value of each channel."""
    return reduce.max(data, _spatial_axes("global_max_pool3d", data, layout, out_layout), keepdims=True)


@operator("nn.global_avg_pool1d")
def global_avg_pool1d(data: Expr, layout: str = "NCW", out_layout: str = "") -> Expr:
    """The mean of each channel."""
    return reduce.mean(data, _spatial_axes("global_avg_pool1d", data, layout, out_layout), keepdims=True)


@operator("nn.global_avg_pool2d")
def global_avg_pool2d(data: Expr, layout: str = "NCHW", out_layout: str = "") -> Expr:
    """The mean of each channel."""
    return reduce.mean(data, _spatial_axes("global_avg_pool2d", data, layout, out_layout), keepdims=True)


@operator("nn.global_avg_pool3d")
def global_avg_pool3d(data: Expr, layout: str = "NCDHW", out_layout: str = "") -> Expr:
    """The mean of each channel."""
    return reduce.mean(data, _spatial_axes("global_avg_pool3d", data, layout, out_layout), keepdims=True)


@operator("nn.adaptive_max_pool1d")
def adaptive_max_pool1d(
    data: Expr, output_size: Sizes | None = None, layout: str = "NCW", out_layout: str = ""
) -> Expr:
    """The largest values of regions that divide the data into `output_size` parts."""
    return _adaptive("adaptive_max_pool1d", data, output_size, layout, out_layout, reduce.max)


@operator("nn.adaptive_max_pool2d")
def adaptive_max_pool2d(
    data: Expr, output_size: Sizes | None = None, layout: str = "NCHW", out_layout: str = ""
) -> Expr:
    """The largest values of regions that divide the data into `output_size` parts."""
    return _adaptive("adaptive_max_pool2d", data, output_size, layout, out_layout, reduce.max)


@operator("nn.adaptive_max_pool3d")
def adaptive_max_pool3d(
    data: Expr, output_size: Sizes | None = None, layout: str = "NCDHW", out_layout: str = ""
) -> Expr:
    """The largest values of regions that divide the data into `output_size` parts."""
    return _adaptive("adaptive_max_pool3d", data, output_size, layout, out_layout, reduce.max)


@operator("nn.adaptive_avg_pool1d")
def adaptive_avg_pool1d(
    data: Expr, output_size: Sizes | None = None, layout: str = "NCW", out_layout: str = ""
) -> Expr:
    """The means of regions that divide the data into `output_size` parts."""
    return _adaptive("adaptive_avg_pool1d", data, output_size, layout, out_layout, reduce.mean)


@operator("nn.adaptive_avg_pool2d")
def adaptive_avg_pool2d(
    data: Expr, output_size: Sizes | None = None, layout: str = "NCHW", out_layout: str = ""
) -> Expr:
    """The means of regions that divide the data into `output_size` parts."""
    return _adaptive("adaptive_avg_pool2d", data, output_size, layout, out_layout, reduce.mean)


@operator("nn.adaptive_avg_pool3d")
def adaptive_avg_pool3d(
    data: Expr, output_size: Sizes | None = None, layout: str = "NCDHW", out_layout: str = ""
) -> Expr:
    """The means of regions that divide the data into `output_size` parts."""
    return _adaptive("adaptive_avg_pool3d", data, output_size, layout, out_layout, reduce.mean)


def _spatial_axes(where: str, data: Expr, layout: str, out_layout: str) -> list[int]:
    if out_layout not in ("", layout):
        raise InputError(f"relay.nn.{where}: out_layout {out_layout} with layout {layout}; leave it out")
    first = 2 if layout_of(where, layout) == CHANNELS_FIRST else 1
    return list(range(first, first + spatial_rank(data)))


def _adaptive(
    where: str, data: Expr, output_size: Sizes | None, layout: str, out_layout: str, reduction: Callable[..., Expr]
) -> Expr:
    """Reduce the region of each output, one dimension after the other: from `floor(i * n / m)` to
    `ceil((i + 1) * n / m)`."""
    axes = _spatial_axes(where, data, layout, out_layout)
    all_sizes = [data.shape[axis] for axis in axes]
    wanted = (
        all_sizes
        if output_size is None or output_size == ()
        else sizes_of(f"nn.{where}: output_size", output_size, len(axes))
    )
    if min(wanted) < 1:
        raise InputError(f"relay.nn.{where}: output_size {wanted} has no regions; give positive sizes")
    equal = all(data.shape[axis] % size == 0 for axis, size in zip(axes, wanted, strict=True))
    is_mean = reduction is reduce.mean
    if is_mean and not equal:
        return _unequal_means(data, axes, wanted)
    for axis, size in zip(axes, wanted, strict=True):
        bounds = _bounds(data.shape[axis], size)
        parts = [reduction(op.part(data, axis, low, high - low), axis, keepdims=True) for low, high in bounds]
        data = op.concatenate(parts, axis) if len(parts) > 1 else parts[0]
    return data


def _unequal_means(data: Expr, axes: list[int], wanted: list[int]) -> Expr:
    """Means of regions of different sizes: sums along each dimension, divided by its size."""
    for axis, size in zip(axes, wanted, strict=True):
        parts = [
            reduce.sum(op.part(data, axis, low, high - low), axis, keepdims=True) * (1 / (high - low))
            for low, high in _bounds(data.shape[axis], size)
        ]
        data = op.concatenate(parts, axis) if len(parts) > 1 else parts[0]
    return data


def _bounds(size: int, parts: int) -> list[tuple[int, int]]:
    ends = [-(-(at + 1) * size // parts) for at in range(parts)]
    return [(int(np.floor(at * size / parts)), end) for at, end in enumerate(ends)]
