"""Rewrite chains of minimum, maximum and clamp as one clamp.

    %a = graph.maximum %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %y = graph.minimum %a, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
->
    %y = graph.clamp %x {min = 0.0 : f64, max = 6.0 : f64} : tensor<4xf32>

A clamp of a clamp is one clamp; both propagate NaN. A clamp of a rescaled value narrows the limits of the rescale:

    %a = graph.rescale %x, %m, %s {rounding = "double"} : (…) -> tensor<4xi8>
    %y = graph.clamp %a {min = -5 : i64} : tensor<4xi8>
->
    %y = graph.rescale %x, %m, %s {min = -5 : i64, rounding = "double"} : (…) -> tensor<4xi8>

Declined where the rescaled value has other uses, and when the limit is not one number for all elements, is NaN,
or makes the result larger than the operand.
"""

import math

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from s2s.analysis.numbers.known_values import splat_value
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import MAX_INTEGER_ATTRIBUTE, number
from s2s.passes.context import weights_of
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite


class LimitByConstant(WeightPattern):
    """`maximum(x, c)` and `minimum(x, c)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MaximumOp | graph.MinimumOp, rewriter: PatternRewriter) -> None:
        for x, other in ((op.a, op.b), (op.b, op.a)):
            limit = splat_value(other, self.store)
            if limit is None or math.isnan(limit) or x.type != op.y.type:
                continue
            if isinstance(limit, int) and limit > MAX_INTEGER_ATTRIBUTE:
                continue
            clamp = graph.ClampOp(x, min=limit) if isinstance(op, graph.MaximumOp) else graph.ClampOp(x, max=limit)
            copy_provenance(clamp, op)
            rewriter.replace(op, clamp)
            return


class ClampOfClamp(RewritePattern):
    """Compose two clamps into one.

    With `g(t) = minimum(maximum(t, min), max)` the outer clamp, `g(clamp(x, a, b)) = clamp(x, g(a), g(b))`, as `g` is
    monotonic.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ClampOp, rewriter: PatternRewriter) -> None:
        inner = op.x.owner
        if not isinstance(inner, graph.ClampOp):
            return
        low, high = _limit(number(inner.min), op, -math.inf), _limit(number(inner.max), op, math.inf)
        clamp = graph.ClampOp(inner.x, min=low, max=high)
        copy_provenance(clamp, inner, op)
        rewriter.replace(op, clamp)


class ClampOfRescale(RewritePattern):
    """A clamp of a rescaled value that has no other use."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ClampOp, rewriter: PatternRewriter) -> None:
        inner = op.x.owner
        if not isinstance(inner, graph.RescaleOp) or not op.x.has_one_use():
            return
        least, most = inner.limits
        low, high = _limit(least, op, math.nan), _limit(most, op, math.nan)
        made = graph.RescaleOp(
            inner.x,
            inner.multiplier,
            inner.shift,
            inner.y.type.element_type,
            rounding=inner.rounding_mode,
            input_zp=inner.zero_points[0],
            output_zp=inner.zero_points[1],
            min=None if low is None else int(low),
            max=None if high is None else int(high),
            axis=inner.channel_axis,
        )
        copy_provenance(made, inner, op)
        rewriter.replace(op, made)


def _limit(inner: int | float | None, outer: graph.ClampOp, absent: float) -> int | float | None:
    """`outer` applied to a limit of the inner clamp; None if neither has a limit on that side."""
    value: int | float = absent if inner is None else inner
    low, high = number(outer.min), number(outer.max)
    if low is not None:
        value = max(value, low)
    if high is not None:
        value = min(value, high)
    return None if value == absent else value


class CanonicalizeActivationsPass(ModulePass):
    """Rewrite limits of values as `graph.clamp`."""

    name = "graph-canonicalize-activations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, LimitByConstant(weights_of(ctx)), ClampOfClamp(), ClampOfRescale())
