"""Choose layouts of the tensors inside a kernel: the rows of a block become the contiguous dimension."""

from collections.abc import Sequence

from s2s.analysis.affine.strides import moves
from s2s.analysis.tile_and_fuse.candidates import CommonDim
from s2s.dialects import tensor
from s2s.passes.tensor.permute import copy_read, reorder
from s2s.types.affine import linear, ranges


def inner_product(computes: Sequence[tensor.ComputeOp]) -> tensor.ComputeOp | None:
    """Return the first sum of products whose result another computation of the kernel reduces: scores of an
    attention."""
    for op in computes:
        users = [use.operation for result in op.res for use in result.uses]
        if len(op.reads) == 2 and len(op.res) == 1 and users and all(user in computes for user in users):
            return op if any(isinstance(user, tensor.ComputeOp) and user.reduce is not None for user in users) else None
    return None


def rows_of(product: tensor.ComputeOp, common: Sequence[CommonDim]) -> CommonDim | None:
    """Return the longest common dimension that indexes only one factor of `product`."""
    found = [each for each in common if 0 in moves(product, each[product]).reads]
    return max(found, key=lambda each: product.sizes[each[product]], default=None)


def neighbours_along(rows: CommonDim, computes: Sequence[tensor.ComputeOp], product: tensor.ComputeOp) -> None:
    """Make `rows` the contiguous dimension of all tensors inside the kernel, and copy the factor that they index."""
    for op in computes[:-1]:
        dim = rows[op]
        order = [*(other for other in range(op.rank) if other != dim), dim]
        made = reorder(op, order) if order != list(range(op.rank)) else op
        if op is product:
            _copy_factor(made, order.index(dim))


def _copy_factor(product: tensor.ComputeOp, row: int) -> None:
    """Copy the factor of `product` that is not contiguous along dimension `row`."""
    along = moves(product, row).reads
    for read, move in enumerate(along):
        if move in (0, 1) or product.read_accesses[read].is_guarded:
            continue
        used = {
            dim
            for expr in product.read_accesses[read].map.data.results
            for atom in linear(expr, ranges(product.sizes)).terms
            for dim in atom.used_dims()
        }
        parallel = [dim for dim in range(product.rank) if dim in used and dim != row]
        reduced = [dim for dim in range(product.rank, len(product.sizes)) if dim in used]
        copy_read(product, read, [*parallel, *reduced, row])
