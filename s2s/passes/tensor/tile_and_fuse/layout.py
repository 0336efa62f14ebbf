"""How the tensors inside a kernel lie: with the rows that a block is made of side by side."""

from collections.abc import Sequence

from s2s.analysis.affine.strides import moves
from s2s.analysis.tile_and_fuse.candidates import Walk
from s2s.dialects import tensor
from s2s.passes.tensor.permute import reorder, staged
from s2s.types.affine import linear, ranges


def inner_product(computes: Sequence[tensor.ComputeOp]) -> tensor.ComputeOp | None:
    """The first sum over two reads whose result another computation of the kernel reduces again: scores."""
    for op in computes:
        users = [use.operation for result in op.res for use in result.uses]
        if len(op.reads) == 2 and len(op.res) == 1 and users and all(user in computes for user in users):
            return op if any(isinstance(user, tensor.ComputeOp) and user.reduce is not None for user in users) else None
    return None


def rows_of(product: tensor.ComputeOp, walks: Sequence[Walk]) -> Walk | None:
    """The common dimension along which one factor of `product` stays where it is: of several the longest."""
    found = [walk for walk in walks if 0 in moves(product, walk[product]).reads]
    return max(found, key=lambda walk: product.sizes[walk[product]], default=None)


def neighbours_along(rows: Walk, computes: Sequence[tensor.ComputeOp], product: tensor.ComputeOp) -> None:
    """Let what lives inside the kernel lie with `rows` side by side, and copy the factor that moves along them so."""
    for op in computes[:-1]:
        dim = rows[op]
        order = [*(other for other in range(op.rank) if other != dim), dim]
        made = reorder(op, order) if order != list(range(op.rank)) else op
        if op is product:
            _stage_factor(made, order.index(dim))


def _stage_factor(product: tensor.ComputeOp, row: int) -> None:
    """A copy of the factor of `product` that does not lie side by side along dimension `row`."""
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
        staged(product, read, [*parallel, *reduced, row])
