"""Normalisations."""

from collections.abc import Callable, Mapping
from math import prod

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, maximum, reshape
from s2s.frontends.torch.dtypes import FLOAT32
from s2s.frontends.torch.node import Importer, Node
from s2s.types.size import Size


def _mean(x: Value, axes: list[int], keepdims: bool = True) -> Value:
    return emit(graph.ReduceMeanOp, x, axes=axes, keepdims=keepdims)


def _statistics(x: Value, axes: list[int], epsilon: float, keepdims: bool = True) -> list[Value]:
    """The mean along `axes`, and the reciprocal of the standard deviation."""
    wide = cast(x, FLOAT32) if x.dtype.itemsize < 4 else x
    mean = _mean(wide, axes)
    spread = wide - mean
    rstd = emit(graph.RsqrtOp, _mean(spread * spread, axes) + epsilon)
    if keepdims:
        return [mean, rstd]
    shape = [size for axis, size in enumerate(x.shape) if axis not in axes]
    return [reshape(mean, shape), reshape(rstd, shape)]


def _layer_norm(node: Node) -> list[Value | None]:
    x, shape, epsilon = node.value("input"), node.integers("normalized_shape"), node.real("eps")
    axis = x.rank - len(shape)
    y = emit(graph.LayerNormOp, x, node.optional("weight"), node.optional("bias"), axis=axis, epsilon=epsilon)
    if not (node.is_used(1) or node.is_used(2)):
        return [y, None, None]
    return [y, *_statistics(x, list(range(axis, x.rank)), epsilon)]


def _whole_layer_norm(node: Node) -> Value:
    x = node.value("input")
    axis = x.rank - len(node.integers("normalized_shape"))
    weight, bias = node.optional("weight"), node.optional("bias")
    return emit(graph.LayerNormOp, x, weight, bias, axis=axis, epsilon=node.real("eps"))


def _rms_norm(node: Node) -> Value:
    """`x / sqrt(mean(x * x) + eps) * weight`; without eps the least positive step of the type."""
    x = node.value("input")
    axes = list(range(x.rank - len(node.integers("normalized_shape")), x.rank))
    wide = cast(x, FLOAT32) if x.dtype.itemsize < 4 else x
    epsilon = node.real("eps") if node.has("eps") else 1.1920928955078125e-07
    y = cast(wide / emit(graph.SqrtOp, _mean(wide * wide, axes) + epsilon), x.dtype)
    weight = node.optional("weight")
    return y if weight is None else y * weight


def _group_norm(node: Node) -> list[Value | None]:
    """Channels in groups: a layer norm of each, with parameters for each channel."""
    x, groups, epsilon = node.value("input"), node.integer("group"), node.real("eps")
    batch, channels, *spatial = x.shape
    grouped = reshape(x, [batch, groups, channels // groups, *spatial])
    per_channel = [groups, channels // groups, *[1] * len(spatial)]
    weight, bias = (
        None if parameter is None else reshape(parameter, per_channel)
        for parameter in (node.optional("weight"), node.optional("bias"))
    )
    y = reshape(emit(graph.LayerNormOp, grouped, weight, bias, axis=2, epsilon=epsilon), x.shape)
    if not (node.is_used(1) or node.is_used(2)):
        return [y, None, None]
    return [y, *_statistics(grouped, list(range(2, grouped.rank)), epsilon, keepdims=False)]


def _constant_or(node: Node, name: str, number: float, x: Value) -> Value:
    """A parameter for each channel, one number where it is left out."""
    given = node.optional(name)
    if given is not None:
        return given
    return node.builder.filled(number, [x.shape[1]], FLOAT32 if x.dtype.itemsize < 4 else x.dtype)


def _batch_norm(node: Node) -> list[Value | None]:
    """By the running statistics."""
    x = node.value("input")
    scale, bias = _constant_or(node, "weight", 1, x), _constant_or(node, "bias", 0, x)
    mean, variance = node.value("running_mean"), node.value("running_var")
    dtype = mean.dtype
    y = emit(
        graph.BatchNormOp,
        cast(x, dtype),
        cast(scale, dtype),
        cast(bias, dtype),
        mean,
        variance,
        epsilon=node.real("eps"),
    )
    return [cast(y, x.dtype), None, None]


def _training_batch_norm(node: Node) -> list[Value | None]:
    """By the statistics of the batch; running ones, if there are any, move towards them."""
    x, epsilon = node.value("input"), node.real("eps")
    if "training" in node.arguments and not node.flag("training"):
        return _batch_norm(node)
    axes = [axis for axis in range(x.rank) if axis != 1]
    per_channel = [x.shape[1], *[1] * (x.rank - 2)]
    mean, rstd = _statistics(x, axes, epsilon)
    scale, bias = (reshape(_constant_or(node, name, n, x), per_channel) for name, n in (("weight", 1), ("bias", 0)))
    y = (x - mean) * rstd * scale + bias
    found: list[Value | None] = [y, reshape(mean, [x.shape[1]]), reshape(rstd, [x.shape[1]])]
    if "functional" not in node.operator:
        return found
    count, step = prod(x.shape) // x.shape[1], node.real("momentum")
    variance = _mean((x - mean) * (x - mean), axes) * _bessel(node, count, x)
    for name, batch in (("running_mean", mean), ("running_var", variance)):
        found.append(node.value(name) * (1 - step) + reshape(batch, [x.shape[1]]) * step)
    return found


def _bessel(node: Node, count: int, x: Value) -> Value | float:
    """What makes the mean of squares of `count` elements an estimate of the variance."""
    if not isinstance(count, Size):
        return count / max(count - 1, 1)
    whole = node.builder.sizes(count, x.dtype)
    return whole / maximum(whole - 1, 1)


def _along(operation: Callable[..., Operation]) -> Importer:
    def importer(node: Node) -> Value:
        x = cast(node.value("self"), node.result_dtype())
        if x.rank == 0:
            return reshape(emit(operation, reshape(x, [1]), axis=0), [])
        return emit(operation, x, axis=node.axis("dim", x.rank))

    return importer


IMPORTERS: Mapping[str, Importer] = {
    "_log_softmax": _along(graph.LogSoftmaxOp),
    "_native_batch_norm_legit": _training_batch_norm,
    "_native_batch_norm_legit_functional": _training_batch_norm,
    "_native_batch_norm_legit_no_training": _batch_norm,
    "_softmax": _along(graph.SoftmaxOp),
    "layer_norm": _whole_layer_norm,
    "log_softmax": _along(graph.LogSoftmaxOp),
    "native_group_norm": _group_norm,
    "native_layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "softmax": _along(graph.SoftmaxOp),
}
