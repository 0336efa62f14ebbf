"""Normalise how the scores of an attention are scaled and masked.

Factors of queries and keys move behind their product, so that queries and keys are read unmodified:

    %s = graph.matmul (%q * 0.5), (%k * 0.5) : …
->
    %s = (graph.matmul %q, %k) * 0.25

A mask that selects becomes arithmetic, which suits vectors of scores. The operands made from the mask do not depend on
the scores: constants fold, and layers share them.

    %m = graph.select %mask, %s, %low : …
->
    %m = graph.minimum %s, (graph.select %mask, inf, %low)       // where no score is below %low
    %m = %s * (graph.select %mask, 1, 0) + (graph.select %mask, 0, %low)

Zeroing fully masked rows of the weights becomes zeroing rows of the result; it folds away if no row is fully masked:

    %y = graph.matmul (graph.select %empty, 0, %weights), %v : …        // %empty [queries, 1]
->
    %y = graph.select %empty, 0, (graph.matmul %weights, %v)

Declined where the product does not reach a softmax through elementwise operations, for non-scalar factors, and for
factors of halves: scores that are not scaled yet may be too large, and are rounded more coarsely.
"""

from typing import NamedTuple

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import Float32Type, Float64Type, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter

from s2s.analysis.numbers.known_values import known_value, splat_value
from s2s.dialects import graph
from s2s.dialects.graph import FusionKind, copy_provenance, fusion_kind
from s2s.dialects.graph.base import GraphOp, Value, type_of
from s2s.passes.context import weights_of
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import is_float, to_numpy

LOWEST = -1e30
"""A bound assumed for scores: none is below this."""
MAX_STEPS = 8
"""Maximum number of elementwise operations between product and softmax."""


def goes_to_softmax(value: SSAValue, steps: int = MAX_STEPS) -> bool:
    """Whether every use of `value` reaches a softmax through elementwise operations."""
    user = value.get_user_of_unique_use()
    if isinstance(user, graph.SoftmaxOp):
        return True
    if steps == 0 or user is None or len(user.results) != 1:
        return False
    joins = isinstance(user, graph.ReshapeOp) or fusion_kind(user) <= FusionKind.BROADCAST
    return joins and goes_to_softmax(user.results[0], steps - 1)


def comes_from_product(value: SSAValue, steps: int = MAX_STEPS) -> bool:
    """Whether `value` is computed by elementwise operations, and reshapes, from a matrix product of its shape."""
    op = value.owner
    if isinstance(op, graph.MatmulOp):
        return True
    if isinstance(op, graph.ReshapeOp) and steps:
        return comes_from_product(op.x, steps - 1)
    if steps == 0 or not isinstance(op, GraphOp) or fusion_kind(op) > FusionKind.BROADCAST:
        return False
    return any(
        type_of(operand).get_shape() == type_of(value).get_shape() and comes_from_product(operand, steps - 1)
        for operand in op.operands
    )


class FactorsOfProduct(WeightPattern):
    """`matmul(a * s, b * t)` -> `matmul(a, b) * (s * t)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MatmulOp, rewriter: PatternRewriter) -> None:
        element = type_of(op.y).element_type
        if not isinstance(element, Float32Type | Float64Type) or not goes_to_softmax(op.y):
            return
        plain = [self._without_factor(operand) for operand in (op.a, op.b)]
        if all(factor is None for _, factor, _ in plain):
            return
        (a, first, _), (b, second, _) = plain
        product = graph.MatmulOp(a, b, transpose_a=op.transpose_a is not None, transpose_b=op.transpose_b is not None)
        factor = (1.0 if first is None else first) * (1.0 if second is None else second)
        known = graph.ConstantOp(np.asarray(factor, to_numpy(element)))
        scaled = graph.MulOp(product.y, known.y)
        copy_provenance(product, op)
        copy_provenance(scaled, *(mul for _, _, mul in plain if mul is not None))
        rewriter.replace(op, [product, known, scaled], [scaled.y])

    def _without_factor(self, value: SSAValue) -> tuple[SSAValue, float | None, Operation | None]:
        """For `x * c`: `x`, the constant `c`, and the multiplication; else `value`."""
        op = value.owner
        if not isinstance(op, graph.MulOp):
            return value, None, None
        for kept, other in ((op.a, op.b), (op.b, op.a)):
            factor = splat_value(other, self.store)
            if factor is not None and type_of(kept).get_shape() == type_of(value).get_shape():
                return kept, float(factor), op
        return value, None, None


class SelectedScores(WeightPattern):
    """`select(mask, scores, low)`, or with its branches swapped."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.SelectOp, rewriter: PatternRewriter) -> None:
        element = type_of(op.y).element_type
        if not is_float(element) or not goes_to_softmax(op.y):
            return
        shape = type_of(op.y).get_shape()
        for first, scores, low in ((True, op.a, op.b), (False, op.b, op.a)):
            if type_of(scores).get_shape() != shape or not comes_from_product(scores):
                continue
            mask = _Mask(op, first, low, rewriter)
            number = splat_value(low, self.store)
            if number is not None and number < LOWEST:
                limit = mask.chosen(np.inf, low)
                rewriter.replace(op, mask.noted(graph.MinimumOp(scores, limit)))
                return
            kept = rewriter.insert(mask.noted(graph.MulOp(scores, mask.chosen(1.0, 0.0))))
            rewriter.replace(op, mask.noted(graph.AddOp(kept.results[0], mask.chosen(0.0, low))))
            return


class _Mask(NamedTuple):
    """Builds tensors from a mask; `first` is true if scores are kept where the condition is true."""

    op: graph.SelectOp
    first: bool
    low: SSAValue
    rewriter: PatternRewriter

    def chosen(self, kept: float, other: float | SSAValue) -> Value:
        """A select that yields `kept` where scores are kept, else `other`."""
        dtype = to_numpy(type_of(self.op.y).element_type)
        values: list[Value] = []
        for value in (kept, other):
            if isinstance(value, SSAValue):
                values.append(value)
            else:
                values.append(self.rewriter.insert(graph.ConstantOp(np.asarray(value, dtype))).y)
        made = graph.SelectOp(self.op.cond, *(values if self.first else values[::-1]))
        return self.rewriter.insert(self.noted(made)).results[0]

    def noted(self, made: GraphOp) -> GraphOp:
        """Record the source nodes of the rewritten operation on `made`."""
        copy_provenance(made, self.op)
        return made


class EmptyRows(WeightPattern):
    """`matmul(select(row, 0, softmax), v)` -> `select(row, 0, matmul(softmax, v))`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MatmulOp, rewriter: PatternRewriter) -> None:
        select = op.a.owner
        if not isinstance(select, graph.SelectOp) or not isinstance(select.b.owner, graph.SoftmaxOp):
            return
        shape, rows = type_of(op.y).get_shape(), type_of(select.cond).get_shape()
        zero = splat_value(select.a, self.store) == 0 and type_of(select.a).element_count() == 1
        if not zero or rows[-1:] != (1,) or len(rows) > len(shape) or op.transpose_a is not None:
            return
        if not op.a.has_one_use() or type_of(select.b).get_shape() != type_of(op.a).get_shape():
            return
        product = graph.MatmulOp(select.b, op.b, transpose_b=op.transpose_b is not None)
        copy_provenance(product, op)
        empty = known_value(select.cond, self.store)
        if empty is not None and not empty.any():
            rewriter.replace(op, product)
            return
        chosen = graph.SelectOp(select.cond, select.a, product.y)
        copy_provenance(chosen, select)
        rewriter.replace(op, [product, chosen], [chosen.results[0]])


class CanonicalizeAttentionPass(ModulePass):
    name = "graph-canonicalize-attention"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        store = weights_of(ctx)
        rewrite(op, FactorsOfProduct(store), SelectedScores(store), EmptyRows(store))
