"""Merge and remove reshapes and transposes; turn transposes that move no data into reshapes.

    %a = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x64x1x1xf32>) -> tensor<1x1x1x64xf32>
    %y = graph.reshape %a : (tensor<1x1x1x64xf32>) -> tensor<1x64xf32>
->
    %y = graph.reshape %x : (tensor<1x64x1x1xf32>) -> tensor<1x64xf32>

A transpose that moves only dimensions of size one becomes a reshape. Two successive reshapes, or two transposes, become
one. One that changes nothing is removed. A transpose of the last two dimensions before a matrix product becomes an
attribute of the product. Reshapes and transposes of constants are left to `graph-fold-constants`.

Declined for transposes that move data.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.passes.rewrite import op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import as_tensor_type


class ReshapeOfReshape(RewritePattern):
    """Two reshapes become one; none if the last shape is the first one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ReshapeOp, rewriter: PatternRewriter) -> None:
        inner = op.x.owner
        source = inner.x if isinstance(inner, graph.ReshapeOp) else op.x
        if source.type == op.y.type:
            rewriter.replace(op, [], [source])
        elif isinstance(inner, graph.ReshapeOp):
            made = graph.ReshapeOp(source, as_tensor_type(op.y.type).get_shape())
            copy_provenance(made, inner, op)
            rewriter.replace(op, made)


class TransposeOfTranspose(RewritePattern):
    """Two transposes become one by composing their permutations."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.TransposeOp, rewriter: PatternRewriter) -> None:
        inner = op.x.owner
        if not isinstance(inner, graph.TransposeOp):
            return
        first = inner.perm.get_values()
        made = graph.TransposeOp(inner.x, perm=[first[axis] for axis in op.perm.get_values()])
        copy_provenance(made, inner, op)
        rewriter.replace(op, made)


class TransposeOfUnitDimensions(RewritePattern):
    """A transpose that keeps the order of all dimensions larger than one is a reshape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.TransposeOp, rewriter: PatternRewriter) -> None:
        shape = as_tensor_type(op.x.type).get_shape()
        moved = [axis for axis in op.perm.get_values() if shape[axis] != 1]
        if moved != sorted(moved):
            return
        if op.x.type == op.y.type:
            rewriter.replace(op, [], [op.x])
            return
        made = graph.ReshapeOp(op.x, as_tensor_type(op.y.type).get_shape())
        copy_provenance(made, op)
        rewriter.replace(op, made)


class TransposeBeforeMatmul(RewritePattern):
    """A transpose of the last two dimensions of an operand becomes `transpose_a` or `transpose_b`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.MatmulOp, rewriter: PatternRewriter) -> None:
        a, b = _swapped(op.a), _swapped(op.b)
        if a is None and b is None:
            return
        made = graph.MatmulOp(
            a or op.a,
            b or op.b,
            transpose_a=(op.transpose_a is None) == (a is not None),
            transpose_b=(op.transpose_b is None) == (b is not None),
            a_zp=op.accumulation.x_zp,
            b_zp=op.accumulation.w_zp,
            acc_type=op.acc_type,
        )
        for swapped, operand in ((a, op.a), (b, op.b)):
            if swapped is not None and isinstance(operand.owner, Operation):
                copy_provenance(made, operand.owner)
        copy_provenance(made, op)
        rewriter.replace(op, made)


def _swapped(value: SSAValue) -> SSAValue | None:
    """The tensor that `value` is the transpose of in the last two dimensions, if it is one."""
    op = value.owner
    if not isinstance(op, graph.TransposeOp):
        return None
    *leading, row, column = op.perm.get_values()
    rank = len(leading) + 2
    return op.x if leading == list(range(rank - 2)) and (row, column) == (rank - 1, rank - 2) else None


class CanonicalizeReshapesPass(ModulePass):
    """Merge and remove reshapes and transposes."""

    name = "graph-canonicalize-reshapes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, TransposeOfTranspose(), TransposeOfUnitDimensions(), ReshapeOfReshape(), TransposeBeforeMatmul())
