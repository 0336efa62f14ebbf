"""Merge a multiplication and the only addition that uses it into a fused multiply-add, on vectors.

    %p = arith.mulf %a, %b : vector<16xf32>
    %s = arith.addf %acc, %p : vector<16xf32>
->
    %s = loop.fma %a, %b, %acc : vector<16xf32>

Declined for scalars, whose expressions read better and which the C compiler contracts where the target allows it, and
for a product with another use.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from s2s.dialects import loop
from s2s.passes.rewrite import rewrite


class AddOfProduct(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddfOp, rewriter: PatternRewriter) -> None:
        if not isinstance(op.result.type, VectorType):
            return
        for product, addend in ((op.rhs, op.lhs), (op.lhs, op.rhs)):
            factor = product.owner
            if isinstance(factor, arith.MulfOp) and product.has_one_use():
                fma = loop.FmaOp(factor.lhs, factor.rhs, addend)
                fma.result.name_hint = op.result.name_hint
                rewriter.replace(op, fma)
                rewriter.erase(factor)
                return


@dataclass(frozen=True)
class FormFmaPass(ModulePass):
    name = "loop-form-fma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, AddOfProduct(), recursive=False)
