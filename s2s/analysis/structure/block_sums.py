"""Find sums of products that are made block by block, and scaled and summed by the next computation.

    %p = tensor.compute [4, 32, 4096 | 32] reads(%x at (i, b, j, k) -> (i, b, k), %w at … -> (j, b, k)) …
    %y = tensor.compute [4, 4096 | 32] reads(%p at (i, j, b) -> (i, b, j), %scales …) …

Here `b` counts the blocks: both factors have it, and the second computation sums over it.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr

from s2s.analysis.structure.products import product_sum
from s2s.dialects import tensor


class BlockSums(NamedTuple):
    """Sums of products in blocks, and the computation that reads them and nothing else does."""

    products: tensor.ComputeOp
    total: tensor.ComputeOp

    @property
    def row(self) -> tuple[int, int]:
        """The dimension of both computations that counts the rows of the constant factor: the last parallel one."""
        return self.products.rank - 1, self.total.rank - 1


def block_sums(op: Operation) -> BlockSums | None:
    """Return the sums in blocks that `op` makes; None if it makes none."""
    if not isinstance(op, tensor.ComputeOp) or op.rank < 2 or product_sum(op) is None or not op.res[0].has_one_use():
        return None
    (use,) = op.res[0].uses
    total = use.operation
    if not isinstance(total, tensor.ComputeOp) or op.next_op is not total or use.index >= len(total.reads):
        return None
    read = total.read_accesses[use.index].map.data.results
    row, block = total.rank - 1, total.rank
    wanted = [AffineDimExpr(dim) for dim in (*range(row), block, row) if dim >= row or total.sizes[dim] > 1]
    if len(total.reduction_sizes) != 1 or [expr for expr in read if expr.used_dims()] != wanted:
        return None
    return BlockSums(op, total)


def all_block_sums(ops: Sequence[Operation]) -> list[BlockSums]:
    """Return all of them in a kernel."""
    return [found for op in ops if (found := block_sums(op)) is not None]


__all__ = ["BlockSums", "all_block_sums", "block_sums"]
