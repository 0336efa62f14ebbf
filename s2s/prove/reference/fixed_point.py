"""The fixed-point arithmetic of TFLite's reference kernels, on values that stand for every input.

Written from the definitions of gemmlowp and TFLite (saturating rounding doubling high multiplication, rounding division
by a power of two), not from what the compiler emits.
"""

from __future__ import annotations

import math

import numpy as np

from s2s.prove.arithmetic import Arithmetic
from s2s.prove.ctypes import I32, I64, IntType
from s2s.prove.values import Number, Value
from s2s.support.frozen import frozen


def quantized_multiplier(real: float) -> tuple[int, int]:
    """A factor as multiplier * 2^(shift - 31), as TFLite's QuantizeMultiplier."""
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    multiplier = math.floor(fraction * 2**31 + 0.5)
    if multiplier == 2**31:
        multiplier, shift = multiplier // 2, shift + 1
    return (0, 0) if shift < -31 else (multiplier, shift)


@frozen
class FixedPoint:
    """Operations as gemmlowp defines them."""

    of: Arithmetic

    def do(self, op: str, a: Value, b: Value, ctype: IntType = I64) -> Value:
        """A plain operation of C."""
        return self.of.binary(op, a, b, ctype)

    def choose(self, op: str, a: Value, b: Value, yes: Value, no: Value) -> Value:
        """`a op b ? yes : no`."""
        return self.of.select(self.of.compare(op, a, b, I64), yes, no, I64)

    def clamp(self, x: Value, low: int, high: int) -> Value:
        """x between low and high."""
        raised = self.choose("<", x, low, low, x)
        return self.choose(">", raised, high, high, raised)

    def high_product(self, a: Value, b: Value) -> Value:
        """SaturatingRoundingDoublingHighMul, for operands that are not both INT32_MIN."""
        product = self.do("*", a, b)
        nudge = self.choose(">=", product, 0, 1 << 30, 1 - (1 << 30))
        return self.do("/", self.do("+", product, nudge), 1 << 31)

    def rounding_shift(self, x: Value, count: Number) -> Value:
        """RoundingDivideByPOT: halves away from zero."""
        mask = (np.int64(1) << np.asarray(count, np.int64)) - 1
        rest = self.do("&", x, mask)
        sign = self.choose("<", x, 0, 1, 0)
        threshold = self.do("+", mask >> 1, sign)
        return self.do("+", self.do(">>", x, count), self.choose(">", rest, threshold, 1, 0))

    def rescale(self, x: Value, multiplier: Number, shift: Number) -> Value:
        """MultiplyByQuantizedMultiplier with two roundings."""
        left, right = np.maximum(shift, 0), np.maximum(-np.asarray(shift), 0)
        raised = self.do("*", x, np.int64(1) << left, I32)
        return self.rounding_shift(self.high_product(raised, multiplier), right)

    def rounded_quotient(self, x: Value, count: Number) -> Value:
        """x / count to the nearest, halves away from zero."""
        half = count // 2
        up, down = self.do("/", self.do("+", x, half), count), self.do("/", self.do("-", x, half), count)
        return self.choose(">", x, 0, up, down)

    def saturated(self, x: Value) -> Value:
        """x in 32 bits."""
        return self.clamp(x, I32.least, I32.most)
