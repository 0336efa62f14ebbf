"""Scales and zero points: `real = scale * (quantised - zero point)`, one for a tensor or one a channel."""

import math

import numpy as np

from s2s.errors import InputError
from s2s.tvm.relay import op
from s2s.tvm.relay.arithmetic import round as rounded
from s2s.tvm.relay.expr import Constant, Expr, axis_of, const
from s2s.types.dtypes import Array

ROUNDINGS = ("UPWARD", "TONEAREST")
FLOATS = ("float32", "float64")
BITS = 31
"""The fractional bits of a multiplier."""


def along(vector: Expr, axis: int, rank: int) -> Expr:
    """A vector of one value a channel, shaped so that it broadcasts along `axis`; a scalar as it is."""
    if not vector.shape or rank == 0:
        return vector
    return op.reshape(vector, [*vector.shape, *[1] * (rank - 1 - axis_of(axis, rank))])


def limits(dtype: str) -> tuple[float, float]:
    """The least and the largest number of an integer type, as float32 holds them without exceeding it."""
    info = np.iinfo(dtype)
    top = np.float32(info.max)
    return float(info.min), float(top if int(top) <= info.max else np.nextafter(top, np.float32(0)))


def quantized(data: Expr, scale: Expr, zero_point: Expr, axis: int, dtype: str) -> Expr:
    """The nearest quantised value, halves away from zero, as a real number within the limits of `dtype`."""
    rank = len(data.shape)
    steps = rounded(op.divide(data, along(scale, axis, rank)))
    return op.clip(steps + along(zero_point, axis, rank).astype("float32"), *limits(dtype))


def centered(data: Expr, zero_point: Expr, axis: int = -1) -> Expr:
    """Quantised values without their zero point, as int32."""
    if isinstance(zero_point, Constant) and not zero_point.value.any():
        return data.astype("int32")
    return data.astype("int32") - along(zero_point, axis, len(data.shape)).astype("int32")


def narrowed(data: Expr, dtype: str) -> Expr:
    """Integers within the limits of `dtype`, as `dtype`."""
    info = np.iinfo(dtype)
    return data if dtype == data.dtype else op.clip(data, int(info.min), int(info.max)).astype(dtype)


def constant_scale(where: str, value: Expr) -> Array:
    """A scale that is known while the network is compiled."""
    if not isinstance(value, Constant):
        raise InputError(f"relay.qnn.{where}: a scale is computed at run time; give a constant")
    return value.value


def are_equal(left: Expr, right: Expr) -> bool:
    """Whether both are constants of equal values."""
    return isinstance(left, Constant) and isinstance(right, Constant) and np.array_equal(left.value, right.value)


def multiplied(data: Expr, factors: Array, axis: int, rounding: str) -> Expr:
    """int32 times real factors, as products with 31 fractional bits that are rounded to int32.

    A factor is `multiplier * 2**(exponent - 31)`: 0.75 is 1610612736 with exponent 0, whose product is shifted by 31.
    UPWARD rounds halves up, TONEAREST away from zero.
    """
    pairs = [fixed_point(float(factor)) for factor in factors.reshape(-1)]
    shape = factors.shape
    multipliers, shifts = (
        along(const(np.asarray(numbers, np.int64).reshape(shape)), axis, len(data.shape))
        for numbers in zip(*pairs, strict=True)
    )
    half = np.asarray([1 << (shift - 1) for _, shift in pairs], np.int64).reshape(shape)
    product = data.astype("int64") * multipliers
    up, down = (along(const(values), axis, len(data.shape)) for values in (half, half - 1))
    if rounding == "TONEAREST":
        up = op.where(op.less(product, const(0, "int64")), down, up)
    return op.right_shift(product + up, shifts).astype("int32")


def multiplied_as(dtype: str, data: Expr, factors: Array, zero_point: Expr, axis: int, rounding: str) -> Expr:
    """int32 times real factors plus a zero point, computed as `dtype` and then rounded to int32."""
    product = data.astype(dtype) * along(const(factors.astype(dtype)), axis, len(data.shape)) + zero_point.astype(dtype)
    return (rounded(product) if rounding == "TONEAREST" else op.floor(product + 0.5)).astype("int32")


def fixed_point(factor: float) -> tuple[int, int]:
    """The multiplier of 31 bits of a factor, and the bits to shift its products by."""
    significand, exponent = math.frexp(factor)
    multiplier = math.floor(significand * (1 << BITS) + 0.5)
    if multiplier == 1 << BITS:
        multiplier, exponent = multiplier // 2, exponent + 1
    shift = BITS - exponent
    if not 1 <= shift <= 2 * BITS:
        raise InputError(f"relay.qnn: {factor} as ratio of scales; give scales whose ratio is between 2**-31 and 2**30")
    return multiplier, shift
