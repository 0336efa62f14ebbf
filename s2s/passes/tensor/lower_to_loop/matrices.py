"""Emit products of a small constant matrix with values in registers, fully unrolled."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32, i32
from xdsl.ir import Attribute, SSAValue

from s2s.analysis.structure.butterflies import Butterflies
from s2s.passes.tensor.lower_to_loop.emitter import Emitter

Element = SSAValue | None
"""A value, or None for zero."""


class MatrixEmitter(NamedTuple):
    """Multiplies vectors of `lanes` lanes by constants known at compile time; factors 0 and 1 cost nothing.

    Integers wrap around at 32 bits.
    """

    emitter: Emitter
    lanes: int
    element: Attribute = f32
    """f32 or i32."""

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
        return self.emitter.add(arith.AddfOp(total, self._times(factor, value, hint)), hint).result

    def _times(self, factor: float, value: SSAValue, hint: str) -> SSAValue:
        if factor == 1.0:
            return value
        if self.element == i32:
            return self.emitter.add(arith.SubiOp(self.zero(), value), hint).result
        if factor == -1.0:
            return self.emitter.add(arith.NegfOp(value), hint).result
        return self.emitter.add(arith.MulfOp(self._number(factor), value), hint).result

    def _number(self, value: float) -> SSAValue:
        number = FloatAttr(value, f32) if self.element == f32 else IntegerAttr(int(value), i32)
        return self.emitter.splat(self.emitter.constant(number), self.lanes)
