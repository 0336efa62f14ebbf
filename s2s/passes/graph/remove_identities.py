"""Remove operations that return one of their operands.

    %a = graph.add %x, %zeros : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %b = graph.slice %a {starts = array<i64: 0, 0>, sizes = array<i64: 4, 8>, strides = array<i64: 1, 1>} : …
    %y = graph.concat %b {axis = 0 : i64} : …
->
    %x

Covers identity, cast to the same type, clamp without bounds, x + 0, x - 0, x * 1, x / 1, x ** 1, slice of everything,
concat of one (empty operands do not count), pad by nothing, tile by one and broadcast to the same shape.

Declined when the constant makes the result larger than the operand, or is not the same number everywhere.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from s2s.analysis.numbers.known_values import splat_value
from s2s.dialects import graph
from s2s.passes.context import weights_of
from s2s.passes.rewrite import WeightPattern, op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import as_tensor_type

NEUTRAL: dict[type[Operation], int] = {
    graph.AddOp: 0,
    graph.SubOp: 0,
    graph.MulOp: 1,
    graph.DivOp: 1,
    graph.PowOp: 1,
}
"""Binary operations that return `a` when `b` is this number."""


class NeutralOperand(WeightPattern):
    """Binary operations with their neutral element: `x + 0`, `x * 1` and so on."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: graph.AddOp | graph.SubOp | graph.MulOp | graph.DivOp | graph.PowOp, rewriter: PatternRewriter
    ) -> None:
        sides = [(op.a, op.b), (op.b, op.a)] if isinstance(op, graph.AddOp | graph.MulOp) else [(op.a, op.b)]
        for kept, other in sides:
            if kept.type == op.y.type and splat_value(other, self.store) == NEUTRAL[type(op)]:
                rewriter.replace(op, [], [kept])
                return


class UnchangedOperand(RewritePattern):
    """An operation that neither moves nor converts elements."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        kept = _returned_operand(op)
        if kept is not None and kept.type == op.results[0].type:
            rewriter.replace(op, [], [kept])


def _returned_operand(op: Operation) -> SSAValue | None:
    """The operand that `op` returns, if its type equals the type of the result."""
    match op:
        case graph.IdentityOp() | graph.CastOp() | graph.BroadcastToOp() | graph.TileOp() | graph.PadOp():
            return op.operands[0]
        case graph.ClampOp(min=None, max=None):
            return op.x
        case graph.SliceOp():
            return op.x if all(stride == 1 for stride in op.strides.get_values()) else None
        case graph.ConcatOp():
            filled = [operand for operand in op.inputs if as_tensor_type(operand.type).element_count()]
            return filled[0] if len(filled) == 1 else None
        case _:
            return None


class RemoveIdentitiesPass(ModulePass):
    """Replace operations that return an operand by that operand."""

    name = "graph-remove-identities"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, UnchangedOperand(), NeutralOperand(weights_of(ctx)))
