"""Fold batch normalisation with constant parameters into the weights of the layer before it.

    %a = graph.conv %x, %w {…} : …
    %y = graph.batch_norm %a, %scale, %bias, %mean, %var {epsilon = 1.0e-05} : …
->
    %y = graph.conv %x, %w_folded, %b_folded {…} : …

with `w_folded[o] = w[o] * s[o]`, `b_folded = b * s + t`, where `s = scale / sqrt(var + epsilon)` and
`t = bias - mean * s`, all computed in f64 and rounded once. Handles transposed convolutions likewise, and matrix
products, whose bias remains a separate addition. Any other batch normalisation becomes `x * s + t`.

Declined when a parameter is computed at run time, when `s` or `t` is not finite, or when the elements are not floats.
"""

from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import is_finite, known_values, map_lazily, round_to, widened
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import name_for, new_constant, weight_name
from s2s.passes.graph.linear_layers import LinearLayer, constant_operand, linear_layer
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import Array, as_tensor_type, to_numpy
from s2s.types.weights import WeightStore


class Affine(NamedTuple):
    """A batch normalisation as `y[c] = x[c] * scale[c] + shift[c]`, in f64."""

    scale: Array
    shift: Array


def affine_of(op: graph.BatchNormOp, store: WeightStore) -> Affine | None:
    """The scale and shift of `op`; None if they are not constant or not finite."""
    values = known_values(op.operands[1:], store)
    if values is None:
        return None
    scale, bias, mean, var = map(widened, values)
    epsilon = op.epsilon.value.data
    with np.errstate(all="ignore"):
        factor = map_lazily(np.divide, scale, map_lazily(np.sqrt, map_lazily(np.add, var, np.asarray(epsilon))))
        shift = map_lazily(np.subtract, bias, map_lazily(np.multiply, mean, factor))
    return Affine(factor, shift) if is_finite(factor, shift) else None


class BatchNormAfterLinear(WeightPattern):
    """A batch normalisation of a convolution, or of a matrix product whose columns are its channels."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BatchNormOp, rewriter: PatternRewriter) -> None:
        addition, offset = _constant_addition(op.x, self.store)
        layer = linear_layer(op.x if addition is None else addition[0], self.store)
        affine = affine_of(op, self.store)
        if layer is None or affine is None or layer.axis != 1:
            return
        if addition is not None:
            offset = layer.per_channel(offset)
            if offset is None:
                return
        sources: list[Operation] = [layer.op, op] if addition is None else [layer.op, addition[1], op]
        self._fold(op, layer, affine, offset, sources, rewriter)

    def _fold(
        self,
        op: graph.BatchNormOp,
        layer: LinearLayer,
        affine: Affine,
        offset: Array | None,
        sources: list[Operation],
        rewriter: PatternRewriter,
    ) -> None:
        """Scale the weights, and add the shift to the bias, or in an addition behind a matrix product."""
        shift = affine.shift
        for added in (layer.bias, offset):
            if added is not None:
                shift = map_lazily(np.add, shift, map_lazily(np.multiply, widened(added), affine.scale))
        shift = round_to(shift, layer.dtype)
        weights = layer.scaled_weights(affine.scale)
        is_matmul = isinstance(layer.op, graph.MatmulOp)
        made: Operation = layer.rebuilt(weights, None if is_matmul else shift, self.store, rewriter)
        if is_matmul:
            constant = rewriter.insert(new_constant(shift, name_for(op, "bias"), self.store))
            made = rewriter.insert(graph.AddOp(made.results[0], constant.y))
        copy_provenance(made, *sources)
        rewriter.replace(op, [], made.results)


def _constant_addition(value: SSAValue, store: WeightStore) -> tuple[tuple[SSAValue, Operation] | None, Array | None]:
    """If `value` is `x + constant`: `x` with the addition, and the constant."""
    op = value.owner
    if isinstance(op, graph.AddOp) and value.has_one_use():
        for operand in op.operands:
            constant = constant_operand(op, operand, store)
            if constant is not None:
                return (operand, op), constant
    return None, None


class BatchNormAlone(WeightPattern):
    """Any other batch normalisation with known parameters."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.BatchNormOp, rewriter: PatternRewriter) -> None:
        affine = affine_of(op, self.store)
        if affine is None:
            return
        kind = as_tensor_type(op.y.type)
        shape = (-1, *[1] * (kind.get_num_dims() - 2))
        value: SSAValue = op.x
        for make, parameter, source, role in (
            (graph.MulOp, affine.scale, op.scale, "scale"),
            (graph.AddOp, affine.shift, op.bias, "shift"),
        ):
            array = round_to(parameter.reshape(shape), to_numpy(kind.element_type))
            name = weight_name(source)
            constant = rewriter.insert(
                new_constant(array, f"{name}_folded" if name else name_for(op, role), self.store)
            )
            step = rewriter.insert(make(value, constant.y))
            copy_provenance(step, op)
            value = step.y
        rewriter.replace(op, [], [value])


class FoldBatchNormPass(ModulePass):
    """Fold batch normalisations into the layers before them, or into a multiplication and an addition."""

    name = "graph-fold-batch-norm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        rewrite(op, BatchNormAfterLinear(store), BatchNormAlone(store))
