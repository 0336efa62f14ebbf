"""Tile the common dimensions of a kernel's computations, and fuse the loops over tiles.

    %s = tensor.compute [4, 128, 128 | 64] reads(%q at (h, i, j, d) -> (h, i, d), %k at … -> (h, j, d)) …
    %m = tensor.compute [4, 128 | 128] reads(%s …) …
    %e = tensor.compute [4, 128, 128] epilogue(%s …, %m …) …
    %t = tensor.compute [4, 128 | 128] reads(%e …) …
    %y = tensor.compute [4, 128, 64 | 128] reads(%e …, %v …) epilogue(%t …) …
->
    %c = tensor.compute [4, 64, 128] epilogue(%q at (h, d, i) -> (h, i, d)) … [tile_and_fuse<0 by 1, 2 by 32>]
    %s = tensor.compute [4, 128, 128 | 64] reads(%c at (h, j, i, d) -> (h, d, i), …) [tile_and_fuse<0 by 1, 2 by 32>]
    …

The kernel of an attention processes one head and a block of its queries at a time, so that scores fit a cache
whatever the sequence length. On targets with vectors, scores are transposed so that queries are contiguous: each step
of the softmax then applies to a whole vector. Only the queries of a block are copied for that; a mask that is a weight
is packed. A transpose of the result is folded into its producer, which writes elements in the final order.

The number of rows in a block is a decision (`s2s/decisions/fused_rows.py`).

A kernel without products, of a softmax or a normalisation for example, processes a block of rows at a time too, where
what passes between its computations exceeds the first cache:

    %m = tensor.compute [512 | 512] reads(%x …) …                  // the largest of each row
    %e = tensor.compute [512, 512] epilogue(%x …, %m …) …
    %t = tensor.compute [512 | 512] reads(%e …) …
    %y = tensor.compute [512, 512] epilogue(%e …, %t …) …
->
    … [tile_and_fuse<0 by 8>]                                     // %e holds 8 rows

Declined where computations have no common dimension; or no product inside them, and common dimensions that do not come
first; and for sums of products in blocks of weights, whose tiles `tensor-pick-schedule` chooses.
"""

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from s2s.analysis.network.constants import calls_of
from s2s.analysis.row_tiles.kernel_chains import bytes_of
from s2s.analysis.structure.block_sums import block_sums
from s2s.analysis.tile_and_fuse.candidates import common_dims, leading_dims
from s2s.decisions.chooser import Chooser
from s2s.decisions.fused_rows import SMALL_CACHE, FusedKernel, FusedRowsKind
from s2s.decisions.keys import nodes_of_kernel, task_key
from s2s.dialects import graph, tensor
from s2s.passes.context import given_of, target_of
from s2s.passes.tensor.permute import absorb_move
from s2s.passes.tensor.tile_and_fuse.layout import inner_product, neighbours_along, rows_of
from s2s.passes.tensor.tile_and_fuse.schedule import bytes_per_row, fuse_in_blocks
from s2s.support.frozen import frozen
from s2s.targets import Target


@frozen
class TileAndFusePass(ModulePass):
    name = "tensor-tile-and-fuse"

    target: str = "c"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target, calls = target_of(ctx, self.target), calls_of(op)
        with Chooser(given_of(ctx), target) as chooser:
            for func in op.ops:
                if isinstance(func, FuncOp) and not func.is_declaration:
                    _share(func, calls, target, chooser)


def _computes(func: FuncOp) -> list[tensor.ComputeOp]:
    return [inner for inner in func.body.block.ops if isinstance(inner, tensor.ComputeOp)]


def _share(func: FuncOp, calls: Mapping[str, list[graph.CallOp]], target: Target, chooser: Chooser) -> None:
    """Tile and fuse the computations of one kernel."""
    computes = _computes(func)
    product = inner_product(computes)
    if any(op.schedule is not None for op in computes) or (product is not None and block_sums(product) is not None):
        return
    if product is None:
        _share_rows(func, computes, calls, target, chooser)
        return
    for op in computes:
        absorb_move(op)
    computes = _computes(func)
    common = common_dims(computes)
    rows = rows_of(product, common)
    if rows is None:
        return
    if target.lanes > 1:
        neighbours_along(rows, computes, product)
        computes = _computes(func)
        common = common_dims(computes)
        product = inner_product(computes)
        rows = None if product is None else rows_of(product, common)
        if rows is None:
            return
    outer, last = [each for each in common if each is not rows], computes[-1]
    subject = FusedKernel(
        func,
        task_key(func, calls, target),
        nodes_of_kernel(func, calls),
        last.sizes[rows[last]],
        bytes_per_row(computes, outer, rows),
        target.lanes,
    )
    size = chooser.choose(FusedRowsKind(), subject)
    fuse_in_blocks(computes, outer, rows, size)


def _share_rows(
    func: FuncOp,
    computes: Sequence[tensor.ComputeOp],
    calls: Mapping[str, list[graph.CallOp]],
    target: Target,
    chooser: Chooser,
) -> None:
    """Tile and fuse computations without products row by row, where what passes between them exceeds the L1 cache."""
    common = leading_dims(computes)
    if not common:
        return
    *outer, rows = common
    last, per_row = computes[-1], bytes_per_row(computes, outer, rows)
    count = prod(last.sizes[each[last]] for each in common)
    if per_row * count <= (target.l1_bytes or SMALL_CACHE):
        return
    subject = FusedKernel(
        func,
        task_key(func, calls, target),
        nodes_of_kernel(func, calls),
        last.sizes[rows[last]],
        per_row,
        1,
        sum(map(bytes_of, func.args)) // count,
    )
    fuse_in_blocks(computes, outer, rows, chooser.choose(FusedRowsKind(), subject))
