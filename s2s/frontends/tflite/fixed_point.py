"""Functions in fixed point, as gemmlowp defines them and TFLite's kernels use them.

A number with `n` integer bits is an `i32` that counts steps of `2 ** (n - 31)`; of 16 bits, steps of `2 ** (n - 15)`.
The functions are written over values: on constants they are evaluated while the model is read, which is how tables come
about; on values of the network they become plain integer arithmetic. Each gives the bits of the reference, rounding for
rounding.
"""

import numpy as np

from s2s.dialects import graph
from s2s.frontends.activations import hinted
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, clamp, less, maximum, minimum, select
from s2s.support.frozen import frozen

I32, I64 = np.dtype(np.int32), np.dtype(np.int64)
ONE = 2**31 - 1
"""The number closest to one without integer bits."""

_NEWTON_START, _NEWTON_SLOPE = 1515870810, -1010580540  # 48 / 17 and -32 / 17 with two integer bits
_EXP_OF_MINUS_EIGHTH, _THIRD = 1895147668, 715827883  # without integer bits
_EXP_OF_MINUS_POWERS = (  # e ** -(2 ** k) without integer bits
    (-2, 1672461947),
    (-1, 1302514674),
    (0, 790015084),
    (1, 290630308),
    (2, 39332535),
    (3, 720401),
    (4, 242),
)
_EXP_BITS = 5
"""Integer bits of the powers above: what lies below `-(2 ** 5)` is zero."""
_HALF_SQRT_2 = 1518500250


@frozen
class Width:
    """The bits of a fixed-point number, its sign among them."""

    bits: int

    @property
    def one(self) -> int:
        """The number closest to one without integer bits."""
        return 2 ** (self.bits - 1) - 1

    def power(self, exponent: int, integer_bits: int = 0) -> int:
        """`2 ** exponent`."""
        return 1 << (self.bits - 1 - integer_bits + exponent)

    def constant(self, wide: int) -> int:
        """The number that is `wide` in 32 bits, to nearest."""
        return wide if self.bits == 32 else (wide + (1 << (31 - self.bits))) >> (32 - self.bits)

    def product(self, a: Value, b: Value | int) -> Value:
        """The product of two numbers, to nearest, ties up; their integer bits add up."""
        if self.bits == 32:
            return high_product(a, b)
        return shifted_right(a * b + 2 ** (self.bits - 2), self.bits - 1)

    def saturated_left(self, x: Value, count: int) -> Value:
        """`x * 2 ** count`, or the end of the range that it passes."""
        if self.bits == 32:
            return saturated_left(x, count)
        return clamp(shifted_left(x, count), -self.one - 1, self.one)


WIDE, NARROW = Width(32), Width(16)


def shifted_left(x: Value, count: int) -> Value:
    """`x * 2 ** count`, wrapping around."""
    return x if count == 0 else x * 2**count


def shifted_right(x: Value, count: int) -> Value:
    """`x / 2 ** count` towards minus infinity."""
    return x if count == 0 else emit(graph.ShiftRightOp, x, x.like(count))


def saturated_left(x: Value, count: int) -> Value:
    """`x * 2 ** count`, or the end of the range of `i32` that it passes."""
    return cast(clamp(shifted_left(cast(x, I64), count), -(2**31), 2**31 - 1), I32)


def halves_up(x: Value, count: int | Value) -> Value:
    """`x / 2 ** count` to nearest, ties up, which for `x >= 0` is away from zero; `count` is at least 1."""
    floor = (
        shifted_right(x, count - 1)
        if isinstance(count, int)
        else emit(graph.ShiftRightOp, x, hinted(count - 1, "shift"))
    )
    return shifted_right(floor + 1, 1)


def rounded_right(x: Value, count: int | Value) -> Value:
    """`x / 2 ** count` to nearest, ties away from zero; `count` is 0 to 31."""
    if isinstance(count, int):
        if count == 0:
            return x
        rest, half = emit(graph.BitwiseAndOp, x, x.like(2**count - 1)), x.like(2 ** (count - 1) - 1)
        floor = shifted_right(x, count)
    else:
        mask = emit(graph.ShiftLeftOp, x.like(1), count) - 1
        rest, half = emit(graph.BitwiseAndOp, x, mask), shifted_right(mask, 1)
        floor = emit(graph.ShiftRightOp, x, count)
    threshold = half + cast(less(x, 0), x.dtype)
    return floor + cast(less(threshold, rest), x.dtype)


def high_product(a: Value, b: Value | int) -> Value:
    """`a * b / 2 ** 31` to nearest, ties up: the product of two fixed-point numbers, whose integer bits add up.

    The reference saturates the square of -1; none of the functions here multiplies that.
    """
    factor = cast(a, I64) * (cast(b, I64) if isinstance(b, Value) else b)
    return cast(shifted_right(factor + 2**30, 31), I32)


def leading_zeros(x: Value) -> Value:
    """Zero bits above the highest set bit of `x`; 32 for 0."""
    return emit(graph.CountLeadingZerosOp, x)


def exponential(x: Value, integer_bits: int, width: Width = WIDE) -> Value:
    """`e ** x` without integer bits, for `x <= 0`."""
    quarter = width.power(-2, integer_bits)
    fraction = emit(graph.BitwiseAndOp, x, x.like(quarter - 1)) - quarter
    y = _exponential_near_zero(shifted_left(fraction, integer_bits), width)
    quarters = fraction - x
    for power, factor in _EXP_OF_MINUS_POWERS:
        if integer_bits > power:
            bit = emit(graph.BitwiseAndOp, quarters, x.like(width.power(power, integer_bits)))
            y = select(_is_zero(bit), y, width.product(y, width.constant(factor)))
    if integer_bits > _EXP_BITS:
        y = select(less(x, -(width.power(0, integer_bits) << _EXP_BITS)), x.like(0), y)
    return select(_is_zero(x), x.like(width.one), y)


def _exponential_near_zero(x: Value, width: Width) -> Value:
    """`e ** x` for `-1/4 <= x < 0`, by the Taylor series at -1/8."""
    x = x + width.power(-3)
    square = width.product(x, x)
    cube, fourth = width.product(square, x), width.product(square, square)
    higher = width.product(rounded_right(fourth, 2) + cube, width.constant(_THIRD)) + square
    center = width.constant(_EXP_OF_MINUS_EIGHTH)
    y = width.product(x + rounded_right(higher, 1), center) + center
    return y if width.bits == 32 else minimum(y, width.one)


def _is_zero(x: Value) -> Value:
    return emit(graph.EqualOp, x, x.like(0))


def _twice_reciprocal(x: Value, width: Width = WIDE) -> Value:
    """`2 / (1 + x)` with two integer bits, for `0 <= x < 1`, by three steps of Newton's method."""
    half = shifted_right(x, 1) + width.power(-1)
    y = width.product(half, width.constant(_NEWTON_SLOPE)) + width.constant(_NEWTON_START)
    for _ in range(3):
        y = y + shifted_left(width.product(y, width.power(0, 2) - width.product(half, y)), 2)
    return y


def reciprocal_of_one_plus(x: Value, width: Width = WIDE) -> Value:
    """`1 / (1 + x)` for `0 <= x < 1`, all without integer bits."""
    y = _twice_reciprocal(x, width)
    return select(less(y, width.power(-1)), shifted_left(y, 1), width.one)


def logistic(x: Value, integer_bits: int, width: Width = WIDE) -> Value:
    """`1 / (1 + e ** -x)` without integer bits."""
    y = reciprocal_of_one_plus(exponential(-abs(x), integer_bits, width), width)
    y = select(less(x, 0), width.one - y, y)
    return select(_is_zero(x), x.like(width.power(-1)), y)


def tangent(x: Value, integer_bits: int, width: Width = WIDE) -> Value:
    """The hyperbolic tangent of `x`, without integer bits."""
    e = exponential(-abs(x), integer_bits + 1, width)
    y = width.saturated_left(_twice_reciprocal(e, width) - width.power(0, 2), 2)
    y = select(less(x, 0), -y, y)
    return select(_is_zero(x), x.like(0), y)


def normalized_reciprocal(x: Value) -> tuple[Value, Value]:
    """A number `r` without integer bits and the leading zeros `z` of `x > 0`: `1 / x` is `r * 2 ** (z - 31)`."""
    zeros = leading_zeros(x)
    fraction = emit(graph.BitwiseAndOp, emit(graph.ShiftLeftOp, x, zeros), x.like(2**31 - 1))
    return reciprocal_of_one_plus(fraction), zeros


def inverse_root(x: Value) -> tuple[Value, Value]:
    """A number `r` without integer bits and a count `s`: `1 / sqrt(x)` is `r * 2 ** -s`, for `x >= 1`."""
    is_large = less(x.like(2**29 - 1), x)
    y = select(is_large, shifted_right(x, 2), x)
    pairs = maximum(shifted_right(leading_zeros(y) - 1, 1) - 1, 0)
    shift = 11 + cast(is_large, I32) - pairs
    y = emit(graph.ShiftLeftOp, y, shifted_left(pairs, 1))
    root = _inverse_root(shifted_right(y, 1))
    root = emit(graph.ShiftLeftOp, root, maximum(-shift, 0))
    is_one = less(x, 2)
    return select(is_one, x.like(ONE), root), select(is_one, x.like(0), maximum(shift, 0))


def _inverse_root(x: Value) -> Value:
    """`1 / sqrt(2 * x)` with three integer bits, by five steps of Newton's method from 1."""
    half = rounded_right(x, 1)
    root = x.like(2**28)
    for _ in range(5):
        cube = saturated_left(high_product(high_product(root, root), root), 6)
        root = saturated_left(high_product(root, 2**28 + 2**27) - high_product(half, cube), 3)
    return high_product(root, _HALF_SQRT_2)


def logarithm(x: Value) -> Value:
    """The natural logarithm, with five integer bits, of `x >= 1` with twelve."""
    zeros = leading_zeros(x)
    normal = _saturated_shift(x, zeros - 1)
    mantissa_a = saturated_left(high_product(normal, _HALF_SQRT_2), 1)
    power_a = shifted_left(12 - zeros, 25) + 2**23
    headroom = leading_zeros(high_product(x, _HALF_SQRT_2)) - 1
    mantissa_b = _saturated_shift(x, headroom)
    power_b = shifted_left(12 - headroom, 25) - 2**23
    mantissa, power = minimum(mantissa_a, mantissa_b), maximum(power_a, power_b)
    rest = _logarithm_near_one(mantissa)
    return saturated_left(high_product(power, 1488522236) + rest, 1)


def _logarithm_near_one(x: Value) -> Value:
    """What the mantissa adds to the logarithm, with six integer bits: a rational function around `2 ** -1/4`."""
    center, alpha_n, alpha_d, alpha_i, alpha_f = 1805811301, 117049297, 127690142, 1057819769, 638450708
    mean = cast(shifted_right(cast(x, I64) + (center + 1), 1), I32)
    q = shifted_left(x - center, 1)
    square = high_product(q, q)
    above = high_product(q, x) + high_product(high_product(q, square), alpha_n)
    below = high_product(mean, q + high_product(square, alpha_d) + alpha_i) + high_product(q, alpha_f)
    return high_product(rounded_right(above, 6), reciprocal_of_one_plus(below))


def _saturated_shift(x: Value, count: Value) -> Value:
    """`x * 2 ** count`, or the end of the range of `i32` that it passes."""
    wide = emit(graph.ShiftLeftOp, cast(x, I64), cast(count, I64))
    return cast(clamp(wide, -(2**31), 2**31 - 1), I32)
