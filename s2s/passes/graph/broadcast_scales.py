"""Give each channel a multiplier and a shift of its own where all have the same: they are weights then, not code.

    %m = graph.constant dense<1073741824> : tensor<i32>
    %s = graph.constant dense<-3> : tensor<i8>
    %y = graph.rescale %x, %m, %s {rounding = "double"} : (tensor<2x3xi32>, …) -> tensor<2x3xi8>
->
    %m = graph.constant dense<1073741824> : tensor<3xi32>
    %s = graph.constant dense<-3> : tensor<3xi8>
    %y = graph.rescale %x, %m, %s {rounding = "double", axis = 1} : (tensor<2x3xi32>, …) -> tensor<2x3xi8>

A pack of weights (`--weights pack`) then brings the scales of a retrained model. The vectors run along the last
dimension.

Declined for scalars, for scales that a run computes, and where the last dimension has one element, since a vector of
one is a number of the code again.
"""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.support.frozen import frozen


class RescaleByScalars(WeightPattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.RescaleOp, rewriter: PatternRewriter) -> None:
        shape = type_of(op.x).get_shape()
        if op.channel_axis is not None or not shape or shape[-1] < 2:
            return
        multiplier = self._vector(op.multiplier, shape[-1], name_for(op, "multiplier"))
        shift = self._vector(op.shift, shape[-1], name_for(op, "shift"))
        if multiplier is None or shift is None:
            return
        input_zp, output_zp = op.zero_points
        low, high = op.limits
        rescaled = graph.RescaleOp(
            op.x,
            multiplier,
            shift,
            op.y.type.element_type,
            rounding=op.rounding_mode,
            input_zp=input_zp,
            output_zp=output_zp,
            min=low,
            max=high,
            axis=len(shape) - 1,
        )
        copy_provenance(rescaled, op)
        rewriter.replace(op, [multiplier, shift, rescaled], [rescaled.y])

    def _vector(self, value: SSAValue, size: int, name: str) -> graph.ConstantOp | graph.WeightOp | None:
        known = known_value(value, self.store)
        if known is None or known.size != 1:
            return None
        return new_constant(np.full(size, known.reshape(()), known.dtype), name, self.store)


@frozen
class BroadcastScalesPass(ModulePass):
    name = "graph-broadcast-scales"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, RescaleByScalars(weights_of(ctx)))
