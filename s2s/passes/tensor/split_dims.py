"""Split a dimension into (outer, inner) where an access map uses `d floordiv n`, so that the map becomes affine.

    tensor.compute [256, 14, 14 | 16, 3, 3]
      reads(%x at (o, h, w, i, r, s) -> (o floordiv 16 * 16 + i, h + r - 1, w + s - 1), %w at … -> (o, i, r, s)) …
->
    tensor.compute [16, 16, 14, 14 | 16, 3, 3]
      reads(%x at (g, o, h, w, i, r, s) -> (g * 16 + i, h + r - 1, w + s - 1), %w at … -> (g * 16 + o, i, r, s)) …

The output channels of a grouped convolution become (group, channel in group): vectors along the channels of one group
read one input. Only sums of products are split, for targets with vectors; declined where the block size does not
divide the dimension.
"""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineDimExpr
from xdsl.passes import ModulePass

from s2s.analysis.affine.strides import vectorizable
from s2s.analysis.structure.compute import body_ops
from s2s.dialects import tensor
from s2s.passes.context import target_of
from s2s.passes.tensor.block_kernel import split_dim
from s2s.support.frozen import frozen
from s2s.types.affine import linear, ranges


def divided_dim(op: tensor.ComputeOp) -> tuple[int, int] | None:
    """Return a parallel dimension of `op` that a read divides into blocks, and the block size."""
    for access in op.read_accesses:
        for expr in access.map.data.results:
            for atom in linear(expr, ranges(op.sizes)).terms:
                if isinstance(atom, AffineBinaryOpExpr) and isinstance(atom.lhs, AffineDimExpr):
                    dim, block = atom.lhs.position, atom.rhs
                    if atom.kind is not AffineBinaryOpKind.FloorDiv or not isinstance(block, AffineConstantExpr):
                        continue
                    if dim < op.rank and op.sizes[dim] % block.value == 0:
                        return dim, block.value
    return None


@frozen
class SplitDimsPass(ModulePass):
    name = "tensor-split-dims"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if target_of(ctx, self.target).lanes == 1:
            return
        for inner in op.walk():
            if isinstance(inner, tensor.ComputeOp) and inner.schedule is None and _may_split(inner):
                while (divided := divided_dim(inner)) is not None:
                    split_dim(inner, *divided)


def _may_split(op: tensor.ComputeOp) -> bool:
    return (
        op.reduce is not None
        and vectorizable(op)
        and not any(isinstance(inner, tensor.IndexOp) for inner in body_ops(op))
    )
