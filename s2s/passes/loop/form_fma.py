"""Merge a multiplication and the only addition that uses it into a fused multiply-add, on vectors.

    %p = arith.mulf %a, %b : vector<16xf32>
    %s = arith.addf %acc, %p : vector<16xf32>
->
    %s = loop.fma %a, %b, %acc : vector<16xf32>

Declined for scalars, whose expressions read better and which the C compiler contracts where the target allows it, and
for a product with another use.
"""

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from s2s.dialects import loop
from s2s.dialects.walk import walk


class FormFmaPass(ModulePass):
    name = "loop-form-fma"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for add in [each for each in walk(op) if isinstance(each, arith.AddfOp)]:
            _fuse(add)


def _fuse(add: arith.AddfOp) -> None:
    """Replace `add` and the product that only it uses, if there is one."""
    if not isinstance(add.result.type, VectorType):
        return
    for product, addend in ((add.rhs, add.lhs), (add.lhs, add.rhs)):
        factor = product.owner
        if isinstance(factor, arith.MulfOp) and product.has_one_use():
            fma = loop.FmaOp(factor.lhs, factor.rhs, addend)
            fma.result.name_hint = add.result.name_hint
            Rewriter.replace_op(add, fma)
            Rewriter.erase_op(factor)
            return
