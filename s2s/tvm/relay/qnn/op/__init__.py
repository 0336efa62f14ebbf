"""Quantised operators under TVM's names: integers with the bits of TVM's lowering.

A scale that sets a factor of integers is a constant; scales of products only tell what the result means.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from s2s.errors import InputError
from s2s.tvm.refusals import refusing
from s2s.tvm.relay import nn, op
from s2s.tvm.relay.expr import Expr, const
from s2s.tvm.relay.op_attributes import register_qnn_canonicalize, register_qnn_legalize
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.qnn.configuration import (
    COMPUTE_DTYPES,
    UNSET,
    RequantizeConfig,
    current_requantize_config,
    requantize_config,
)
from s2s.tvm.relay.qnn.op import legalizations
from s2s.tvm.relay.qnn.scales import (
    FLOATS,
    ROUNDINGS,
    along,
    are_equal,
    centered,
    constant_scale,
    multiplied,
    multiplied_as,
    narrowed,
    quantized,
)
from s2s.tvm.relay.window import Sizes


@operator("qnn.quantize")
def quantize(data: Expr, output_scale: Expr, output_zero_point: Expr, axis: int = -1, out_dtype: str = "int8") -> Expr:
    """`clip(round(data / scale) + zero_point)`, halves away from zero."""
    return quantized(data, output_scale, output_zero_point, axis, out_dtype).astype(out_dtype)


@operator("qnn.dequantize")
def dequantize(data: Expr, input_scale: Expr, input_zero_point: Expr, axis: int = -1) -> Expr:
    """`(data - zero_point) * scale` as float32."""
    return centered(data, input_zero_point, axis).astype("float32") * along(input_scale, axis, len(data.shape))


@operator("qnn.simulated_quantize")
def simulated_quantize(
    data: Expr, output_scale: Expr, output_zero_point: Expr, axis: int = -1, out_dtype: str = "int8"
) -> Expr:
    """What `quantize` gives, as real numbers; `out_dtype` "disable" leaves them as they are."""
    if out_dtype == "disable":
        return op.identity(data)
    return quantized(data, output_scale, output_zero_point, axis, out_dtype)


@operator("qnn.simulated_dequantize")
def simulated_dequantize(
    data: Expr, input_scale: Expr, input_zero_point: Expr, axis: int = -1, in_dtype: str = "int8"
) -> Expr:
    """What `dequantize` gives, of real numbers; `in_dtype` "disable" leaves them as they are."""
    if in_dtype == "disable":
        return op.identity(data)
    rank = len(data.shape)
    return (data - along(input_zero_point, axis, rank).astype("float32")) * along(input_scale, axis, rank)


@operator("qnn.requantize")
def requantize(
    data: Expr,
    input_scale: Expr,
    input_zero_point: Expr,
    output_scale: Expr,
    output_zero_point: Expr,
    axis: int = -1,
    rounding: str = UNSET,
    compute_dtype: str = UNSET,
    out_dtype: str = "int8",
) -> Expr:
    """The values of one scale and zero point in another one, by products of integers with 31 fractional bits."""
    if rounding not in (UNSET, *ROUNDINGS) or compute_dtype not in (UNSET, *COMPUTE_DTYPES):
        raise InputError(
            f"relay.qnn.requantize: rounding {rounding}, compute_dtype {compute_dtype}; give UPWARD or TONEAREST, and "
            "int64, float32 or float64"
        )
    values, zero = centered(data, input_zero_point, axis), output_zero_point.astype("int32")
    scales = [constant_scale("requantize", scale).astype("float64") for scale in (input_scale, output_scale)]
    if compute_dtype in FLOATS:
        return narrowed(multiplied_as(compute_dtype, values, scales[0] / scales[1], zero, axis, rounding), out_dtype)
    if not are_equal(input_scale, output_scale):
        values = multiplied(values, scales[0] / scales[1], axis, rounding)
    return narrowed(values + zero, out_dtype)


@operator("qnn.conv2d")
def conv2d(
    data: Expr,
    kernel: Expr,
    input_zero_point: Expr,
    kernel_zero_point: Expr,
    input_scale: Expr,
    kernel_scale: Expr,
    kernel_size: Sizes,
    channels: int,
    strides: Sizes = (1, 1),
    padding: Sizes = (0, 0),
    dilation: Sizes = (1, 1),
    groups: int = 1,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_layout: str = "",
    out_dtype: str = "int32",
) -> Expr:
    """The sums of products of a convolution, without zero points; outside of the image is the zero point."""
    window = (strides, padding, dilation, groups, channels, kernel_size)
    pair = _pair(data, kernel, input_zero_point, kernel_zero_point, kernel_layout.index("O"))
    return nn.conv2d(*pair, *window, data_layout, kernel_layout, out_layout, out_dtype)


@operator("qnn.conv2d_transpose")
def conv2d_transpose(
    data: Expr,
    weight: Expr,
    input_zero_point: Expr,
    kernel_zero_point: Expr,
    input_scale: Expr,
    kernel_scale: Expr,
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
    out_dtype: str = "int32",
) -> Expr:
    """The sums of products of a transposed convolution, without zero points."""
    window = (strides, padding, dilation, groups, channels, kernel_size)
    pair = _pair(data, weight, input_zero_point, kernel_zero_point, kernel_layout.index("O"))
    return nn.conv2d_transpose(*pair, *window, data_layout, kernel_layout, out_layout, output_padding, out_dtype)


@operator("qnn.dense")
def dense(
    data: Expr,
    weight: Expr,
    input_zero_point: Expr,
    kernel_zero_point: Expr,
    input_scale: Expr,
    kernel_scale: Expr,
    units: int,
    out_dtype: str = "int32",
) -> Expr:
    """The sums of products of a dense layer, without zero points."""
    return nn.dense(*_pair(data, weight, input_zero_point, kernel_zero_point, 0), units, out_dtype)


@operator("qnn.batch_matmul")
def batch_matmul(
    x: Expr,
    y: Expr,
    x_zero_point: Expr,
    y_zero_point: Expr,
    x_scale: Expr,
    y_scale: Expr,
    out_dtype: str = "int32",
) -> Expr:
    """The matrix products of a batch, the second factor transposed, without zero points."""
    return nn.batch_matmul(*_pair(x, y, x_zero_point, y_zero_point, -1), out_dtype)


def _pair(data: Expr, weight: Expr, data_zero: Expr, weight_zero: Expr, axis: int) -> tuple[Expr, Expr]:
    """Both factors without their zero points; the one of weights may have a value for each output, along `axis`."""
    return centered(data, data_zero), centered(weight, weight_zero, axis)


@operator("qnn.add")
def add(
    lhs: Expr,
    rhs: Expr,
    lhs_scale: Expr,
    lhs_zero_point: Expr,
    rhs_scale: Expr,
    rhs_zero_point: Expr,
    output_scale: Expr,
    output_zero_point: Expr,
    lhs_axis: int = -1,
    rhs_axis: int = -1,
) -> Expr:
    """The sum of both in the scale of the result."""
    left = _rescaled(lhs, lhs_scale, lhs_zero_point, output_scale, output_zero_point, lhs_axis)
    right = _rescaled(rhs, rhs_scale, rhs_zero_point, output_scale, output_zero_point, rhs_axis)
    return narrowed(left + right - output_zero_point.astype("int32"), lhs.dtype)


@operator("qnn.subtract")
def subtract(
    lhs: Expr,
    rhs: Expr,
    lhs_scale: Expr,
    lhs_zero_point: Expr,
    rhs_scale: Expr,
    rhs_zero_point: Expr,
    output_scale: Expr,
    output_zero_point: Expr,
    lhs_axis: int = -1,
    rhs_axis: int = -1,
) -> Expr:
    """The difference of both in the scale of the result."""
    left = _rescaled(lhs, lhs_scale, lhs_zero_point, output_scale, output_zero_point, lhs_axis)
    right = _rescaled(rhs, rhs_scale, rhs_zero_point, output_scale, output_zero_point, rhs_axis)
    return narrowed(left - right + output_zero_point.astype("int32"), lhs.dtype)


def _rescaled(data: Expr, scale: Expr, zero: Expr, new_scale: Expr, new_zero: Expr, axis: int = -1) -> Expr:
    """The values in another scale, as int32; of equal scales as they are."""
    if are_equal(scale, new_scale) and are_equal(zero, new_zero):
        return data.astype("int32")
    return requantize(data, scale, zero, new_scale, new_zero, axis, out_dtype="int32")


@operator("qnn.mul")
def mul(
    lhs: Expr,
    rhs: Expr,
    lhs_scale: Expr,
    lhs_zero_point: Expr,
    rhs_scale: Expr,
    rhs_zero_point: Expr,
    output_scale: Expr,
    output_zero_point: Expr,
    lhs_axis: int = -1,
    rhs_axis: int = -1,
) -> Expr:
    """The product of both in the scale of the result; scales of channels are along one axis."""
    if lhs_axis != rhs_axis:
        raise InputError(f"relay.qnn.mul: channels along {lhs_axis} and {rhs_axis}; give one axis")
    product = centered(lhs, lhs_zero_point, lhs_axis) * centered(rhs, rhs_zero_point, rhs_axis)
    scale = const(constant_scale("mul", lhs_scale) * constant_scale("mul", rhs_scale))
    zero = const(0, "int32")
    return requantize(product, scale, zero, output_scale, output_zero_point, lhs_axis, out_dtype=lhs.dtype)


@operator("qnn.concatenate")
def concatenate(
    data: op.Tensors,
    input_scales: op.Tensors,
    input_zero_points: op.Tensors,
    output_scale: Expr,
    output_zero_point: Expr,
    axis: int,
) -> Expr:
    """The tensors one after the other, each in the scale of the result."""
    parts, scales, zeros = ([*fields] for fields in (data, input_scales, input_zero_points))
    if not len(parts) == len(scales) == len(zeros) > 0:
        counts = f"{len(parts)} tensors, {len(scales)} scales, {len(zeros)} zero points"
        raise InputError(f"relay.qnn.concatenate: {counts}; give a scale and a zero point for each tensor")
    triples = zip(parts, scales, zeros, strict=True)
    moved = [_rescaled(*triple, output_scale, output_zero_point) for triple in triples]
    return op.concatenate([narrowed(part, parts[0].dtype) for part in moved], axis)


@operator("qnn.leaky_relu")
def leaky_relu(
    x: Expr,
    alpha: float,
    input_scale: Expr,
    input_zero_point: Expr,
    output_scale: Expr,
    output_zero_point: Expr,
) -> Expr:
    """Values below the zero point times `alpha`."""
    values = _rescaled(x, input_scale, input_zero_point, output_scale, output_zero_point)
    factor, rest = (const(value, "float64").value for value in (alpha, 1 - alpha))
    below = multiplied(values, factor, -1, UNSET) + multiplied(output_zero_point.astype("int32"), rest, -1, UNSET)
    return narrowed(op.where(op.less(centered(x, input_zero_point), const(0, "int32")), below, values), x.dtype)


def _unary(name: str, function: Callable[[Expr], Expr]) -> Callable[[Expr, Expr, Expr, Expr, Expr], Expr]:
    """A function of real numbers, of the quantised ones that the scales give them."""

    def apply(x: Expr, scale: Expr, zero_point: Expr, output_scale: Expr, output_zero_point: Expr) -> Expr:
        return quantize(function(dequantize(x, scale, zero_point)), output_scale, output_zero_point, -1, x.dtype)

    apply.__doc__ = f"`{name}` of the real numbers that are meant."
    apply.__name__ = name
    return operator(f"qnn.{name}")(apply)


def _hardswish(x: Expr) -> Expr:
    return x * op.clip(x + 3.0, 0.0, 6.0) / 6.0


tanh = _unary("tanh", op.tanh)
exp = _unary("exp", op.exp)
sqrt = _unary("sqrt", op.sqrt)
rsqrt = _unary("rsqrt", op.rsqrt)
erf = _unary("erf", op.erf)
abs = _unary("abs", op.abs)
sigmoid = _unary("sigmoid", op.sigmoid)
hardswish = _unary("hardswish", _hardswish)
log = _unary("log", op.log)

__all__ = [
    "RequantizeConfig", "abs", "add", "batch_matmul", "concatenate", "conv2d", "conv2d_transpose",
    "current_requantize_config", "dense", "dequantize", "erf", "exp",
    "hardswish", "leaky_relu", "legalizations", "log", "mul", "quantize", "register_qnn_canonicalize",
    "register_qnn_legalize", "requantize", "requantize_config", "rsqrt", "sigmoid", "simulated_dequantize",
    "simulated_quantize", "sqrt", "subtract", "tanh",
]  # fmt: skip

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("relay.qnn.op")
