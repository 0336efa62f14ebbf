"""Emit products of a small constant matrix with values in registers, fully unrolled."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, FloatAttr, IntegerAttr, IntegerType, f32, i16, i32
from xdsl.ir import SSAValue

from s2s.analysis.structure.butterflies import Butterflies
from s2s.analysis.structure.winograd import exact_division
from s2s.passes.tensor.lower_to_loop.emitter import Emitter

Element = SSAValue | None
"""A value, or None for zero."""


class MatrixEmitter(NamedTuple):
    """Multiplies vectors of `lanes` lanes by constants known at compile time; factors 0 and 1 cost nothing.

    Integers wrap around.
    """

    emitter: Emitter
    lanes: int
    element: Float32Type | IntegerType = f32
    """f32, i32 or i16."""

    def apply(self, matrix: Butterflies, values: Sequence[Element]) -> list[Element]:
        """`matrix * values`."""
        inputs = list(values)
        for a, b in matrix.before:
            inputs[a], inputs[b] = self._pair(inputs[a], inputs[b], 1.0)
        results = [self._row(row, inputs) for row in matrix.rows]
        for p, q, scale in matrix.after:
            results[p], results[q] = self._pair(results[p], results[q], scale)
        return results

    def zero(self) -> SSAValue:
        """Zero in every lane."""
        return self._number(0.0)

    def _pair(self, a: Element, b: Element, scale: float) -> tuple[Element, Element]:
        return self._plus(a, b, scale, "sum"), self._plus(a, b, -scale, "diff")

    def _row(self, row: Sequence[float], values: Sequence[Element]) -> Element:
        terms = [(factor, value) for factor, value in zip(row, values, strict=True) if factor and value is not None]
        total: Element = None
        for factor, value in sorted(terms, key=lambda term: term[0] != 1.0):
            total = self._plus(total, value, factor, "sum")
        return total

    def _plus(self, total: Element, value: Element, factor: float, hint: str) -> Element:
        """`total + factor * value`."""
        if value is None:
            return total
        if total is None:
            return self._times(factor, value, hint)
        if abs(factor) == 1.0:
            plus, minus = (arith.AddfOp, arith.SubfOp) if self.element == f32 else (arith.AddiOp, arith.SubiOp)
            op = plus(total, value) if factor > 0 else minus(total, value)
            return self.emitter.add(op, hint).result
        if self.element in (i16, i32):
            scaled = self._times(abs(factor), value, hint)
            op = arith.AddiOp(total, scaled) if factor > 0 else arith.SubiOp(total, scaled)
            return self.emitter.add(op, hint).result
        return self.emitter.add(arith.AddfOp(total, self._times(factor, value, hint)), hint).result

    def divided(self, value: SSAValue, divisor: int) -> SSAValue:
        """`value / divisor`, which is an integer."""
        places, inverse = exact_division(divisor)
        if inverse != 1:
            value = self.emitter.add(arith.MuliOp(value, self._number(inverse)), value.name_hint).result
        if places:
            value = self.emitter.add(arith.ShRSIOp(value, self._number(places)), value.name_hint).result
        return value

    def _times(self, factor: float, value: SSAValue, hint: str) -> SSAValue:
        if factor == 1.0:
            return value
        if self.element in (i16, i32) and factor < 0.0:
            return self.emitter.add(arith.SubiOp(self.zero(), self._times(-factor, value, hint)), hint).result
        if self.element == i16:
            return self._repeated(int(factor), value, hint)
        if self.element == i32:
            return self.emitter.add(arith.MuliOp(value, self._number(factor)), hint).result
        if factor == -1.0:
            return self.emitter.add(arith.NegfOp(value), hint).result
        return self.emitter.add(arith.MulfOp(self._number(factor), value), hint).result

    def _repeated(self, times: int, value: SSAValue, hint: str) -> SSAValue:
        """`times * value` by additions: words of two numbers of 16 bits have no products of each with a constant."""
        total: SSAValue | None = None
        while True:
            if times & 1:
                total = value if total is None else self.emitter.add(arith.AddiOp(total, value), hint).result
            times >>= 1
            if not times and total is not None:
                return total
            value = self.emitter.add(arith.AddiOp(value, value), hint).result

    def _number(self, value: float) -> SSAValue:
        element = self.element
        number = IntegerAttr(int(value), element) if isinstance(element, IntegerType) else FloatAttr(value, f32)
        return self.emitter.splat(self.emitter.constant(number), self.lanes)
