"""Fold per-channel constants that scale or shift the result of a layer into its weights and bias.

    %a = graph.conv %x, %w {…} : …
    %b = graph.mul %a, %c : (tensor<1x16x8x8xf32>, tensor<16x1x1xf32>) -> …
    %y = graph.add %b, %d : (tensor<1x16x8x8xf32>, tensor<16x1x1xf32>) -> …
->
    %y = graph.conv %x, %w_folded, %bias {…} : …

Handles `sub`, `div` and `neg` as well, transposed convolutions, and multiplications of matrix products (which have no
bias, so an addition remains an addition; a multiplication behind it scales both). Products are computed in f64 and
rounded once.

Declined when the constant varies along other dimensions than the channels, when the layer has another use, when weights
are computed, or for elements that are not floats; and for a factor whose product is rounded: that is the scale of a
quantisation, where half a unit matters and which later passes match.
"""

from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import is_finite, map_lazily, round_to, widened
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import name_for, new_constant
from s2s.passes.graph.linear_layers import (
    LinearLayer,
    constant_operand,
    convolution_layer,
    linear_layer,
)
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore


def _sum(a: Array | None, b: Array) -> Array:
    return b if a is None else map_lazily(np.add, widened(a), b)


class AdditionToConvolution(WeightPattern):
    """`conv + c`, `c + conv`, `conv - c`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.AddOp | graph.SubOp, rewriter: PatternRewriter) -> None:
        for operand in op.operands if isinstance(op, graph.AddOp) else op.operands[:1]:
            layer = convolution_layer(operand, self.store)
            added = layer and layer.per_channel(constant_operand(op, operand, self.store))
            if layer is None or added is None:
                continue
            if isinstance(op, graph.SubOp):
                added = map_lazily(np.negative, added)
            made = layer.rebuilt(None, round_to(_sum(layer.bias, added), layer.dtype), self.store, rewriter)
            copy_provenance(made, op)
            rewriter.replace(op, [], made.results)
            return


class Scaling(NamedTuple):
    """A view of `op` as `value * factor`; `factor` is an f64 constant of any shape that broadcasts to `value`."""

    value: SSAValue
    factor: Array


def scaling_of(op: Operation, store: WeightStore) -> list[Scaling]:
    """All views of `op` as a multiplication by a constant."""
    match op:
        case graph.NegOp():
            return [Scaling(op.x, np.asarray(-1.0))]
        case graph.DivOp():
            divisor = constant_operand(op, op.a, store)
            if divisor is None:
                return []
            with np.errstate(all="ignore"):
                return [Scaling(op.a, map_lazily(np.reciprocal, widened(divisor)))]
        case graph.MulOp():
            found = ((operand, constant_operand(op, operand, store)) for operand in op.operands)
            return [Scaling(operand, widened(factor)) for operand, factor in found if factor is not None]
        case _:
            return []


def is_rounded(op: Operation) -> bool:
    """Whether the result of `op` is rounded: its factor is then the scale of a quantisation."""
    return any(isinstance(use.operation, graph.RoundOp) for use in op.results[0].uses)


class ScalingOfLayer(WeightPattern):
    """`conv * c`, `matmul / c`, `-conv`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MulOp | graph.DivOp | graph.NegOp, rewriter: PatternRewriter) -> None:
        for scaling in () if is_rounded(op) else scaling_of(op, self.store):
            layer = linear_layer(scaling.value, self.store)
            scale = layer and layer.per_channel(scaling.factor)
            if layer is not None and scale is not None and is_finite(scale):
                made = scaled(layer, scale, self.store, rewriter)
                copy_provenance(made, op)
                rewriter.replace(op, [], made.results)
                return


class ScalingOfSum(WeightPattern):
    """`(matmul + c) * d` -> `matmul * d + c * d`, with both multiplications folded."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MulOp | graph.DivOp | graph.NegOp, rewriter: PatternRewriter) -> None:
        for scaling in () if is_rounded(op) else scaling_of(op, self.store):
            addition = scaling.value.owner
            if not isinstance(addition, graph.AddOp) or not scaling.value.has_one_use():
                continue
            for operand in addition.operands:
                layer = linear_layer(operand, self.store)
                added = layer and layer.per_channel(constant_operand(addition, operand, self.store))
                scale = layer and layer.per_channel(scaling.factor)
                if layer is None or added is None or scale is None or not is_finite(scale):
                    continue
                shift = round_to(map_lazily(np.multiply, added, scale), layer.dtype)
                made = scaled(layer, scale, self.store, rewriter)
                constant = rewriter.insert(new_constant(shift, name_for(addition, "bias"), self.store))
                total = rewriter.insert(graph.AddOp(made.y, constant.y))
                copy_provenance(total, addition, op)
                rewriter.replace(op, [], [total.y])
                return


def scaled(layer: LinearLayer, scale: Array, store: WeightStore, rewriter: PatternRewriter) -> graph.LayerOp:
    """Insert the layer with its weights and bias times `scale`."""
    bias = None
    if layer.bias is not None:
        bias = round_to(map_lazily(np.multiply, widened(layer.bias), scale), layer.dtype)
    return layer.rebuilt(layer.scaled_weights(scale), bias, store, rewriter)


class CanonicalizeBiasPass(ModulePass):
    """Fold per-channel scales and offsets into the layer before them."""

    name = "graph-canonicalize-bias"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        rewrite(op, AdditionToConvolution(store), ScalingOfLayer(store), ScalingOfSum(store))
