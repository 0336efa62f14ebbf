"""Convolutions, products, normalisations and activations, under TVM's names."""

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import Operation

import s2s.tvm.relay.op as op
from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.relay.expr import Expr, Tuple, Var, axis_of
from s2s.tvm.relay.formula import constant_numbers
from s2s.tvm.relay.graph_calls import call
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.window import Sizes, layout_of, pads_of, sizes_of, spatial_rank
from s2s.types.shapes.window import CHANNELS_FIRST, Layout


def _channels(data: Expr, layout: Layout) -> int:
    return data.shape[1 if layout == CHANNELS_FIRST else -1]


def _give(weight: Expr, shape: Sequence[int], like: Expr) -> None:
    """Tell a weight its type where it has none."""
    if isinstance(weight, Var):
        weight.give(shape, like.dtype)


def _kernel_order(weight: Expr, layout: str, channels: int, groups: int) -> Expr:
    """The weight with outputs first, then the inputs of a group, then the window.

    Depthwise weights as TVM has them, with inputs first and then the outputs of each, are brought into this order.
    """
    spatial = "".join(letter for letter in layout if letter in "DHW")
    wanted = f"OI{spatial}"
    ordered = weight if layout == wanted else op.transpose(weight, [layout.index(letter) for letter in wanted])
    if groups == channels > 1 and ordered.shape[1] > 1:
        return op.reshape(ordered, [ordered.shape[0] * ordered.shape[1], 1, *ordered.shape[2:]])
    return ordered


def _product(operation: type[Operation], a: Expr, b: Expr, out_dtype: str, **properties: object) -> Expr:
    """Sums of products that are accumulated as `out_dtype` or wider, by default as the elements of `a`.

    int8 without `out_dtype` is int8, as in TVM: the sums wrap.
    """
    wanted = np.dtype(out_dtype or a.dtype)
    bias = () if operation is graph.MatmulOp else (None,)
    sums = call(operation, a, b, *bias, **properties)
    if np.dtype(sums.dtype).itemsize < wanted.itemsize:
        sums = call(operation, a.astype(str(wanted)), b.astype(str(wanted)), *bias, **properties)
    return sums.astype(str(wanted))


@operator("nn.conv2d")
def conv2d(
    data: Expr,
    weight: Expr,
    strides: Sizes = (1, 1),
    padding: Sizes = (0, 0),
    dilation: Sizes = (1, 1),
    groups: int = 1,
    channels: int | None = None,
    kernel_size: Sizes | None = None,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_layout: str = "",
    out_dtype: str = "",
) -> Expr:
    """A convolution; over one or three dimensions by their layouts, as `conv1d` and `conv3d` call it."""
    layout, count = layout_of("conv2d", data_layout), spatial_rank(data)
    if out_layout not in ("", data_layout):
        raise InputError(f"relay.nn.conv2d: out_layout {out_layout} with data_layout {data_layout}; leave it out")
    if channels is not None and kernel_size is not None:
        window = [letter for letter in kernel_layout if letter in "DHW"]
        sizes = {"O": channels, "I": _channels(data, layout) // groups}
        sizes |= dict(zip(window, sizes_of("nn.conv2d: kernel_size", kernel_size, count), strict=True))
        _give(weight, [sizes[letter] for letter in kernel_layout], data)
    return _product(
        graph.ConvOp,
        data,
        _kernel_order(weight, kernel_layout, _channels(data, layout), groups),
        out_dtype,
        strides=sizes_of("nn.conv2d: strides", strides, count),
        pads=pads_of("nn.conv2d", padding, count),
        dilations=sizes_of("nn.conv2d: dilation", dilation, count),
        groups=groups,
        layout=layout,
    )


@operator("nn.conv1d")
def conv1d(
    data: Expr,
    weight: Expr,
    strides: Sizes = 1,
    padding: Sizes = 0,
    dilation: Sizes = 1,
    groups: int = 1,
    channels: int | None = None,
    kernel_size: Sizes | None = None,
    data_layout: str = "NCW",
    kernel_layout: str = "OIW",
    out_layout: str = "",
    out_dtype: str = "",
) -> Expr:
    """A convolution over one dimension."""
    layouts = (data_layout, kernel_layout, out_layout, out_dtype)
    return conv2d(data, weight, strides, padding, dilation, groups, channels, kernel_size, *layouts)


@operator("nn.conv3d")
def conv3d(
    data: Expr,
    weight: Expr,
    strides: Sizes = (1, 1, 1),
    padding: Sizes = (0, 0, 0),
    dilation: Sizes = (1, 1, 1),
    groups: int = 1,
    channels: int | None = None,
    kernel_size: Sizes | None = None,
    data_layout: str = "NCDHW",
    kernel_layout: str = "OIDHW",
    out_layout: str = "",
    out_dtype: str = "",
) -> Expr:
    """A convolution over three dimensions."""
    layouts = (data_layout, kernel_layout, out_layout, out_dtype)
    return conv2d(data, weight, strides, padding, dilation, groups, channels, kernel_size, *layouts)


@operator("nn.conv2d_transpose")
def conv2d_transpose(
    data: Expr,
    weight: Expr,
    strides: Sizes = (1, 1),
    padding: Sizes = (0, 0),
    dilation: Sizes = (1, 1),
    groups: int = 1,
    channels: int | None = None,
    kernel_size: Sizes | None = None,
    data_layout: str = "NCHW",
    kernel_layout: str = "IOHW",
    out_layout: str = "",
    output_padding: Sizes = (0, 0),
    out_dtype: str = "",
) -> Expr:
    """The gradient of a convolution; the weight has inputs first, then the outputs of a group, unless
    `kernel_layout` says otherwise."""
    layout, count = layout_of("conv2d_transpose", data_layout), spatial_rank(data)
    if out_layout not in ("", data_layout):
        raise InputError(f"relay.nn.conv2d_transpose: out_layout {out_layout} with {data_layout}; leave it out")
    spatial = "".join(letter for letter in kernel_layout if letter in "DHW")
    if channels is not None and kernel_size is not None:
        sizes = {"I": _channels(data, layout), "O": channels // groups}
        sizes |= dict(zip(spatial, sizes_of("nn.conv2d_transpose: kernel_size", kernel_size, count), strict=True))
        _give(weight, [sizes[letter] for letter in kernel_layout], data)
    wanted = f"IO{spatial}"
    return _product(
        graph.ConvTransposeOp,
        data,
        weight if kernel_layout == wanted else op.transpose(weight, [kernel_layout.index(each) for each in wanted]),
        out_dtype,
        strides=sizes_of("nn.conv2d_transpose: strides", strides, count),
        pads=pads_of("nn.conv2d_transpose", padding, count),
        dilations=sizes_of("nn.conv2d_transpose: dilation", dilation, count),
        groups=groups,
        output_padding=sizes_of("nn.conv2d_transpose: output_padding", output_padding, count),
        layout=layout,
    )


@operator("nn.conv1d_transpose")
def conv1d_transpose(
    data: Expr,
    weight: Expr,
    strides: Sizes = (1,),
    padding: Sizes = (0,),
    dilation: Sizes = (1,),
    groups: int = 1,
    channels: int | None = None,
    kernel_size: Sizes | None = None,
    data_layout: str = "NCW",
    kernel_layout: str = "IOW",
    out_layout: str = "",
    output_padding: Sizes = (0,),
    out_dtype: str = "",
) -> Expr:
    """The gradient of a convolution over one dimension."""
    layouts = (data_layout, kernel_layout, out_layout)
    window = (strides, padding, dilation, groups, channels, kernel_size)
    return conv2d_transpose(data, weight, *window, *layouts, output_padding, out_dtype)


@operator("nn.conv3d_transpose")
def conv3d_transpose(
    data: Expr,
    weight: Expr,
    strides: Sizes = (1, 1, 1),
    padding: Sizes = (0, 0, 0),
    dilation: Sizes = (1, 1, 1),
    groups: int = 1,
    channels: int | None = None,
    kernel_size: Sizes | None = None,
    data_layout: str = "NCDHW",
    kernel_layout: str = "IODHW",
    out_layout: str = "",
    output_padding: Sizes = (0, 0, 0),
    out_dtype: str = "",
) -> Expr:
    """The gradient of a convolution over three dimensions."""
    layouts = (data_layout, kernel_layout, out_layout)
    window = (strides, padding, dilation, groups, channels, kernel_size)
    return conv2d_transpose(data, weight, *window, *layouts, output_padding, out_dtype)


@operator("nn.dense")
def dense(data: Expr, weight: Expr, units: int | None = None, out_dtype: str = "") -> Expr:
    """`x` times the transpose of `weight`, which has a row for each output."""
    if units is not None:
        _give(weight, [units, data.shape[-1]], data)
    return _product(graph.MatmulOp, data, weight, out_dtype, transpose_b=True)


@operator("nn.matmul")
def matmul(
    tensor_a: Expr,
    tensor_b: Expr,
    units: int | None = None,
    out_dtype: str = "",
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Expr:
    """The matrix product; `units` is the number of columns of the result."""
    if units is not None:
        inner = tensor_a.shape[-2 if transpose_a else -1]
        _give(tensor_b, [units, inner] if transpose_b else [inner, units], tensor_a)
    return _product(graph.MatmulOp, tensor_a, tensor_b, out_dtype, transpose_a=transpose_a, transpose_b=transpose_b)


@operator("nn.batch_matmul")
def batch_matmul(
    tensor_a: Expr, tensor_b: Expr, out_dtype: str = "", transpose_a: bool = False, transpose_b: bool = True
) -> Expr:
    """The matrix products of a batch; the second factor is transposed by default, as in TVM."""
    return matmul(tensor_a, tensor_b, None, out_dtype, transpose_a, transpose_b)


@operator("nn.bias_add")
def bias_add(data: Expr, bias: Expr, axis: int = 1) -> Expr:
    """`x` plus a bias for each position along `axis`."""
    axis = axis_of(axis, len(data.shape))
    _give(bias, [data.shape[axis]], data)
    return data + _along(bias, axis, len(data.shape))


def _along(vector: Expr, axis: int, rank: int) -> Expr:
    """A vector shaped so that it broadcasts along `axis`."""
    after = rank - 1 - axis
    return vector if after == 0 else op.reshape(vector, [*vector.shape, *[1] * after])


@operator("nn.relu")
def relu(data: Expr) -> Expr:
    """`max(x, 0)`."""
    return call(graph.ClampOp, data, min=data.number(0).value.item(), max=None)


@operator("nn.leaky_relu")
def leaky_relu(data: Expr, alpha: float = 0.01) -> Expr:
    """`x` where positive, else `alpha * x`."""
    return call(graph.PreluOp, data, data.like(alpha))


@operator("nn.prelu")
def prelu(data: Expr, alpha: Expr, axis: int = 1) -> Expr:
    """`x` where positive, else a factor for each position along `axis` times `x`."""
    axis = axis_of(axis, len(data.shape))
    _give(alpha, [data.shape[axis]], data)
    return call(graph.PreluOp, data, _along(alpha, axis, len(data.shape)))


@operator("nn.softmax")
def softmax(data: Expr, axis: int = -1) -> Expr:
    """Exponentials along `axis`, divided by their sum."""
    return call(graph.SoftmaxOp, data, axis=axis_of(axis, len(data.shape)))


@operator("nn.log_softmax")
def log_softmax(data: Expr, axis: int = -1) -> Expr:
    """The logarithm of softmax."""
    return call(graph.LogSoftmaxOp, data, axis=axis_of(axis, len(data.shape)))


@operator("nn.batch_norm")
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


@operator("nn.layer_norm")
def layer_norm(
    data: Expr,
    gamma: Expr,
    beta: Expr,
    axis: int = -1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Expr:
    """The data normalised over one dimension."""
    place, last = axis_of(axis, len(data.shape)), len(data.shape) - 1
    for each in (gamma, beta):
        _give(each, [data.shape[place]], data)
    order = list(range(last + 1))
    order[place], order[last] = last, place
    moved = data if place == last else op.transpose(data, order)
    factors = (gamma if scale else None, beta if center else None)
    y = call(graph.LayerNormOp, moved, *factors, axis=last, epsilon=epsilon)
    return y if place == last else op.transpose(y, order)


@operator("nn.lrn")
def lrn(
    data: Expr,
    size: int = 5,
    axis: int = 1,
    bias: float = 2,
    alpha: float = 1e-5,
    beta: float = 0.75,
) -> Expr:
    """Local response normalisation over `size` neighbours along `axis`."""
    place = axis_of(axis, len(data.shape))
    if place != 1:
        order = list(range(len(data.shape)))
        order[place], order[1] = 1, place
        return op.transpose(lrn(op.transpose(data, order), size, 1, bias, alpha, beta), order)
    return call(graph.LrnOp, data, size=size, alpha=alpha, beta=beta, bias=float(bias))


@operator("nn.pad")
def pad(
    data: Expr, pad_width: Sequence[Sequence[int]], pad_value: float | Expr = 0, pad_mode: str = "constant"
) -> Expr:
    """Elements before and after each dimension, of one value, or taken from the data (`edge`, `reflect`); negative
    numbers leave elements out."""
    if pad_mode not in ("constant", "edge", "reflect"):
        raise InputError(f"relay.nn.pad: pad_mode {pad_mode!r} is not known; give 'constant', 'edge' or 'reflect'")
    if isinstance(pad_value, Expr):
        pad_value = constant_numbers("nn.pad", pad_value)[0]
    value = data.number(pad_value).value.item() if pad_mode == "constant" else None
    low, high = [before for before, _ in pad_width], [after for _, after in pad_width]
    added = [max(each, 0) for each in low], [max(each, 0) for each in high]
    padded = call(graph.PadOp, data, low=added[0], high=added[1], mode=pad_mode, value=value)
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        left = padded.shape[axis] + min(before, 0) + min(after, 0)
        padded = padded if left == padded.shape[axis] else op.part(padded, axis, max(-before, 0), left)
    return padded


@operator("nn.batch_flatten")
def batch_flatten(data: Expr) -> Expr:
    """Everything but the first dimension as one."""
    return op.reshape(data, [data.shape[0], prod(data.shape[1:])])


@operator("nn.dropout")
def dropout(data: Expr, rate: float = 0.5) -> Expr:
    """`x`: nothing is dropped when a network runs."""
    return op.identity(data)
