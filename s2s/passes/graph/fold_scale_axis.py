"""Fold factors of channels into the weights of a layer beyond the activations and pools between them.

Backward, into the layer before:

    %a = graph.conv %x, %w : …
    %b = graph.clamp %a {min = 0.0} : …
    %y = graph.mul %b, %c : (tensor<1x16x8x8xf32>, tensor<16x1x1xf32>) -> …
->
    %a = graph.conv %x, %w_folded : …                    // w[o] * c[o]
    %y = graph.clamp %a {min = 0.0} : …

Forward, into the layer behind:

    %a = graph.mul %x, %c : (tensor<1x16x8x8xf32>, tensor<16x1x1xf32>) -> …
    %b = graph.max_pool %a {…} : …
    %y = graph.conv %b, %w : …
->
    %b = graph.max_pool %x {…} : …
    %y = graph.conv %b, %w_folded : …                    // w[o, i] * c[i]

A positive factor commutes with relu and max pooling, any factor with average pooling and padding by zeros. For example,
`max(0, x) * 3 = max(0, 3 * x)`, but `max(0, x) * -3` is no `max(0, y)`. Factors directly behind a layer are left to
`graph-canonicalize-bias`. Products are computed in f64 and rounded once.

Declined for factors that vary along other dimensions than the channels, for values in between that have other uses, for
weights that are computed or read by another layer, and for elements that are not floats; and for a factor whose product
is rounded, which is the scale of a quantisation.
"""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from s2s.analysis.numbers.known_values import is_finite, known_value, map_lazily, per_channel, round_to, widened
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import number, type_of
from s2s.passes.context import weights_of
from s2s.passes.graph.canonicalize_bias import is_rounded, scaled, scaling_of
from s2s.passes.graph.constants import name_for, new_constant, weight_name
from s2s.passes.graph.linear_layers import linear_layer
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import is_float, to_numpy


def _is_relu(op: Operation) -> bool:
    return isinstance(op, graph.ClampOp) and number(op.min) == 0 and op.max is None


def _pads_zeros(op: Operation) -> bool:
    return isinstance(op, graph.PadOp) and op.mode.data == "constant" and not number(op.value)


def _source(value: SSAValue, *, positive: bool) -> SSAValue | None:
    """The operand of the operation that computes `value`, if a factor of channels commutes with the operation."""
    op = value.owner
    if not isinstance(op, Operation) or not value.has_one_use():
        return None
    if isinstance(op, graph.AvgPoolOp) or _pads_zeros(op):
        return op.operands[0]
    return op.operands[0] if positive and (_is_relu(op) or isinstance(op, graph.MaxPoolOp)) else None


class ScalingBehindActivation(WeightPattern):
    """`relu(conv) * c`: the factor goes backward."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MulOp | graph.DivOp, rewriter: PatternRewriter) -> None:
        for scaling in () if is_rounded(op) else scaling_of(op, self.store):
            if scaling.value.type != op.y.type:
                continue
            value, positive = scaling.value, bool(np.all(scaling.factor > 0))
            while (source := _source(value, positive=positive)) is not None:
                value = source
            layer = linear_layer(value, self.store) if value is not scaling.value else None
            scale = layer and layer.per_channel(scaling.factor)
            if layer is None or scale is None or not is_finite(scale) or not layer.op.operands[1].has_one_use():
                continue
            rewriter.insertion_point = InsertPoint.before(layer.op)
            made = scaled(layer, scale, self.store, rewriter)
            copy_provenance(made, op)
            rewriter.replace(layer.op, [], made.results)
            rewriter.replace(op, [], [scaling.value])
            return


class ScalingBeforeLayer(WeightPattern):
    """`conv(relu(x * c))`: the factor goes forward."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.LayerOp, rewriter: PatternRewriter) -> None:
        data, weights = op.operands[0], known_value(op.operands[1], self.store)
        if weights is None or not op.operands[1].has_one_use() or not is_float(type_of(op).element_type):
            return
        axis, rank = op.in_axis, type_of(data).get_num_dims()
        value, positive = data, False
        while (source := _source(value, positive=True)) is not None:
            positive |= not isinstance(value.owner, graph.AvgPoolOp | graph.PadOp)
            value = source
        multiplication = value.owner
        if not isinstance(multiplication, graph.MulOp) or not value.has_one_use():
            return
        for scaling in scaling_of(multiplication, self.store):
            channels = type_of(data).get_shape()[axis]
            scale = per_channel(scaling.factor, rank, axis, channels)
            if scale is None or scaling.value.type != value.type or (positive and not np.all(scale > 0)):
                continue
            product = map_lazily(np.multiply, widened(weights), op.factors(scale, weights.shape, outputs=False))
            folded = round_to(product, to_numpy(type_of(op.operands[1]).element_type))
            if not is_finite(folded):
                continue
            name = weight_name(op.operands[1])
            known = rewriter.insert(new_constant(folded, f"{name}_folded" if name else name_for(op, "w"), self.store))
            made = type(op).create(
                operands=[data, known.y, *op.operands[2:]],
                result_types=op.result_types,
                properties=dict(op.properties),
                attributes=dict(op.attributes),
            )
            copy_provenance(made, multiplication)
            rewriter.replace(op, made)
            rewriter.replace(multiplication, [], [scaling.value])
            return


class FoldScaleAxisPass(ModulePass):
    """Fold factors of channels into the weights of a layer that activations or pools keep them from."""

    name = "graph-fold-scale-axis"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, ScalingBehindActivation(weights_of(ctx)), ScalingBeforeLayer(weights_of(ctx)))
