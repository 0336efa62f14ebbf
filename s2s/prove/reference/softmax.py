"""Softmax of TFLite's reference kernel for int8: gemmlowp's exponential and reciprocal in fixed point."""

from __future__ import annotations

import math

import numpy as np

from s2s.prove.arithmetic import bounds
from s2s.prove.ctypes import U32
from s2s.prove.functions import Expression, X, merged
from s2s.prove.reference.fixed_point import FixedPoint, quantized_multiplier
from s2s.prove.values import Form, Value

INTEGER_BITS = 5
"""Of the scaled differences."""
SUM_BITS = 12
"""Integer bits of the sum."""


def high_product(a: int, b: int) -> int:
    """SaturatingRoundingDoublingHighMul of two numbers."""
    if a == b == -(2**31):
        return 2**31 - 1
    product = a * b
    rounded = product + ((1 << 30) if product >= 0 else 1 - (1 << 30))
    return rounded // 2**31 if rounded >= 0 else -(-rounded // 2**31)


def rounding_shift(x: int, count: int) -> int:
    """RoundingDivideByPOT of a number."""
    mask = (1 << count) - 1
    return (x >> count) + int((x & mask) > (mask >> 1) + (x < 0))


def saturated(x: int) -> int:
    """x in 32 bits."""
    return max(-(2**31), min(2**31 - 1, x))


def exp_on_quarter(a: int) -> int:
    """e^a for -1/4 <= a < 0 in Q0.31."""
    x = a + (1 << 28)
    x2 = high_product(x, x)
    x3 = high_product(x2, x)
    x4 = high_product(x2, x2)
    quarter = rounding_shift(x4, 2)
    polynomial = rounding_shift(high_product(quarter + x3, 715827883) + x2, 1)
    return saturated(1895147668 + high_product(1895147668, x + polynomial))


BARREL = ((-2, 1672461947), (-1, 1302514674), (0, 790015084), (1, 290630308), (2, 39332535), (3, 720401), (4, 242))


def exp_on_negative(a: int) -> int:
    """e^a for a <= 0 with 5 integer bits, in Q0.31."""
    quarter = 1 << (31 - INTEGER_BITS - 2)
    mask = quarter - 1
    remainder = (a & mask) - quarter
    result = exp_on_quarter(saturated(remainder << INTEGER_BITS))
    rest = remainder - a
    for exponent, multiplier in BARREL:
        if rest & (1 << (31 - INTEGER_BITS + exponent)):
            result = high_product(result, multiplier)
    return 2**31 - 1 if a == 0 else result


def exponentials(scale: float, beta: float) -> np.ndarray:
    """The exponential of each difference -255 to 0 in Q0.31; 0 below the least difference that counts."""
    real = min(beta * scale * (1 << (31 - INTEGER_BITS)), float(2**31 - 1))
    multiplier, shift = quantized_multiplier(real)
    least = -math.floor(((1 << INTEGER_BITS) - 1) * 2 ** (31 - INTEGER_BITS) / 2**shift)
    return np.array(
        [
            0 if difference < least else exp_on_negative(high_product(difference * (1 << shift), multiplier))
            for difference in range(-255, 1)
        ],
        np.int64,
    )


def reciprocal(to: FixedPoint, total: Value, zeros: Value) -> Value:
    """1 / total as gemmlowp's one_over_one_plus_x: three steps of Newton's method on the shifted sum."""
    shifted = to.do("-", to.do("<<", total, zeros), 1 << 31)
    half = to.do("/", to.do("+", shifted, 1 << 31), 2)
    x = to.saturated(to.do("+", 1515870810, to.high_product(half, -1010580540)))
    for _ in range(3):
        rest = to.do("-", 1 << 29, to.high_product(half, x))
        x = to.do("+", x, to.saturated(to.do("*", to.high_product(x, rest), 4)))
    return to.saturated(to.do("*", x, 2))


def softmax(to: FixedPoint, row: list[Form], scale: float, beta: float) -> list[Value]:
    """One row of the softmax."""
    table = exponentials(scale, beta)
    greatest: Value = row[0]
    for each in row[1:]:
        greatest = to.choose(">", greatest, each, greatest, each)
    exponential = merged(np.arange(-255, 1), table, 0)
    powers: list[Value] = []
    for each in row:
        difference = to.of.tightened(to.of.linear(to.do("-", each, greatest)))
        powers.append(to.of.made(difference, Expression("table", (X,), value=exponential), [bounds(difference)]))
    total: Value = 0
    for power in powers:
        total = to.do("+", total, to.rounding_shift(power, SUM_BITS))
    assert isinstance(total, Form)
    total = to.of.tightened(total)
    zeros = to.of.unary("clz", total, U32)
    scaled = to.of.linear(reciprocal(to, total, zeros))
    count = to.do("-", SUM_BITS + 31 - 8, zeros)
    return [_output(to, power, scaled, count) for power in powers]


def _output(to: FixedPoint, power: Value, scaled: Value, count: Value) -> Value:
    """One element: the product, rounded and shifted by a count that depends on the sum."""
    product = to.high_product(scaled, power)
    mask = to.do("-", to.do("<<", 1, count), 1)
    rest = to.do("&", product, mask)
    rounded = to.do("+", to.do(">>", product, count), to.choose(">", rest, to.do(">>", mask, 1), 1, 0))
    return to.clamp(to.do("-", rounded, 128), -128, 127)
