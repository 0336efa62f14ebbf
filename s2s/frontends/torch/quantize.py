"""Quantisation, in plain arithmetic: `graph-lift-quantized` recognises the integer networks in it."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Scalar, Value, emit
from s2s.frontends.formulas import broadcast_to, cast, clamp, greater, maximum, minimum, reshape, select, unsqueeze
from s2s.frontends.packed_weights import quantised_weights
from s2s.frontends.torch.dtypes import FLOAT32, INT64, Number
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.operands import typed


def _is_zero(value: Value) -> bool:
    return value.array is not None and not value.array.any()


def quantized(x: Value, scale: Value, zero_point: Value | None, bounds: tuple[int, int], dtype: Number) -> Value:
    """`clamp(round(x / scale) + zero_point)`; the parameters broadcast to `x`."""
    y = emit(graph.RoundOp, x / scale)
    if zero_point is not None and not _is_zero(zero_point):
        y = y + cast(zero_point, y.dtype)
    return cast(clamp(y, *bounds), dtype)


def _quantized(node: Node, x: Value, scale: Value, zero_point: Value) -> Value:
    bounds = node.integer("quant_min"), node.integer("quant_max")
    return quantized(x, scale, zero_point, bounds, node.result_dtype())


def dequantized(x: Value, scale: Value, zero_point: Value | None, dtype: Number) -> Value:
    """`(x - zero_point) * scale`; the parameters broadcast to `x`. Constants keep their integers: they are weights."""
    y = cast(x.builder.keep(x), scale.dtype)
    if zero_point is not None and not _is_zero(zero_point):
        y = y - cast(zero_point, scale.dtype)
    return cast(y * scale, dtype)


def _scalar(node: Node, operand: Value | Scalar, dtype: Number) -> Value:
    value = typed(node, operand, dtype)
    return reshape(value, [])


def _per_tensor(node: Node) -> tuple[Value, Value]:
    return _scalar(node, node.operand("scale"), FLOAT32), _scalar(node, node.operand("zero_point"), INT64)


def _per_axis(node: Node, x: Value) -> tuple[Value, Value | None]:
    axis = node.axis("axis", x.rank)
    shape = [size if dim == axis else 1 for dim, size in enumerate(x.shape)]
    zero_points = node.optional("zero_points")
    scales = reshape(cast(node.value("scales"), FLOAT32), shape)
    return scales, None if zero_points is None else reshape(cast(zero_points, INT64), shape)


def _quantize_per_tensor(node: Node) -> Value:
    return _quantized(node, cast(node.value("input"), FLOAT32), *_per_tensor(node))


def _dequantize_per_tensor(node: Node) -> Value:
    return dequantized(node.value("input"), *_per_tensor(node), node.result_dtype())


def _quantize_per_channel(node: Node) -> Value:
    x = cast(node.value("input"), FLOAT32)
    scale, zero_point = _per_axis(node, x)
    return _quantized(node, x, scale, zero_point if zero_point is not None else node.constant(0, INT64))


def _dequantize_per_channel(node: Node) -> Value:
    x = node.value("input")
    return dequantized(x, *_per_axis(node, x), node.result_dtype())


def _group_parameter(value: Value, size: int, shape: tuple[int, ...]) -> Value:
    """A parameter for each group of `size` elements of the last dimension, one for each element."""
    spread = broadcast_to(unsqueeze(value, [value.rank]), [*value.shape, size])
    return reshape(spread, shape)


def _by_groups(node: Node, x: Value) -> tuple[Value, Value]:
    size = node.integer("group_size")
    scales, zeros = cast(node.value("scales"), FLOAT32), cast(node.value("zero_points"), FLOAT32)
    return _group_parameter(scales, size, x.shape), _group_parameter(zeros, size, x.shape)


def _quantize_by_groups(node: Node) -> Value:
    x = cast(node.value("input"), FLOAT32)
    return _quantized(node, x, *_by_groups(node, x))


def _dequantize_by_groups(node: Node) -> Value:
    x = node.value("w_int8" if "w_int8" in node.arguments else "input")
    scales, zeros = _by_groups(node, x)
    y = dequantized(x, scales, zeros, node.result_dtype())
    y.quantised = quantised_weights(x, scales, zeros, by_groups=True)
    return y


def _quantize_per_token(node: Node) -> Value:
    x = cast(node.value("input"), FLOAT32)
    return _quantized(node, x, cast(node.value("scales"), FLOAT32), node.value("zero_points"))


def _dequantize_per_token(node: Node) -> Value:
    return dequantized(
        node.value("input"), cast(node.value("scales"), FLOAT32), node.value("zero_points"), node.result_dtype()
    )


def _choose(node: Node, low: Value, high: Value) -> list[Value]:
    """A scale and a zero point for values from `low` to `high`; zero lies among them and is represented exactly."""
    least, most = node.integer("quant_min"), node.integer("quant_max")
    low, high = minimum(low, 0), maximum(high, 0)
    scale = maximum((high - low) / float(most - least), node.real("eps"))
    zero_point = clamp(least - emit(graph.RoundOp, low / scale), least, most)
    return [cast(scale, node.result_dtype(0)), cast(zero_point, node.result_dtype(1))]


def _choose_per_tensor(node: Node) -> list[Value]:
    x = cast(node.value("input"), FLOAT32)
    axes = list(range(x.rank))
    found = _choose(node, emit(graph.ReduceMinOp, x, axes=axes), emit(graph.ReduceMaxOp, x, axes=axes))
    return [reshape(value, [1]) for value in found]


def _choose_symmetric(node: Node) -> list[Value]:
    """A scale for values up to the largest absolute one; the zero point is the type's."""
    x = cast(node.value("input"), FLOAT32)
    largest = emit(graph.ReduceMaxOp, emit(graph.AbsOp, x), axes=list(range(x.rank)))
    half = (node.integer("quant_max") - node.integer("quant_min")) / 2
    scale = reshape(maximum(largest / half, node.real("eps")), [1])
    zero_point = 128 if node.given_dtype("dtype") == np.uint8 else 0
    return [cast(scale, node.result_dtype(0)), node.constant([zero_point], node.result_dtype(1))]


def _of_rows(reduction: type[graph.ReduceMaxOp] | type[graph.ReduceMinOp], x: Value) -> Value:
    """An extreme of each row of the last dimension, which stays with one element."""
    return reshape(emit(reduction, x, axes=[x.rank - 1]), [*x.shape[:-1], 1])


def _choose_per_token(node: Node) -> list[Value]:
    """A scale for each row of the last dimension, and no zero point."""
    x = cast(node.value("input"), FLOAT32)
    scales = maximum(_of_rows(graph.ReduceMaxOp, emit(graph.AbsOp, x)), 1e-5) / 127.0
    return [cast(scales, node.result_dtype(0)), node.builder.filled(0, scales.shape, np.dtype(node.result_dtype(1)))]


def _choose_per_token_asymmetric(node: Node) -> list[Value]:
    """A scale for each row of the last dimension, and a zero point from that end of the row that it rounds better."""
    x = cast(node.value("input"), FLOAT32)
    low, high = minimum(_of_rows(graph.ReduceMinOp, x), 0), maximum(_of_rows(graph.ReduceMaxOp, x), 0)
    scale = maximum((high - low) / 255.0, float(np.finfo(np.float32).eps))
    low, high = low / scale, high / scale
    zero_point = select(greater(low + high - 1.0, 0), -128.0 - low, 127.0 - high)
    zero_point = emit(graph.RoundOp, clamp(zero_point, -128, 127))
    return [cast(scale, node.result_dtype(0)), cast(zero_point, node.result_dtype(1))]


def _convert_element_type(node: Node) -> Value:
    return cast(node.value("input"), node.result_dtype())


IMPORTERS: Mapping[str, Importer] = {
    "_choose_qparams_per_token_asymmetric_impl": _choose_per_token_asymmetric,
    "choose_qparams": _choose_per_tensor,
    "choose_qparams_per_token": _choose_per_token,
    "choose_qparams_per_token_asymmetric": _choose_per_token_asymmetric,
    "choose_qparams_symmetric": _choose_symmetric,
    "convert_element_type": _convert_element_type,
    "dequantize_per_channel": _dequantize_per_channel,
    "dequantize_per_channel_group": _dequantize_by_groups,
    "dequantize_per_tensor": _dequantize_per_tensor,
    "dequantize_per_token": _dequantize_per_token,
    "quantize_per_channel": _quantize_per_channel,
    "quantize_per_channel_group": _quantize_by_groups,
    "quantize_per_tensor": _quantize_per_tensor,
    "quantize_per_token": _quantize_per_token,
}
