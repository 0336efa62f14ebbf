"""Operators of arithmetic that other operators make, with TVM's rounding, under TVM's names."""

import math

import numpy as np

from s2s.dialects import graph
from s2s.errors import InputError
from s2s.tvm.dtypes import is_float
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Expr, Number, const
from s2s.tvm.relay.formula import onnx
from s2s.tvm.relay.graph_calls import call
from s2s.tvm.relay.operators import BY_OPERATION, operator
from s2s.types.dtypes import from_numpy


@operator("trunc")
def trunc(data: Expr) -> Expr:
    """Rounded towards zero; integers are as they are."""
    if not is_float(data.dtype):
        return op.identity(data)
    return op.where(op.less(data, 0.0), op.ceil(data), op.floor(data))


@operator("round")
def round(data: Expr) -> Expr:
    """Rounded to the nearest integer, halves away from zero."""
    if not is_float(data.dtype):
        return op.identity(data)
    down = trunc(data)
    return op.where(op.less(op.abs(data - down), 0.5), down, down + op.sign(data))


@operator("trunc_divide")
def trunc_divide(lhs: Expr, rhs: Expr | Number) -> Expr:
    """`a / b` rounded towards zero."""
    return trunc(op.divide(lhs, rhs))


@operator("trunc_mod")
def trunc_mod(lhs: Expr, rhs: Expr | Number) -> Expr:
    """The rest of `a / b` rounded towards zero, which has the sign of `a`."""
    return call(graph.ModOp, lhs, lhs.like(rhs), fmod=True)


mod = trunc_mod
"""The rest of `a / b`, which has the sign of `a`."""


@operator("floor_mod")
def floor_mod(lhs: Expr, rhs: Expr | Number) -> Expr:
    """The rest of `a / b` rounded down, which has the sign of `b`."""
    return call(graph.ModOp, lhs, lhs.like(rhs))


@operator("floor_divide")
def floor_divide(lhs: Expr, rhs: Expr | Number) -> Expr:
    """`a / b` rounded down."""
    if is_float(lhs.dtype):
        return op.floor(op.divide(lhs, rhs))
    rest = trunc_mod(lhs, rhs)
    differs = op.logical_and(op.not_equal(rest, 0), op.not_equal(op.less(rest, 0), op.less(lhs.like(rhs), 0)))
    return op.divide(lhs, rhs) - differs.astype(lhs.dtype)


@operator("log2")
def log2(data: Expr) -> Expr:
    """The logarithm to base 2."""
    return op.log(data) * (1 / math.log(2))


@operator("log10")
def log10(data: Expr) -> Expr:
    """The logarithm to base 10."""
    return op.log(data) * (1 / math.log(10))


@operator("isnan")
def isnan(data: Expr) -> Expr:
    """Whether `x` is no number, which an integer never is."""
    return call(graph.IsNanOp, data) if is_float(data.dtype) else op.full(False, data.shape, "bool")


BY_OPERATION[graph.IsNanOp] = "isnan"


@operator("isinf")
def isinf(data: Expr) -> Expr:
    """Whether `x` is infinite; integers are not."""
    return onnx("IsInf", data) if is_float(data.dtype) else op.full(False, data.shape, "bool")


@operator("isfinite")
def isfinite(data: Expr) -> Expr:
    """Whether `x` is a number, and finite; integers are."""
    if not is_float(data.dtype):
        return op.full(True, data.shape, "bool")
    return op.logical_not(op.logical_or(isnan(data), isinf(data)))


@operator("cast_like")
def cast_like(data: Expr, dtype_like: Expr) -> Expr:
    """`x` converted to the element type of another tensor."""
    return data.astype(dtype_like.dtype)


@operator("reinterpret")
def reinterpret(data: Expr, dtype: str) -> Expr:
    """The bits of `x` as another type of the same width."""
    if np.dtype(dtype).itemsize != np.dtype(data.dtype).itemsize:
        raise InputError(f"relay.reinterpret: {data.dtype} and {dtype} differ in width; give a type of equal width")
    return call(graph.BitcastOp, data, element_type=from_numpy(np.dtype(dtype)))


@operator("fixed_point_multiply")
def fixed_point_multiply(data: Expr, multiplier: int, shift: int) -> Expr:
    """`round(x * multiplier * 2 ** (shift - 31))` for int32, halves rounded up; `multiplier` has 31 fractional bits."""
    if data.dtype != "int32" or not -(1 << 31) <= multiplier < 1 << 31 or not -31 <= shift <= 30:
        raise InputError(
            f"relay.fixed_point_multiply: {data.dtype} times {multiplier} with shift {shift}; give int32, a multiplier "
            "of 32 bits and a shift from -31 to 30"
        )
    product = data.astype("int64") * const(multiplier, "int64")
    total = 31 - shift
    return op.right_shift(product + const(1 << (total - 1), "int64"), const(total, "int64")).astype(data.dtype)


@operator("einsum")
def einsum(data: op.Tensors, equation: str) -> Expr:
    """Sums of products by Einstein's notation."""
    return onnx("Einsum", *data, equation=equation)


@operator("shape_of")
def shape_of(data: Expr, dtype: str = "int32") -> Expr:
    """The sizes of the dimensions, which are constants."""
    return const(np.asarray(data.shape, dtype))


@operator("ndarray_size")
def ndarray_size(data: Expr, dtype: str = "int32") -> Expr:
    """The number of elements, which is a constant."""
    return const(np.asarray(math.prod(data.shape), dtype))
