"""Pack the non-constant factor of a matrix product panel by panel, so that its columns are contiguous.

    %y = tensor.compute [197, 768 | 192] reads(%a at (m, n, k) -> (m, k), %b at (m, n, k) -> (n, k)) …
->
    %b_copy = tensor.compute [192, 768] epilogue(%b at (k, n) -> (n, k)) … [tile_and_fuse<1 by 32>]
    %y = tensor.compute [197, 768 | 192] reads(%a at …, %b_copy at … -> (k, n)) … [tile_and_fuse<1 by 32>]

Constants are packed on the host. Any other factor is copied into scratch one panel at a time, and all rows of the
product use that panel: this is no pass over memory, since the panel stays in a cache. Without the copy a transposed
factor has no contiguous columns to load; and rows with a large distance map to few sets of a cache, which then holds
only a handful of them.

Whether a factor is copied is a decision (`s2s/decisions/operand_copies.py`): by default not where the product has too
few rows to amortise the copy, nor where panels are contiguous as they are. Declined without vectors, and for constants.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from s2s.analysis.affine.strides import moves, vectorizable
from s2s.analysis.structure.folds import folds_of
from s2s.decisions.chooser import Chooser
from s2s.decisions.operand_copies import COPIED, CopiedOperand, PanelsKind
from s2s.dialects import tensor
from s2s.passes.context import given_of, target_of
from s2s.passes.tensor.copy_candidates import copy_candidates
from s2s.passes.tensor.permute import copy_read
from s2s.passes.tensor.tile_and_fuse.schedule import fuse_in_blocks
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.affine import ranges, simplify

VECTORS = 2
"""Width of a panel in vectors, which is the width of a register tile."""
MIN_ROWS_TRANSPOSED = 12
MIN_ROWS_DISTANT = 48
"""Rows of the product from which a copy pays: for a transposed factor, and for one whose rows have a large distance."""
FLOAT = 4


class Factor(NamedTuple):
    """The factor of a product to copy, and the dimensions that index it."""

    read: int
    column: int
    """The result dimension of the columns; it indexes this factor alone."""
    batch: tuple[int, ...]
    """Parallel dimensions that index both factors."""
    rows: int
    """How many rows of the product use each panel."""


def _used(op: tensor.ComputeOp, read: int) -> set[int]:
    results = op.read_accesses[read].map.data.results
    return {dim for expr in results for dim in simplify(expr, ranges(op.sizes)).used_dims() if op.sizes[dim] > 1}


def factor_of(op: tensor.ComputeOp) -> Factor | None:
    """Return the factor of `op` that has columns; None if `op` is no matrix product."""
    columns = [dim for dim in range(op.rank) if op.sizes[dim] > 1 and moves(op, dim).result == 1]
    if folds_of(op) is None or len(op.reads) != 2 or not columns or op.reads[0] is op.reads[1]:
        return None
    column = columns[-1]
    used = [_used(op, read) for read in range(2)]
    holders = [read for read in range(2) if column in used[read]]
    reduced = {dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1}
    if len(holders) != 1 or not all(reduced <= each for each in used):
        return None
    (read,) = holders
    batch = [dim for dim in range(op.rank) if all(dim in each for each in used)]
    own = {dim for dim in used[read] if dim < op.rank} - {column, *batch}
    rows = prod(op.sizes[dim] for dim in range(op.rank) if dim not in {column, *batch})
    return None if own else Factor(read, column, tuple(batch), rows)


def _pays(op: tensor.ComputeOp, factor: Factor, target: Target) -> bool:
    """Return whether reuse of the panels outweighs the cost of the copy."""
    along = moves(op, factor.column).reads[factor.read]
    steps = prod(op.reduction_sizes)
    if along is None or steps < target.lanes:
        return False
    if along != 1:
        return factor.rows >= MIN_ROWS_TRANSPOSED
    if op.sizes[factor.column] <= 2 * VECTORS * target.lanes or factor.rows < MIN_ROWS_DISTANT:
        return False
    apart = max(abs(moves(op, dim).reads[factor.read] or 0) for dim in range(op.rank, len(op.sizes)))
    return FLOAT * steps * apart > 4 * target.l1_bytes > 0


def pack_panels(op: tensor.ComputeOp, factor: Factor, target: Target) -> None:
    """Insert a copy of the panels of `factor` before `op`, and read it instead."""
    reduced = [dim for dim in range(op.rank, len(op.sizes)) if op.sizes[dim] > 1]
    order = [*factor.batch, *reduced, factor.column]
    copy = copy_read(op, factor.read, order)
    outer = [{copy: place, op: dim} for place, dim in enumerate(factor.batch)]
    columns = {copy: len(order) - 1, op: factor.column}
    fuse_in_blocks([copy, op], outer, columns, min(VECTORS * target.lanes, op.sizes[factor.column]))


def _candidates(func: FuncOp, constants: frozenset[SSAValue]) -> Sequence[tuple[tensor.ComputeOp, Factor]]:
    """Return the products of a kernel whose factor with columns is not constant."""
    found: list[tuple[tensor.ComputeOp, Factor]] = []
    for op in func.body.block.ops:
        if not isinstance(op, tensor.ComputeOp) or op.schedule is not None or not vectorizable(op):
            continue
        factor = factor_of(op)
        guarded = any(access.is_guarded for access in op.read_accesses)
        if factor is not None and not guarded and op.reads[factor.read] not in constants:
            found.append((op, factor))
    return found


@frozen
class CachePanelsPass(ModulePass):
    name = "tensor-cache-panels"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(ctx, self.target)
        with Chooser(given_of(ctx), target) as chooser:
            for each in copy_candidates(op, target, _candidates):
                pays = _pays(each.op, each.operand, target)
                subject = CopiedOperand(each.kernel, each.key, each.nodes, pays)
                if chooser.choose(PanelsKind(), subject) == COPIED:
                    pack_panels(each.op, each.operand, target)
