"""Lower operators that select elements to routines of the runtime.

    %y = graph.nonzero %mask, %count {size = "found", bound = 64, varies = ["found"]} : (tensor<64xi1>, …) -> …
->
    %y = tensor.extern "nonzero_bool"(%mask, %count) {numbers = [64, 64], varies = ["found"]} : … -> tensor<64xi32>
"""

from math import inf

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, UnitAttr, f32, i1, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph, tensor
from s2s.passes.graph.lower_to_tensor.reduce import SORTED_DIGITS, state_fills
from s2s.types.dtypes import tensor_type, ui32


class LowerNonzero(RewritePattern):
    """The routine writes as many positions as `count` says; the result keeps the extent that the operation states."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.NonzeroOp, rewriter: PatternRewriter) -> None:
        numbers = [shape_of(op.mask)[0], op.bound.value.data]
        made = tensor.ExternOp("nonzero_bool", [op.mask, op.count], numbers, [op.y.type])
        graph.copy_provenance(made, op)
        state_fills(made, op, [IntegerAttr(0, i1), UnitAttr()])
        rewriter.replace(op, made)


class LowerNonMaxSuppression(RewritePattern):
    """The routine sorts the scores of a class that are high enough: it takes a copy of them, their places twice, and
    what sorting takes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.NonMaxSuppressionOp, rewriter: PatternRewriter) -> None:
        images, classes, count = shape_of(op.scores)
        numbers = [images, classes, count, op.most.value.data, int(op.is_centered is not None)]
        scratch = [tensor_type(f32, (count,)), tensor_type(i32, (2 * count,))]
        scratch.append(tensor_type(ui32, (4 * count + SORTED_DIGITS,)))
        operands = [op.boxes, op.scores, op.overlap, op.least]
        made = tensor.ExternOp("suppressed_f32", operands, numbers, [op.y.type], scratch)
        graph.copy_provenance(made, op)
        state_fills(made, op, [UnitAttr(), FloatAttr(-inf, f32), UnitAttr(), UnitAttr()])
        rewriter.replace(op, made)


PATTERNS: tuple[RewritePattern, ...] = (LowerNonzero(), LowerNonMaxSuppression())
