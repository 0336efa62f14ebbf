"""Replace a decomposed layer normalisation by one `graph.layer_norm`.

    %m = graph.reduce_mean %x {axes = [2], keepdims} : …
    %c = graph.sub %x, %m : …
    %v = graph.reduce_mean (graph.mul %c, %c) {axes = [2], keepdims} : …
    %n = graph.div %c, (graph.sqrt (graph.add %v, 1e-5)) : …
    %y = graph.add (graph.mul %n, %scale), %bias : …
->
    %y = graph.layer_norm %x scale %scale bias %bias {axis = 2, epsilon = 1e-5} : …

Exporters decompose a norm if their operator set has no operator for it. As one operation it becomes one kernel, in
which a row stays in the cache. Scale and bias are optional; they must be constants that vary along the last dimension.

Declined for other dimensions than the last one, where an intermediate result has another use, and where epsilon is no
constant.
"""

from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from s2s.analysis.numbers.known_values import is_known, splat_value
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import type_of
from s2s.passes.context import weights_of
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import is_float
from s2s.types.weights import WeightStore


def mean_of(value: SSAValue) -> tuple[graph.ReduceMeanOp, SSAValue] | None:
    """If `value` is a mean along the last dimension with `keepdims`: the reduction, and its operand."""
    op = value.owner
    if not isinstance(op, graph.ReduceMeanOp) or op.keepdims is None:
        return None
    last = len(type_of(op.x).get_shape()) - 1
    return (op, op.x) if tuple(op.axes.get_values()) == (last,) else None


class Deviation(NamedTuple):
    """The operations that compute `sqrt(mean(centred ** 2) + epsilon)`, the last one first."""

    steps: tuple[Operation, ...]
    centred: SSAValue
    epsilon: float


def deviation_of(value: SSAValue, store: WeightStore) -> Deviation | None:
    """Match the operations that compute `value` as a standard deviation."""
    root = value.owner
    if not isinstance(root, graph.SqrtOp) or not isinstance(root.x.owner, graph.AddOp):
        return None
    shifted = root.x.owner
    for variance, added in ((shifted.a, shifted.b), (shifted.b, shifted.a)):
        epsilon, mean = splat_value(added, store), mean_of(variance)
        if epsilon is None or mean is None or variance.type != shifted.y.type:
            continue
        square = mean[1].owner
        if isinstance(square, graph.MulOp) and square.a is square.b:
            return Deviation((root, shifted, mean[0], square), square.a, float(epsilon))
    return None


class NormInSteps(WeightPattern):
    """`(x - mean(x)) / sqrt(mean((x - mean(x)) ** 2) + epsilon)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.DivOp, rewriter: PatternRewriter) -> None:
        found, centred = deviation_of(op.b, self.store), op.a.owner
        if found is None or found.centred is not op.a or not isinstance(centred, graph.SubOp):
            return
        mean, element = mean_of(centred.b), type_of(op.y).element_type
        if mean is None or mean[1] is not centred.a or not is_float(element):
            return
        steps = (*found.steps, centred, mean[0])
        if not all(use.operation in (*steps, op) for step in steps for use in step.results[0].uses):
            return
        norm = graph.LayerNormOp(centred.a, axis=len(type_of(op.y).get_shape()) - 1, epsilon=found.epsilon)
        copy_provenance(norm, *reversed(steps), op)
        rewriter.replace(op, norm)


class ParameterOfNorm(RewritePattern):
    """A scale after a norm that has no parameters yet, or a bias after one that has no bias."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MulOp | graph.AddOp, rewriter: PatternRewriter) -> None:
        for value, parameter in ((op.a, op.b), (op.b, op.a)):
            norm = value.owner
            if not isinstance(norm, graph.LayerNormOp) or norm.bias is not None or not value.has_one_use():
                continue
            shape = type_of(norm.x).get_shape()
            fits = is_known(parameter) and type_of(parameter).element_type == type_of(norm.y).element_type
            if not fits or type_of(parameter).get_shape() != shape[-1:] or norm.axis.value.data != len(shape) - 1:
                continue
            scales = isinstance(op, graph.MulOp)
            if scales and norm.scale is not None:
                continue
            made = graph.LayerNormOp(
                norm.x,
                parameter if scales else norm.scale,
                None if scales else parameter,
                axis=norm.axis.value.data,
                epsilon=norm.epsilon.value.data,
            )
            copy_provenance(made, norm, op)
            rewriter.replace(op, made)
            return


class FormLayerNormsPass(ModulePass):
    """Replace decomposed layer norms by `graph.layer_norm`."""

    name = "graph-form-layer-norms"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, NormInSteps(weights_of(ctx)), ParameterOfNorm())
