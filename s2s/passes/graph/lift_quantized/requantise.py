"""Combine a dequantisation and a quantisation into one requantisation.

    %y = cast(clamp(round(%s_real / y_scale) + y_zp)),  %s_real = (cast %s) * s_scale
->
    %y = cast(clamp(round((cast %s) * (s_scale / y_scale)) + y_zp))

The combined scale is computed in f32, as in onnxruntime's QLinearConv. Clamps in between (a relu) become limits of
the integers, since quantisation is monotonic.
"""

import math

import numpy as np
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.quantised_values import Quantised, Scaled, along, quantised, scaled, without_limits
from s2s.dialects import graph
from s2s.passes.graph.maker import Maker
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern
from s2s.types.dtypes import as_tensor_type, to_numpy


class Requantisation(WeightPattern):
    """The quantisation of a dequantised tensor, with or without a clamp."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.CastOp, rewriter: PatternRewriter) -> None:
        target = quantised(op, self.store)
        if target is None:
            return
        real, low, high = without_limits(target.real)
        source = scaled(real, self.store)
        if source is None:
            return
        if _is_same(source, target) and math.isinf(low) and math.isinf(high):
            rewriter.replace(op, [], [source.x])
            return
        factor = (source.scale / target.scale).astype(np.float32)
        if not (np.isfinite(factor).all() and (factor > 0).all()):
            return
        maker = Maker.of(rewriter, self.store, *([real.owner] if isinstance(real.owner, graph.MulOp) else []), op)
        y = maker.unscaled(source)
        rank = as_tensor_type(y.type).get_num_dims()
        y = maker(graph.MulOp(y, maker.constant(along(factor, source.axis, rank), "factor")))
        rewriter.replace(op, [], [maker.rounded(y, target, target.of(low), target.of(high))])


def _is_same(source: Scaled, target: Quantised) -> bool:
    """Whether quantising yields the same integers that were dequantised."""
    return (
        source.axis is None
        and source.is_small
        and source.element == target.element
        and source.step == target.scale
        and source.offset == target.zero_point
        and (target.low, target.high) == limits_of(source.x)
    )


def limits_of(x: SSAValue) -> tuple[int, int]:
    """The smallest and the largest value of the element type of `x`."""
    info = np.iinfo(to_numpy(as_tensor_type(x.type).element_type))
    return int(info.min), int(info.max)
