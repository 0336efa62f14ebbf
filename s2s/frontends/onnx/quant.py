"""Quantisation, in plain arithmetic: `graph-lift-quantized` recognises the integer networks in it."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import ml_dtypes
import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import (
    broadcast_to,
    cast,
    clamp,
    greater,
    maximum,
    minimum,
    reshape,
    select,
    take,
    unsqueeze,
)
from s2s.frontends.onnx.conv import convolve
from s2s.frontends.onnx.linear import accumulation, integer_factor, integer_product
from s2s.frontends.onnx.narrow import convert, marked, numbers
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.reduce import reduce_to
from s2s.frontends.onnx.tensors import element_dtype
from s2s.frontends.packed_weights import quantised_weights
from s2s.types.narrow import NARROW

_BYTE, _FLOAT = np.dtype(np.uint8), np.dtype(np.float32)


def quantize(x: Value, scale: Value, zero_point: Value | None, dtype: np.dtype[np.generic]) -> Value:
    """`clamp(round(x / scale) + zero_point)` as `dtype`; the parameters broadcast to `x`."""
    y = emit(graph.RoundOp, x / scale)
    if zero_point is not None and not _is_zero(zero_point):
        y = y + cast(zero_point, y.dtype)
    info, narrow = ml_dtypes.iinfo(dtype), NARROW.get(dtype)
    return marked(cast(clamp(y, int(info.min), int(info.max)), narrow.carrier if narrow else dtype), narrow)


def dequantize(x: Value, scale: Value, zero_point: Value | None) -> Value:
    """`(x - zero_point) * scale`; the parameters broadcast to `x`. Constants keep their integers: they are weights."""
    y = cast(x.builder.keep(x), scale.dtype)
    if zero_point is not None and not _is_zero(zero_point):
        y = y - cast(zero_point, scale.dtype)
    return y * scale


def _is_zero(value: Value) -> bool:
    return value.array is not None and not value.array.any()


def _quantize_linear(node: Node) -> Value:
    x, scale, zero_point = node.input(0), node.input(1), node.optional(2)
    _check_scale(node, scale)
    dtype = np.dtype(np.uint8) if zero_point is None else zero_point.model_dtype
    if node.integer("output_dtype", 0) and zero_point is None:
        dtype = element_dtype(node.integer("output_dtype"), f"{node.place}: attribute 'output_dtype'")
    narrow = NARROW.get(dtype)
    if narrow is None and dtype.kind not in "iu":
        raise node.unsupported(f"quantises to {dtype}", "quantise to an integer type of 8 or 16 bits")
    if node.integer("precision", 0):
        wide = element_dtype(node.integer("precision"), f"{node.place}: attribute 'precision'")
        x, scale = cast(x, wide), cast(scale, wide)
    scale = _parameter(node, x, scale)
    zero_point = None if zero_point is None else _parameter(node, x, numbers(zero_point))
    if narrow is not None and narrow.is_float:  # its zero point is 0 by definition, and -0.0 stays itself
        if zero_point is not None and zero_point.array is not None and zero_point.array.any():
            raise node.invalid(f"the zero point of {dtype} is not 0", "make it 0")
        return convert(cast(x, scale.dtype) / scale, dtype, saturate=node.flag("saturate", True))
    return quantize(cast(x, scale.dtype), scale, zero_point, dtype)


def _dequantize_linear(node: Node) -> Value:
    x, scale, zero_point = node.input(0), node.input(1), node.optional(2)
    _check_scale(node, scale)
    dtype = scale.dtype
    if node.integer("output_dtype", 0):
        dtype = element_dtype(node.integer("output_dtype"), f"{node.place}: attribute 'output_dtype'")
    given, x, scale = x, numbers(_kept_codes(x)), _parameter(node, x, scale)
    zero_point = None if zero_point is None else _parameter(node, x, numbers(zero_point))
    y = cast(dequantize(x, scale, zero_point), dtype)
    y.quantised = quantised_weights(given, scale, zero_point, by_groups=node.integer("block_size", 0) > 0)
    return y


def _kept_codes(x: Value) -> Value:
    """A constant of narrow floats whose codes stay in the IR: a table that is only gathered from is stored so."""
    return marked(x.builder.keep(x), x.narrow) if x.narrow is not None and x.narrow.is_float else x


class Bytes(NamedTuple):
    """Floats as bytes: `x = scale * (values - zero_point)`."""

    values: Value
    scale: Value
    zero_point: Value


def dynamic_bytes(x: Value) -> Bytes:
    """Quantise `x` to bytes by the range of all its elements and zero.

    A tensor of zeros has no range: its scale is 1, as in onnxruntime. ONNX's formula gives a scale of 0, and the zero
    point 0 / 0.
    """
    axes = list(range(x.rank))
    low = minimum(reduce_to(graph.ReduceMinOp, x, axes, keepdims=False), 0)
    high = maximum(reduce_to(graph.ReduceMaxOp, x, axes, keepdims=False), 0)
    span = high - low
    scale = select(greater(span, 0), span / 255, 1)
    zero = clamp(emit(graph.RoundOp, -low / scale), 0, 255)
    values = cast(clamp(emit(graph.RoundOp, x / scale) + zero, 0, 255), _BYTE)
    return Bytes(values, scale, cast(zero, _BYTE))


def _dynamic_quantize_linear(node: Node) -> list[Value]:
    return list(dynamic_bytes(node.input(0)))


def _check_scale(node: Node, scale: Value) -> None:
    """Refuse a constant scale that is no positive number: no calibration gives one."""
    if scale.array is not None and not ((scale.array > 0) & np.isfinite(scale.array)).all():
        raise node.invalid("a scale is not a positive finite number", "calibrate the model again")


def _parameter(node: Node, x: Value, value: Value) -> Value:
    """A scale or zero point shaped to broadcast to `x`: one for all, for each index of an axis, or for each block."""
    if value.rank == 0 or value.shape == (1,):
        return reshape(value, [])
    axis = node.axis(node.integer("axis", 1), x.rank)
    if value.rank == 1:
        if value.shape[0] != x.shape[axis]:
            raise node.invalid(
                f"{value.shape[0]} scales or zero points for axis {axis} of shape {list(x.shape)}", "fix the axis"
            )
        return reshape(value, [value.shape[0] if dim == axis else 1 for dim in range(x.rank)])
    block = node.integer("block_size", 0)
    expected = tuple(-(-size // max(block, 1)) if dim == axis else size for dim, size in enumerate(x.shape))
    if block < 1 or value.shape != expected:
        raise node.invalid(f"scales of shape {list(value.shape)} do not match blocks of {block}", "fix block_size")
    spread = list(unsqueeze(value, [axis + 1]).shape)
    spread[axis + 1] = block
    blocks = broadcast_to(unsqueeze(value, [axis + 1]), spread)
    merged = reshape(blocks, [size * block if dim == axis else size for dim, size in enumerate(value.shape)])
    return take(merged, axis, 0, x.shape[axis])


def _channels(node: Node, value: Value | None, rank: int, axis: int) -> Value | None:
    """A parameter with one element, or one for each index of `axis` of a tensor of `rank`."""
    if value is None or value.rank > 1:
        return value
    if value.rank == 0 or value.shape == (1,):
        return reshape(value, [])
    return reshape(value, [value.shape[0] if dim == axis else 1 for dim in range(rank)])


def _conv_integer(node: Node) -> Value:
    return _integer_convolution(node, node.input(0), node.optional(2), node.input(1), node.optional(3), None)


def _integer_convolution(
    node: Node,
    x: Value,
    x_zero: Value | None,
    w: Value,
    w_zero: Value | None,
    b: Value | None,
    build: Callable[..., Value] = convolve,
) -> Value:
    left = integer_factor(x, _channels(node, x_zero, x.rank, 1))
    right = integer_factor(w, _channels(node, w_zero, w.rank, 0))
    return build(node, left.value, right.value, b, **accumulation("input_zp", left, "weight_zp", right))


def _rows(value: Value | None, rank: int) -> Value | None:
    """A parameter of the left matrix: one element, one per row, or already broadcasting."""
    return reshape(value, [value.shape[0], 1]) if value is not None and value.rank == 1 and rank > 1 else value


def _matmul_integer(node: Node) -> Value:
    a, b = node.input(0), node.input(1)
    return integer_product(a, _rows(node.optional(2), a.rank), b, node.optional(3))


def _qlinear_matmul(node: Node) -> Value:
    a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero = (node.input(position) for position in range(8))
    product = integer_product(a, _rows(a_zero, a.rank), b, b_zero)
    row_scale = _rows(a_scale, a.rank) or a_scale
    scale = cast(row_scale, _FLOAT) * cast(b_scale, _FLOAT) / cast(y_scale, _FLOAT)
    return requantize(product, scale, y_zero)


def qlinear_conv(node: Node, build: Callable[..., Value] = convolve) -> Value:
    """A convolution of quantised operands, its sum quantised again; `build` emits the convolution."""
    channel_axis = 1 if build is convolve else -1
    x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero = (node.input(position) for position in range(8))
    product = _integer_convolution(node, x, x_zero, w, w_zero, node.optional(8), build)
    channel_scale = _channels(node, w_scale, w.rank, channel_axis % w.rank) or w_scale
    scale = reshape(x_scale, []) * channel_scale / reshape(y_scale, [])
    return requantize(product, scale, reshape(y_zero, []))


def requantize(product: Value, scale: Value, zero_point: Value) -> Value:
    """`clamp(round(product * scale) + zero_point)` in the type of the zero point."""
    y = emit(graph.RoundOp, cast(product, _FLOAT) * scale)
    if not _is_zero(zero_point):
        y = y + cast(zero_point, _FLOAT)
    info = np.iinfo(zero_point.dtype.str)
    return cast(clamp(y, int(info.min), int(info.max)), zero_point.dtype)


IMPORTERS: Mapping[str, Importer] = {
    "ConvInteger": _conv_integer,
    "DequantizeLinear": _dequantize_linear,
    "DynamicQuantizeLinear": _dynamic_quantize_linear,
    "MatMulInteger": _matmul_integer,
    "QLinearConv": qlinear_conv,
    "QLinearMatMul": _qlinear_matmul,
    "QuantizeLinear": _quantize_linear,
}
