"""Replace right shifts of signed numbers by calls of a runtime function, whose portable form C defines for negative
numbers.

    %y = c.binary %x ">>" %n : (i32, i32) -> i32
->
    %y = c.call "s2s_i32_shift_right"(%x, %n) {pure} : (i32, i32) -> i32

Declined for unsigned numbers. Coding standards ask for it; other C says `x >> n`, which every known compiler takes to
copy the sign.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp, i32
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from s2s.c_syntax import headers
from s2s.c_syntax.types import element_name
from s2s.dialects import c
from s2s.dialects.c.conversions import is_unsigned
from s2s.support.frozen import frozen


class SignedShift(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: c.BinaryOp, rewriter: PatternRewriter) -> None:
        type = i32 if isinstance(op.result.type, IndexType) else op.result.type
        if op.operator.data != ">>" or is_unsigned(type):
            return
        name, operands = f"s2s_{element_name(type)}_shift_right", [op.lhs, op.rhs]
        call = c.CallOp(name, operands, op.result.type, pure=True, header=headers.MATH)
        rewriter.replace(op, call)


@frozen
class CallSignedShiftsPass(ModulePass):
    name = "c-call-signed-shifts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(SignedShift(), apply_recursively=False).rewrite_module(op)
