"""Operators of neural networks that other operators make, under TVM's names."""

from collections.abc import Sequence
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.relay import image, op, reduce
from s2s.tvm.relay.expr import Expr, Var, axis_of, const
from s2s.tvm.relay.formula import onnx
from s2s.tvm.relay.graph_calls import call
from s2s.tvm.relay.nn.layers import pad, softmax
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.window import layout_of
from s2s.types.shapes.window import CHANNELS_FIRST


@operator("nn.fast_softmax")
def fast_softmax(data: Expr, axis: int = -1) -> Expr:
    """Softmax; the exponentials are exact here."""
    return softmax(data, axis)


@operator("nn.instance_norm")
def instance_norm(
    data: Expr,
    gamma: Expr,
    beta: Expr,
    axis: int = 1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Expr:
    """The data of each channel and each entry of the batch normalised over its positions."""
    place, rank = axis_of(axis, len(data.shape)), len(data.shape)
    over = [each for each in range(1, rank) if each != place]
    return _normalised(data, gamma if scale else None, beta if center else None, place, over, epsilon)


@operator("nn.group_norm")
def group_norm(
    data: Expr,
    gamma: Expr,
    beta: Expr,
    num_groups: int,
    axis: int = 1,
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
) -> Expr:
    """The data of each group of channels normalised over its channels and positions."""
    place, rank = axis_of(axis, len(data.shape)), len(data.shape)
    for each in (gamma, beta):
        if isinstance(each, Var):
            each.give([data.shape[place]], data.dtype)
    size = data.shape[place]
    grouped = op.reshape(data, [*data.shape[:place], num_groups, size // num_groups, *data.shape[place + 1 :]])
    over = [each for each in range(1, rank + 1) if each != place]
    y = op.reshape(_normalised(grouped, None, None, place, over, epsilon), list(data.shape))
    return _scaled(y, gamma if scale else None, beta if center else None, place)


def _normalised(
    data: Expr, gamma: Expr | None, beta: Expr | None, axis: int, over: Sequence[int], epsilon: float
) -> Expr:
    for each in (gamma, beta):
        if isinstance(each, Var):
            each.give([data.shape[axis]], data.dtype)
    apart = data - reduce.mean(data, over, keepdims=True)
    squares = reduce.mean(apart * apart, over, keepdims=True)
    return _scaled(apart * op.rsqrt(squares + epsilon), gamma, beta, axis)


def _scaled(data: Expr, gamma: Expr | None, beta: Expr | None, axis: int) -> Expr:
    shape = [size if place == axis else 1 for place, size in enumerate(data.shape)]
    y = data if gamma is None else data * op.reshape(gamma, shape)
    return y if beta is None else y + op.reshape(beta, shape)


@operator("nn.l2_normalize")
def l2_normalize(data: Expr, eps: float, axis: Sequence[int] | int | None = None) -> Expr:
    """`x / sqrt(max(sum(x * x), eps))` over `axis`, by default over all."""
    squares = reduce.sum(data * data, axis, keepdims=True)
    return data / op.sqrt(op.maximum(squares, eps))


@operator("nn.mirror_pad")
def mirror_pad(data: Expr, pad_width: Sequence[Sequence[int]], mode: str = "SYMMETRIC") -> Expr:
    """Elements before and after each dimension, mirrored with the edge (`SYMMETRIC`) or without (`REFLECT`)."""
    if mode == "REFLECT":
        return pad(data, pad_width, pad_mode="reflect")
    if mode != "SYMMETRIC":
        raise InputError(f"relay.nn.mirror_pad: mode {mode!r} is not known; give 'SYMMETRIC' or 'REFLECT'")
    for axis, (before, after) in enumerate(pad_width):
        if before or after:
            places = np.pad(np.arange(data.shape[axis]), (before, after), mode="symmetric")
            data = call(graph.GatherOp, data, const(places.astype(np.int64)), axis=axis)
    return data


@operator("nn.dilate")
def dilate(data: Expr, strides: Sequence[int], dilation_value: float = 0.0) -> Expr:
    """The elements with `stride - 1` values between each two."""
    if len(strides) != len(data.shape) or min(strides, default=1) < 1:
        raise InputError(
            f"relay.nn.dilate: strides {list(strides)} for {list(data.shape)}; give a positive one for each"
        )
    sizes = [(size - 1) * step + 1 for size, step in zip(data.shape, strides, strict=True)]
    places = np.arange(prod(sizes)).reshape(sizes)[tuple(slice(None, None, step) for step in strides)].reshape(-1)
    target = op.full(dilation_value, [prod(sizes)], data.dtype)
    flat = call(graph.ScatterElementsOp, target, const(places.astype(np.int64)), op.reshape(data, [-1]), axis=0)
    return op.reshape(flat, sizes)


@operator("nn.depth_to_space")
def depth_to_space(data: Expr, block_size: int, layout: str = "NCHW", mode: str = "DCR") -> Expr:
    """Channels moved to blocks of positions."""
    if mode not in ("DCR", "CDR"):
        raise InputError(f"relay.nn.depth_to_space: mode {mode!r} is not known; give 'DCR' or 'CDR'")
    moved = _channels_first("depth_to_space", data, layout)
    n, channels, height, width = moved.shape
    depth = channels // block_size**2
    blocks = (block_size, block_size, depth) if mode == "DCR" else (depth, block_size, block_size)
    apart = op.reshape(moved, [n, *blocks, height, width])
    order = [0, 3, 4, 1, 5, 2] if mode == "DCR" else [0, 1, 4, 2, 5, 3]
    y = op.reshape(op.transpose(apart, order), [n, depth, height * block_size, width * block_size])
    return _channels_back("depth_to_space", y, layout)


@operator("nn.space_to_depth")
def space_to_depth(data: Expr, block_size: int, layout: str = "NCHW") -> Expr:
    """Blocks of positions moved to channels."""
    moved = _channels_first("space_to_depth", data, layout)
    n, channels, height, width = moved.shape
    apart = op.reshape(moved, [n, channels, height // block_size, block_size, width // block_size, block_size])
    y = op.transpose(apart, [0, 3, 5, 1, 2, 4])
    y = op.reshape(y, [n, channels * block_size**2, height // block_size, width // block_size])
    return _channels_back("space_to_depth", y, layout)


def _channels_first(where: str, data: Expr, layout: str) -> Expr:
    return data if layout_of(where, layout) == CHANNELS_FIRST else op.transpose(data, [0, 3, 1, 2])


def _channels_back(where: str, data: Expr, layout: str) -> Expr:
    return data if layout_of(where, layout) == CHANNELS_FIRST else op.transpose(data, [0, 2, 3, 1])


@operator("nn.space_to_batch_nd")
def space_to_batch_nd(
    data: Expr, block_shape: Sequence[int], paddings: Sequence[Sequence[int]], pad_value: float = 0
) -> Expr:
    """Blocks of the dimensions behind the first one moved to the batch, after padding."""
    count = len(block_shape)
    rest = [(0, 0)] * (len(data.shape) - 1 - count)
    padded = pad(data, [(0, 0), *(tuple(each) for each in paddings), *rest], pad_value)
    shape = [padded.shape[0]]
    for size, block in zip(padded.shape[1:], block_shape, strict=False):
        shape += [size // block, block]
    shape += padded.shape[1 + count :]
    order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), *range(2 * count + 1, len(shape))]
    moved = op.transpose(op.reshape(padded, shape), order)
    return op.reshape(moved, [prod(block_shape) * shape[0], *shape[1 : 2 * count : 2], *shape[2 * count + 1 :]])


@operator("nn.batch_to_space_nd")
def batch_to_space_nd(data: Expr, block_shape: Sequence[int], crops: Sequence[Sequence[int]]) -> Expr:
    """Entries of the batch moved to blocks of the dimensions behind it, then cropped."""
    count, batch = len(block_shape), data.shape[0] // prod(block_shape)
    apart = op.reshape(data, [*block_shape, batch, *data.shape[1:]])
    order = [count]
    for at in range(count):
        order += [count + 1 + at, at]
    order += range(2 * count + 1, len(apart.shape))
    sizes = [size * block for size, block in zip(data.shape[1:], block_shape, strict=False)]
    y = op.reshape(op.transpose(apart, order), [batch, *sizes, *data.shape[1 + count :]])
    for at, (before, after) in enumerate(crops):
        y = op.part(y, 1 + at, before, y.shape[1 + at] - before - after)
    return y


@operator("nn.upsampling")
def upsampling(
    data: Expr,
    scale_h: float = 1,
    scale_w: float = 1,
    layout: str = "NCHW",
    method: str = "nearest_neighbor",
    align_corners: bool = False,
) -> Expr:
    """The image enlarged by factors."""
    first = 2 if layout_of("upsampling", layout) == CHANNELS_FIRST else 1
    height, width = data.shape[first : first + 2]
    sizes = [_round_half_up(height * scale_h), _round_half_up(width * scale_w)]
    names = {"bilinear": "linear", "bicubic": "cubic", "nearest_neighbor": "nearest_neighbor"}
    if method not in names:
        raise InputError(f"relay.nn.upsampling: method {method!r} is not known; give {', '.join(names)}")
    mode = "align_corners" if align_corners else "asymmetric"
    return image.resize2d(data, sizes, None, layout, names[method], mode, "floor" if mode == "asymmetric" else "")


@operator("nn.upsampling3d")
def upsampling3d(
    data: Expr,
    scale_d: float = 1,
    scale_h: float = 1,
    scale_w: float = 1,
    layout: str = "NCDHW",
    method: str = "nearest_neighbor",
    coordinate_transformation_mode: str = "half_pixel",
) -> Expr:
    """The volume enlarged by factors."""
    first = 2 if layout_of("upsampling3d", layout) == CHANNELS_FIRST else 1
    sizes = [
        _round_half_up(size * scale)
        for size, scale in zip(data.shape[first : first + 3], (scale_d, scale_h, scale_w), strict=True)
    ]
    names = {"trilinear": "linear", "nearest_neighbor": "nearest_neighbor"}
    if method not in names:
        raise InputError(f"relay.nn.upsampling3d: method {method!r} is not known; give {', '.join(names)}")
    return image.resize3d(data, sizes, None, layout, names[method], coordinate_transformation_mode)


def _round_half_up(value: float) -> int:
    return int(np.floor(value + 0.5))


@operator("nn.cross_entropy")
def cross_entropy(predictions: Expr, targets: Expr) -> Expr:
    """The mean over rows of `-sum(log(predictions) * targets)`."""
    return -reduce.sum(op.log(predictions) * targets) / float(predictions.shape[0])


@operator("nn.cross_entropy_with_logits")
def cross_entropy_with_logits(predictions: Expr, targets: Expr) -> Expr:
    """The mean over rows of `-sum(predictions * targets)`."""
    return -reduce.sum(predictions * targets) / float(predictions.shape[0])


@operator("nn.nll_loss")
def nll_loss(
    predictions: Expr, targets: Expr, weights: Expr, reduction: str = "mean", ignore_index: int = -100
) -> Expr:
    """The negative log likelihood of `targets`, weighted by class."""
    return onnx(
        "NegativeLogLikelihoodLoss",
        predictions,
        targets.astype("int64"),
        weights,
        reduction=reduction,
        ignore_index=ignore_index,
    )
