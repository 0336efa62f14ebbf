"""Fold the zero point of an integer layer's input into its bias.

    %y = graph.conv %x, %w, %b {input_zp = 3, pads = array<i64: 0, 0, 0, 0>, …} : (…, tensor<8xi32>) -> …
->
    %y = graph.conv %x, %w, %b_folded {pads = array<i64: 0, 0, 0, 0>, …} : (…, tensor<8xi32>) -> …

with `b_folded[o] = b[o] - input_zp * sum(w[o, …] - weight_zp)`. A convolution without bias gets one. In a matrix
product with a constant second operand, `a_zp` is folded into the constant that is added to the product; without such an
addition, the pass inserts one.

Sums wrap around, so the result is the same for all inputs. Declined when weights are computed, for
convolutions with padding (which contributes zero to the sum, not minus the zero point), and for transposed
convolutions, whose outputs see different parts of the kernel.
"""

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value
from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.passes.context import weights_of
from s2s.passes.graph.constants import name_for, new_constant, weight_name
from s2s.passes.graph.linear_layers import constant_operand
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import Array, as_tensor_type, to_numpy
from s2s.types.weights import WeightStore


def _without(op: Operation, name: str) -> dict[str, Attribute]:
    return {key: value for key, value in op.properties.items() if key != name}


def _constant(
    value: Array, old: SSAValue | None, op: Operation, store: WeightStore, rewriter: PatternRewriter
) -> SSAValue:
    name = None if old is None else weight_name(old)
    wish = f"{name}_folded" if name else name_for(op, "bias")
    return rewriter.insert(new_constant(value, wish, store)).y


class ZeroPointOfConvolution(WeightPattern):
    """A convolution without padding."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ConvOp, rewriter: PatternRewriter) -> None:
        rule = op.accumulation
        weights = known_value(op.w, self.store)
        bias = None if op.b is None else known_value(op.b, self.store)
        if not rule.x_zp or any(op.pads.get_values()) or weights is None or (op.b is not None and bias is None):
            return
        sums = (weights.astype(np.int64) - rule.w_zp).sum(axis=tuple(range(1, weights.ndim)))
        dtype = to_numpy(op.y.type.element_type)
        folded = ((0 if bias is None else bias.astype(np.int64)) - rule.x_zp * sums).astype(dtype)
        made = graph.ConvOp.create(
            operands=[op.x, op.w, _constant(folded, op.b, op, self.store, rewriter)],
            result_types=op.result_types,
            properties=_without(op, "input_zp"),
            attributes=dict(op.attributes),
        )
        rewriter.replace(op, made)


class ZeroPointOfProduct(WeightPattern):
    """A matrix product with a constant, and the addition of a constant to the product, if there is one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MatmulOp, rewriter: PatternRewriter) -> None:
        rule, weights = op.accumulation, known_value(op.b, self.store)
        if not rule.x_zp or weights is None or weights.ndim != 2:
            return
        axis = 0 if op.transpose_b is None else 1
        dtype = to_numpy(op.y.type.element_type)
        folded = (-rule.x_zp * (weights.astype(np.int64) - rule.w_zp).sum(axis=axis)).astype(dtype)
        product = rewriter.insert(
            graph.MatmulOp.create(
                operands=op.operands,
                result_types=op.result_types,
                properties=_without(op, "a_zp"),
                attributes=dict(op.attributes),
            )
        )
        addition, bias = self._addition(op)
        if addition is None or bias is None:
            total = rewriter.insert(graph.AddOp(product.y, _constant(folded, None, op, self.store, rewriter)))
            copy_provenance(total, op)
            rewriter.replace(op, [], [total.y])
            return
        rewriter.replace(op, [], [product.y])
        with np.errstate(over="ignore"):
            value = (np.asarray(known_value(bias, self.store)) + folded).astype(dtype)
        rewriter.insertion_point = rewriter.insertion_point.before(addition)
        constant = _constant(value, bias, addition, self.store, rewriter)
        total = rewriter.insert(graph.AddOp(product.y, constant))
        copy_provenance(total, addition)
        rewriter.replace(addition, [], [total.y])

    def _addition(self, op: graph.MatmulOp) -> tuple[graph.AddOp | None, SSAValue | None]:
        """The only user and its constant, if it adds one per column."""
        user = next(iter(op.y.uses)).operation if op.y.has_one_use() else None
        if not isinstance(user, graph.AddOp) or constant_operand(user, op.y, self.store) is None:
            return None, None
        bias = user.b if user.a is op.y else user.a
        columns = as_tensor_type(op.y.type).get_shape()[-1]
        return (user, bias) if as_tensor_type(bias.type).get_shape() == (columns,) else (None, None)


class FoldZeroPointsPass(ModulePass):
    """Fold the input zero points of integer layers into their biases."""

    name = "graph-fold-zero-points"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        rewrite(op, ZeroPointOfConvolution(store), ZeroPointOfProduct(store))
