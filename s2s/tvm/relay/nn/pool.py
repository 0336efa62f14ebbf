"""Poolings, under TVM's names."""

from collections.abc import Sequence

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.relay.expr import Expr, call
from s2s.tvm.relay.window import Sizes, layout_of, pads_of, sizes_of, spatial_rank
from s2s.types.shapes.window import CHANNELS_FIRST, Layout


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


def _averages(data: Expr, window: dict[str, object], padding: Sizes, counts_padding: bool) -> Expr:
    pads = pads_of(padding, spatial_rank(data))
    return call(graph.AvgPoolOp, data, counted_pads=pads if counts_padding else [0] * len(pads), **window)


def _window(
    where: str,
    data: Expr,
    window: tuple[Sizes, Sizes, Sizes, Sizes],
    layout: str,
    out_layout: str,
    ceil_mode: bool,
) -> dict[str, object]:
    """Return the properties of the window of a pooling."""
    count, kind = spatial_rank(data), layout_of(where, layout)
    if out_layout not in ("", layout):
        raise InputError(f"relay.nn.{where}: out_layout {out_layout} with layout {layout}; leave it out")
    kernel, steps, dilations = (sizes_of(each, count) for each in window[:3])
    pads = pads_of(window[3], count)
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
