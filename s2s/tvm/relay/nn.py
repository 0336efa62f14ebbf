"""The operators of neural networks, under TVM's names.

A weight may be a variable without a type where the operator tells it: `conv2d` by `channels` and `kernel_size`, `dense`
by `units`, `bias_add` and `batch_norm` by the data.
"""

from collections.abc import Sequence
from functools import partial
from math import prod

import s2s.tvm.relay.op as op
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.relay.expr import Expr, Tuple, Var, axis_of, call
from s2s.types.shapes.window import CHANNELS_FIRST, CHANNELS_LAST, Layout

Sizes = int | Sequence[int]
LAYOUTS: dict[str, Layout] = {
    "NCW": CHANNELS_FIRST,
    "NCHW": CHANNELS_FIRST,
    "NCDHW": CHANNELS_FIRST,
    "NWC": CHANNELS_LAST,
    "NHWC": CHANNELS_LAST,
    "NDHWC": CHANNELS_LAST,
}


def _layout(where: str, layout: str) -> Layout:
    if layout not in LAYOUTS:
        raise InputError(f"relay.nn.{where}: layout {layout} is not known; give {', '.join(LAYOUTS)}")
    return LAYOUTS[layout]


def _sizes(value: Sizes, count: int) -> list[int]:
    return [value] * count if isinstance(value, int) else list(value)


def _pads(value: Sizes, count: int) -> list[int]:
    """Padding before each dimension, then after each."""
    pads = _sizes(value, count)
    return [*pads, *pads] if len(pads) == count else pads


def _spatial(data: Expr) -> int:
    return len(data.shape) - 2


def _channels(data: Expr, layout: Layout) -> int:
    return data.shape[1 if layout == CHANNELS_FIRST else -1]


def _give(weight: Expr, shape: Sequence[int], like: Expr) -> None:
    """Tell a weight its type where it has none."""
    if isinstance(weight, Var):
        weight.give(shape, like.dtype)


def _kernel_order(weight: Expr, layout: str) -> Expr:
    """The weight with outputs first, then inputs, then the window."""
    spatial = "".join(letter for letter in layout if letter in "DHW")
    wanted = f"OI{spatial}"
    return weight if layout == wanted else op.transpose(weight, [layout.index(letter) for letter in wanted])


def conv2d(
    data: Expr,
    weight: Expr,
    strides: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    channels: int | None = None,
    kernel_size: Sizes | None = None,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_layout: str = "",
    out_dtype: str = "",
) -> Expr:
    """A convolution; over one or three dimensions by their layouts, as `conv1d` and `conv3d` call it."""
    layout, count = _layout("conv2d", data_layout), _spatial(data)
    if out_layout not in ("", data_layout):
        raise InputError(f"relay.nn.conv2d: out_layout {out_layout} with data_layout {data_layout}; leave it out")
    if channels is not None and kernel_size is not None:
        window = [letter for letter in kernel_layout if letter in "DHW"]
        sizes = {"O": channels, "I": _channels(data, layout) // groups}
        sizes |= dict(zip(window, _sizes(kernel_size, count), strict=True))
        _give(weight, [sizes[letter] for letter in kernel_layout], data)
    made = call(
        graph.ConvOp,
        data,
        _kernel_order(weight, kernel_layout),
        None,
        strides=_sizes(strides, count),
        pads=_pads(padding, count),
        dilations=_sizes(dilation, count),
        groups=groups,
        layout=layout,
    )
    return made if out_dtype in ("", made.dtype) else made.astype(out_dtype)


conv1d = partial(conv2d, data_layout="NCW", kernel_layout="OIW")
conv3d = partial(conv2d, data_layout="NCDHW", kernel_layout="OIDHW")


def conv2d_transpose(
    data: Expr,
    weight: Expr,
    strides: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    channels: int | None = None,
    kernel_size: Sizes | None = None,
    groups: int = 1,
    output_padding: Sizes = 0,
) -> Expr:
    """The gradient of a convolution; the weight has inputs first, then outputs of a group."""
    count = _spatial(data)
    if channels is not None and kernel_size is not None:
        _give(weight, [data.shape[1], channels // groups, *_sizes(kernel_size, count)], data)
    return call(
        graph.ConvTransposeOp,
        data,
        weight,
        None,
        strides=_sizes(strides, count),
        pads=_pads(padding, count),
        dilations=_sizes(dilation, count),
        groups=groups,
        output_padding=_sizes(output_padding, count),
    )


def dense(data: Expr, weight: Expr, units: int | None = None, out_dtype: str = "") -> Expr:
    """`x` times the transpose of `weight`, which has a row for each output."""
    if units is not None:
        _give(weight, [units, data.shape[-1]], data)
    made = call(graph.MatmulOp, data, weight, transpose_b=True)
    return made if out_dtype in ("", made.dtype) else made.astype(out_dtype)


def matmul(a: Expr, b: Expr, transpose_a: bool = False, transpose_b: bool = False) -> Expr:
    """The matrix product."""
    return call(graph.MatmulOp, a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def batch_matmul(tensor_a: Expr, tensor_b: Expr, transpose_a: bool = False, transpose_b: bool = True) -> Expr:
    """The matrix products of a batch; the second factor is transposed by default, as in TVM."""
    return matmul(tensor_a, tensor_b, transpose_a, transpose_b)


def bias_add(data: Expr, bias: Expr, axis: int = 1) -> Expr:
    """`x` plus a bias for each position along `axis`."""
    axis = axis_of(axis, len(data.shape))
    _give(bias, [data.shape[axis]], data)
    return data + _along(bias, axis, len(data.shape))


def _along(vector: Expr, axis: int, rank: int) -> Expr:
    """A vector shaped so that it broadcasts along `axis`."""
    after = rank - 1 - axis
    return vector if after == 0 else op.reshape(vector, [*vector.shape, *[1] * after])


def relu(data: Expr) -> Expr:
    """`max(x, 0)`."""
    return call(graph.ClampOp, data, min=data.number(0).value.item(), max=None)


def leaky_relu(data: Expr, alpha: float = 0.01) -> Expr:
    """`x` where positive, else `alpha * x`."""
    return call(graph.PreluOp, data, data.like(alpha))


def prelu(data: Expr, alpha: Expr, axis: int = 1) -> Expr:
    """`x` where positive, else a factor for each position along `axis` times `x`."""
    axis = axis_of(axis, len(data.shape))
    _give(alpha, [data.shape[axis]], data)
    return call(graph.PreluOp, data, _along(alpha, axis, len(data.shape)))


def softmax(data: Expr, axis: int = -1) -> Expr:
    """Exponentials along `axis`, divided by their sum."""
    return call(graph.SoftmaxOp, data, axis=axis_of(axis, len(data.shape)))


def log_softmax(data: Expr, axis: int = -1) -> Expr:
    """The logarithm of softmax."""
    return call(graph.LogSoftmaxOp, data, axis=axis_of(axis, len(data.shape)))


def batch_norm(
    data: Expr,
    gamma: Expr,
    beta: Expr,
    moving_mean: Expr,
    moving_var: Expr,
    axis: int = 1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Tuple:
    """The data normalised by moments of training, as the first of a tuple of it, `moving_mean` and `moving_var`."""
    rank = len(data.shape)
    axis = axis_of(axis, rank)
    for each in (gamma, beta, moving_mean, moving_var):
        _give(each, [data.shape[axis]], data)
    factor = gamma if scale else op.ones_like(gamma)
    offset = beta if center else op.zeros_like(beta)
    order = [place for place in range(rank) if place != axis]
    order.insert(1, axis)
    moved = data if axis == 1 else op.transpose(data, order)
    y = call(graph.BatchNormOp, moved, factor, offset, moving_mean, moving_var, epsilon=epsilon)
    if axis != 1:
        y = op.transpose(y, [order.index(place) for place in range(rank)])
    return Tuple([y, moving_mean, moving_var])


def layer_norm(
    data: Expr,
    gamma: Expr,
    beta: Expr,
    axis: int = -1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Expr:
    """The data normalised over its last dimension."""
    if axis_of(axis, len(data.shape)) != len(data.shape) - 1:
        raise InputError(f"relay.nn.layer_norm: axis {axis} is not the last one; transpose the data before and after")
    for each in (gamma, beta):
        _give(each, [data.shape[-1]], data)
    last = len(data.shape) - 1
    return call(graph.LayerNormOp, data, gamma if scale else None, beta if center else None, axis=last, epsilon=epsilon)


def lrn(data: Expr, size: int = 5, axis: int = 1, bias: float = 2, alpha: float = 1e-5, beta: float = 0.75) -> Expr:
    """Local response normalisation over `size` channels."""
    if axis != 1:
        raise InputError(f"relay.nn.lrn: axis {axis} is not 1; transpose the data before and after")
    return call(graph.LrnOp, data, size=size, alpha=alpha, beta=beta, bias=float(bias))


def max_pool2d(
    data: Expr,
    pool_size: Sizes = 1,
    strides: Sizes = 1,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    layout: str = "NCHW",
    out_layout: str = "",
    ceil_mode: bool = False,
) -> Expr:
    """The largest value in a sliding window."""
    window = _pool_window("max_pool2d", data, pool_size, strides, dilation, padding, layout, out_layout, ceil_mode)
    return call(graph.MaxPoolOp, data, **window)


def avg_pool2d(
    data: Expr,
    pool_size: Sizes = 1,
    strides: Sizes = 1,
    dilation: Sizes = 1,
    padding: Sizes = 0,
    layout: str = "NCHW",
    out_layout: str = "",
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> Expr:
    """The mean in a sliding window; with `count_include_pad`, padding counts as zeros."""
    window = _pool_window("avg_pool2d", data, pool_size, strides, dilation, padding, layout, out_layout, ceil_mode)
    given = _pads(padding, _spatial(data))
    return call(graph.AvgPoolOp, data, counted_pads=given if count_include_pad else [0] * len(given), **window)


def _pool_window(
    where: str,
    data: Expr,
    pool_size: Sizes,
    strides: Sizes,
    dilation: Sizes,
    padding: Sizes,
    layout: str,
    out_layout: str,
    ceil_mode: bool,
) -> dict[str, object]:
    """Return the properties of the window of a pooling."""
    count, kind = _spatial(data), _layout(where, layout)
    if out_layout not in ("", layout):
        raise InputError(f"relay.nn.{where}: out_layout {out_layout} with layout {layout}; leave it out")
    kernel, steps, dilations = _sizes(pool_size, count), _sizes(strides, count), _sizes(dilation, count)
    pads = _pads(padding, count)
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


def global_avg_pool2d(data: Expr, layout: str = "NCHW") -> Expr:
    """The mean of each channel."""
    return op.mean(data, _spatial_axes(data, layout), keepdims=True)


def global_max_pool2d(data: Expr, layout: str = "NCHW") -> Expr:
    """The largest value of each channel."""
    return op.max(data, _spatial_axes(data, layout), keepdims=True)


def _spatial_axes(data: Expr, layout: str) -> list[int]:
    first = 2 if _layout("pool", layout) == CHANNELS_FIRST else 1
    return list(range(first, first + _spatial(data)))


def pad(data: Expr, pad_width: Sequence[tuple[int, int]], pad_value: float = 0, pad_mode: str = "constant") -> Expr:
    """Elements before and after each dimension."""
    value = data.number(pad_value).value.item() if pad_mode == "constant" else None
    low, high = [before for before, _ in pad_width], [after for _, after in pad_width]
    return call(graph.PadOp, data, low=low, high=high, mode=pad_mode, value=value)


def batch_flatten(data: Expr) -> Expr:
    """Everything but the first dimension as one."""
    return op.reshape(data, [data.shape[0], prod(data.shape[1:])])


def dropout(data: Expr, rate: float = 0.5) -> Expr:
    """`x`: nothing is dropped when a network runs."""
    return data
