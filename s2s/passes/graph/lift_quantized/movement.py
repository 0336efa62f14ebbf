"""Move the dequantisation behind operations that only move or select values, so that these move integers.

    %y = graph.transpose %x_real
->
    %t = graph.transpose %x
    %y = (cast %t - zp) * scale

A quantisation behind such an operation moves before it, where it meets the sums that it requantises.
"""

import numpy as np
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.quantised_values import Quantised, Scaled, quantised, scaled
from s2s.dialects import graph
from s2s.dialects.graph.base import number
from s2s.passes.graph.lift_quantized.requantise import limits_of
from s2s.passes.graph.maker import Maker
from s2s.passes.graph.moves import MOVES, PADS, moved, rebuilt
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern

PICKS_SOME = (graph.SliceOp, graph.GatherOp)
"""Operations whose results may be much smaller than their operands, so quantising the operand may cost more."""


class MoveOfReals(WeightPattern):
    """`f(dequantised x)` -> `dequantised f(x)`, for tensors with one scale; several operands must have the same one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, MOVES):
            return
        found = [scaled(value, self.store) for value in moved(op)]
        sources = [each for each in found if each is not None and each.axis is None and each.is_small]
        if len(sources) != len(found) or not all(_agree(sources[0], each) for each in sources[1:]):
            return
        first = sources[0]
        fill = self._fill(op, first)
        if fill is None and isinstance(op, PADS) and op.value is not None:
            return
        maker = Maker.of(rewriter, self.store, op)
        made = maker(rebuilt(op, [source.x for source in sources], fill))
        rewriter.replace(op, [], [maker.dequantised(Scaled(made, first.scale, first.zero_point, None))])

    def _fill(self, op: Operation, source: Scaled) -> int | None:
        """The padding value as an integer; None if the operation writes none, or if it is no multiple of the scale."""
        value = number(op.value) if isinstance(op, PADS) else None
        if value is None:
            return None
        units = float(np.rint(np.float32(value) / source.step))
        low, high = limits_of(source.x)
        exact = np.float32(units) * source.step == np.float32(value) and low <= units + source.offset <= high
        return int(units) + source.offset if exact else None


def _agree(a: Scaled, b: Scaled) -> bool:
    return a.element == b.element and a.step == b.step and a.offset == b.offset


class QuantisedMove(WeightPattern):
    """`quantised f(x)` -> `f(quantised x)`, where `f(x)` has no other use."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        target = quantised(op, self.store)
        move = None if target is None else target.real.owner
        if target is None or not isinstance(move, MOVES) or not target.real.has_one_use():
            return
        if isinstance(move, PICKS_SOME) and not move.operands[0].has_one_use():
            return
        fill = self._fill(move, target)
        maker = Maker.of(rewriter, self.store, op)
        values = [maker.quantised(value, target) for value in moved(move)]
        rewriter.replace(op, [], [Maker.of(rewriter, self.store, move)(rebuilt(move, values, fill))])

    def _fill(self, move: Operation, target: Quantised) -> int | None:
        value = number(move.value) if isinstance(move, PADS) else None
        return None if value is None else target.of(value)
