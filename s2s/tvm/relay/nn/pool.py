"""Poolings, under TVM's names."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.relay import arithmetic, op
from s2s.tvm.relay.expr import Expr, const
from s2s.tvm.relay.graph_calls import call
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.window import Sizes, layout_of, pads_of, sizes_of, spatial_rank
from s2s.types.shapes.window import CHANNELS_FIRST, Layout

Window = dict[str, Any]
"""The properties of the window of a pooling: kernel, strides, pads, dilations and layout."""
Ints = np.ndarray[tuple[int, ...], np.dtype[np.int64]]


@operator("nn.max_pool1d")
def max_pool1d(
    data: Expr,
    pool_size: Sizes = (1,),
    strides: Sizes = (1,),
    dilation: Sizes = (1,),
    padding: Sizes = (0,),
    layout: str = "NCW",
    out_layout: str = "",
    ceil_mode: bool = False,
) -> Expr:
    """The largest value in a window over one dimension."""
    window = _window("max_pool1d", data, (pool_size, strides, dilation, padding), layout, out_layout, ceil_mode)
    return call(graph.MaxPoolOp, data, **window)


@operator("nn.max_pool2d")
def max_pool2d(
    data: Expr,
    pool_size: Sizes = (1, 1),
    strides: Sizes = (1, 1),
    dilation: Sizes = (1, 1),
    padding: Sizes = (0, 0),
    layout: str = "NCHW",
    out_layout: str = "",
    ceil_mode: bool = False,
) -> Expr:
    """The largest value in a window over two dimensions."""
    window = _window("max_pool2d", data, (pool_size, strides, dilation, padding), layout, out_layout, ceil_mode)
    return call(graph.MaxPoolOp, data, **window)


@operator("nn.max_pool3d")
def max_pool3d(
    data: Expr,
    pool_size: Sizes = (1, 1, 1),
    strides: Sizes = (1, 1, 1),
    dilation: Sizes = (1, 1, 1),
    padding: Sizes = (0, 0, 0),
    layout: str = "NCDHW",
    out_layout: str = "",
    ceil_mode: bool = False,
) -> Expr:
    """The largest value in a window over three dimensions."""
    window = _window("max_pool3d", data, (pool_size, strides, dilation, padding), layout, out_layout, ceil_mode)
    return call(graph.MaxPoolOp, data, **window)


@operator("nn.avg_pool1d")
def avg_pool1d(
    data: Expr,
    pool_size: Sizes = (1,),
    strides: Sizes = (1,),
    dilation: Sizes = (1,),
    padding: Sizes = (0,),
    layout: str = "NCW",
    out_layout: str = "",
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> Expr:
    """The mean in a window over one dimension; with `count_include_pad`, padding counts as zeros."""
    window = _window("avg_pool1d", data, (pool_size, strides, dilation, padding), layout, out_layout, ceil_mode)
    return _averages(data, window, padding, count_include_pad)


@operator("nn.avg_pool2d")
def avg_pool2d(
    data: Expr,
    pool_size: Sizes = (1, 1),
    strides: Sizes = (1, 1),
    dilation: Sizes = (1, 1),
    padding: Sizes = (0, 0),
    layout: str = "NCHW",
    out_layout: str = "",
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> Expr:
    """The mean in a window over two dimensions; with `count_include_pad`, padding counts as zeros."""
    window = _window("avg_pool2d", data, (pool_size, strides, dilation, padding), layout, out_layout, ceil_mode)
    return _averages(data, window, padding, count_include_pad)


@operator("nn.avg_pool3d")
def avg_pool3d(
    data: Expr,
    pool_size: Sizes = (1, 1, 1),
    strides: Sizes = (1, 1, 1),
    dilation: Sizes = (1, 1, 1),
    padding: Sizes = (0, 0, 0),
    layout: str = "NCDHW",
    out_layout: str = "",
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> Expr:
    """The mean in a window over three dimensions; with `count_include_pad`, padding counts as zeros."""
    window = _window("avg_pool3d", data, (pool_size, strides, dilation, padding), layout, out_layout, ceil_mode)
    return _averages(data, window, padding, count_include_pad)


def _averages(data: Expr, window: Window, padding: Sizes, counts_padding: bool) -> Expr:
    counted = pads_of("nn.avg_pool", padding, spatial_rank(data)) if counts_padding else [0] * len(window["pads"])
    if np.dtype(data.dtype).kind in "iu":
        return _integer_averages(data, window, counted)
    return call(graph.AvgPoolOp, data, counted_pads=counted, **window)


def _integer_averages(data: Expr, window: Window, counted: Sequence[int]) -> Expr:
    """The sum of each window divided by its number of elements and rounded towards zero, as TVM divides integers."""
    wide = data if np.dtype(data.dtype).itemsize >= 4 else data.astype("int32")
    is_first = window["layout"] == CHANNELS_FIRST
    channels, sizes = data.shape[1 if is_first else -1], data.shape[2:] if is_first else data.shape[1:-1]
    steps = {name: window[name] for name in ("strides", "pads", "dilations", "layout")}
    ones = op.ones([channels, 1, *window["kernel"]], wide.dtype)
    sums = call(graph.ConvOp, wide, ones, None, groups=channels, **steps)
    counts = np.maximum(_counts(sizes, window, counted), 1).astype(wide.dtype)
    return arithmetic.trunc_divide(sums, const(counts if is_first else counts[..., None])).astype(data.dtype)


def _counts(sizes: Sequence[int], window: Window, counted: Sequence[int]) -> Ints:
    """The number of elements that each window holds, with as much padding as `counted` says."""
    total: Ints = np.ones((), np.int64)
    for axis, size in enumerate(sizes):
        kernel, step, dilation = (int(window[name][axis]) for name in ("kernel", "strides", "dilations"))
        low, high = int(window["pads"][axis]), int(window["pads"][axis + len(sizes)])
        starts = np.arange(0, size + low + high - (kernel - 1) * dilation, step) - low
        places = starts[:, None] + np.arange(kernel) * dilation
        inside = (places >= -counted[axis]) & (places < size + counted[axis + len(sizes)])
        total = total[..., None] * np.count_nonzero(inside, axis=1)
    return total


def _window(
    where: str,
    data: Expr,
    window: tuple[Sizes, Sizes, Sizes, Sizes],
    layout: str,
    out_layout: str,
    ceil_mode: bool,
) -> Window:
    """Return the properties of the window of a pooling."""
    count, kind = spatial_rank(data), layout_of(where, layout)
    if out_layout not in ("", layout):
        raise InputError(f"relay.nn.{where}: out_layout {out_layout} with layout {layout}; leave it out")
    names = ("pool_size", "strides", "dilation")
    kernel, steps, dilations = (
        sizes_of(f"nn.{where}: {name}", sizes, count) for name, sizes in zip(names, window[:3], strict=True)
    )
    pads = pads_of(f"nn.{where}", window[3], count)
    if ceil_mode:
        pads = _ceiled(data, kind, kernel, steps, dilations, pads)
    return {"kernel": kernel, "strides": steps, "pads": pads, "dilations": dilations, "layout": kind}


def _ceiled(
    data: Expr,
    layout: Layout,
    kernel: Sequence[int],
    steps: Sequence[int],
    dilations: Sequence[int],
    pads: Sequence[int],
) -> list[int]:
    """Extend the padding behind each dimension so that the output size is rounded up, as `ceil_mode` asks."""
    sizes = data.shape[2:] if layout == CHANNELS_FIRST else data.shape[1:-1]
    count = len(sizes)
    more = [
        -(size + pads[place] + pads[place + count] - (window - 1) * dilation - 1) % step
        for place, (size, window, step, dilation) in enumerate(zip(sizes, kernel, steps, dilations, strict=True))
    ]
    return [*pads[:count], *(pad + extra for pad, extra in zip(pads[count:], more, strict=True))]
