"""Normalisations."""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, equal, reshape, select, widened
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.tensors import element_dtype
from s2s.frontends.places import iota

_FLOAT = np.dtype(np.float32)
_EPSILON = 1e-9
"""What ONNX adds to a standard deviation, so that constants become 0."""


def _mean(x: Value, axes: list[int]) -> Value:
    return emit(graph.ReduceMeanOp, x, axes=axes, keepdims=True)


def _batch_normalization(node: Node) -> Value | list[Value]:
    x, scale, bias, mean, var = (node.input(position) for position in range(5))
    if node.flag("training_mode", False) or not node.flag("is_test", True):
        return _training_batch_normalization(node, x, scale, bias, mean, var)
    if not node.flag("spatial", True):
        return (x - mean) / emit(graph.SqrtOp, var + node.real("epsilon")) * scale + bias
    wide = np.result_type(*(value.dtype for value in (x, scale, mean) if value.dtype.kind == "f"), x.dtype)
    operands = [cast(value, wide) for value in (x, scale, bias, mean, var)]
    return cast(emit(graph.BatchNormOp, operands[0], *operands[1:], epsilon=node.real("epsilon")), x.dtype)


def _training_batch_normalization(
    node: Node, x: Value, scale: Value, bias: Value, mean: Value, var: Value
) -> list[Value]:
    """By the statistics of the batch; the running ones move towards them."""
    if node.since < 14:
        raise node.unsupported("is in training mode", "export the model for inference")
    axes = [axis for axis in range(x.rank) if axis != 1]
    batch_mean = _mean(x, axes)
    spread = x - batch_mean
    batch_var = _mean(spread * spread, axes)
    per_channel = [x.shape[1], *[1] * (x.rank - 2)]
    y = spread / emit(graph.SqrtOp, batch_var + node.real("epsilon"))
    y = y * reshape(scale, per_channel) + reshape(bias, per_channel)
    old = node.real("momentum")
    return [
        y,
        mean * old + reshape(batch_mean, [x.shape[1]]) * (1 - old),
        var * old + reshape(batch_var, [x.shape[1]]) * (1 - old),
    ]


def _mean_variance_normalization(node: Node) -> Value:
    """`spread / (sqrt(mean(spread ^ 2)) + 1e-9)` where `spread` is `x - mean(x)`.

    ONNX's definition has constants of float32 for all types, and takes the variance as `mean(x ^ 2) - mean(x) ^ 2`, of
    which little is left where the mean is large.
    """
    given = node.input(0)
    x = widened(given)
    axes = node.axes(node.integers("axes"), x.rank) or list(range(x.rank))
    spread = x - _mean(x, axes)
    deviation = emit(graph.SqrtOp, _mean(spread * spread, axes))
    return cast(spread / (deviation + _EPSILON), given.dtype)


def _instance_normalization(node: Node) -> Value:
    x = node.input(0)
    if x.rank < 3:
        raise node.invalid(f"input {list(x.shape)} has no spatial dimension", "give [N, C, …]")
    scale, bias = (_per_channel(node, node.input(position), x) for position in (1, 2))
    return emit(graph.LayerNormOp, x, scale, bias, axis=2, epsilon=node.real("epsilon"))


def _per_channel(node: Node, parameter: Value, x: Value) -> Value:
    """`parameter[C]` shaped to broadcast over `x[N, C, …]`."""
    if parameter.shape != (x.shape[1],):
        raise node.invalid(f"a parameter has shape {list(parameter.shape)}, expected [{x.shape[1]}]", "fix it")
    return reshape(parameter, [x.shape[1], *[1] * (x.rank - 2)])


def _group_normalization(node: Node) -> Value:
    x, groups = node.input(0), node.integer("num_groups")
    batch, channels, *spatial = x.shape
    if groups < 1 or channels % groups:
        raise node.invalid(f"{channels} channels do not divide into {groups} groups", "fix num_groups")
    per_group = 1 if node.since < 21 else channels // groups
    shape = [groups, per_group, *[1] * len(spatial)]
    scale, bias = (node.input(position) for position in (1, 2))
    for parameter in (scale, bias):
        if parameter.shape != (groups * per_group,):
            raise node.invalid(f"a parameter has shape {list(parameter.shape)}, not [{groups * per_group}]", "fix it")
    y = emit(
        graph.LayerNormOp,
        reshape(x, [batch, groups, channels // groups, *spatial]),
        reshape(scale, shape),
        reshape(bias, shape),
        axis=2,
        epsilon=node.real("epsilon"),
    )
    return reshape(y, x.shape)


def _layer_normalization(node: Node) -> list[Value]:
    x, scale, bias = node.input(0), node.input(1), node.optional(2)
    axis = node.axis(node.integer("axis"), x.rank)
    epsilon = node.real("epsilon")
    outputs = [emit(graph.LayerNormOp, x, scale, bias, axis=axis, epsilon=epsilon)]
    if node.outputs() > 1:
        wide = cast(x, _FLOAT) if x.dtype.itemsize < 4 else x
        axes = list(range(axis, x.rank))
        mean = _mean(wide, axes)
        spread = wide - mean
        inverse = emit(graph.RsqrtOp, _mean(spread * spread, axes) + epsilon)
        outputs += [cast(each, element_dtype(node.integer("stash_type", 1), node.place)) for each in (mean, inverse)]
    return outputs


def _rms_normalization(node: Node) -> Value:
    x, scale = node.input(0), node.input(1)
    axis = node.axis(node.integer("axis"), x.rank)
    wide = cast(x, _FLOAT) if x.dtype.itemsize < 4 else x
    square = _mean(wide * wide, list(range(axis, x.rank)))
    return cast(wide / emit(graph.SqrtOp, square + node.real("epsilon")), scale.dtype) * scale


def _lp_normalization(node: Node) -> Value:
    x, order = widened(node.input(0)), node.integer("p")
    axis = node.axis(node.integer("axis"), x.rank)
    if order not in (1, 2):
        raise node.invalid(f"p is {order}", "use 1 or 2")
    powers = abs(x) if order == 1 else x * x
    size = emit(graph.ReduceSumOp, powers, axes=[axis], keepdims=True)
    size = size if order == 1 else emit(graph.SqrtOp, size)
    return cast(x / select(equal(size, 0), size.like(1), size), node.input(0).dtype)


def _lrn(node: Node) -> Value:
    """A window that reaches beyond all channels is cut: the sum is the same."""
    x, size, alpha = node.input(0), node.integer("size"), node.real("alpha")
    widest = 2 * x.shape[1] - 1 if x.rank > 1 else size
    if size > widest > 0:
        size, alpha = widest, alpha * widest / size
    return emit(
        graph.LrnOp,
        x,
        size=size,
        alpha=alpha,
        beta=node.real("beta"),
        bias=node.real("bias"),
    )


def _along_axis(node: Node, function: Callable[[Value, int], Value]) -> Value:
    """`function` along an axis; before opset 13 over all dimensions from the axis on, as one."""
    x = node.input(0)
    if node.since >= 13 or x.rank == 0:
        return function(x, node.axis(node.integer("axis"), x.rank))
    axis = node.axis(node.integer("axis"), x.rank)
    if axis == x.rank - 1:
        return function(x, axis)
    flat = reshape(x, [prod(x.shape[:axis]), prod(x.shape[axis:])])
    return reshape(function(flat, 1), x.shape)


def _axis_norm(operation: Callable[..., Operation]) -> Importer:
    return lambda node: _along_axis(node, lambda x, axis: emit(operation, x, axis=axis))


def _hardmax(node: Node) -> Value:
    def one_hot(x: Value, axis: int) -> Value:
        largest = emit(graph.ArgmaxOp, x, axis=axis, keepdims=True)
        hit = equal(iota(node, x.shape[axis], x.rank, axis, np.dtype(np.int64)), largest)
        return cast(hit, x.dtype)

    return _along_axis(node, one_hot)


IMPORTERS: Mapping[str, Importer] = {
    "BatchNormalization": _batch_normalization,
    "GroupNormalization": _group_normalization,
    "Hardmax": _hardmax,
    "InstanceNormalization": _instance_normalization,
    "LRN": _lrn,
    "LayerNormalization": _layer_normalization,
    "LogSoftmax": _axis_norm(graph.LogSoftmaxOp),
    "LpNormalization": _lp_normalization,
    "MeanVarianceNormalization": _mean_variance_normalization,
    "RMSNormalization": _rms_normalization,
    "Softmax": _axis_norm(graph.SoftmaxOp),
}
