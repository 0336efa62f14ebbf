"""Schedules of sums of products of bytes block by block, for weights that are quantised by blocks.

    products[b][j] = sum over k of x[b][k] * w[j][b][k]        y[j] = sum over b of products[b][j] * scales …

Both computations are tiled along the rows `j` and fused, so that the sums of a few rows stay in the L1 cache. The rows
of a tile are the lanes of its vectors, each of which adds up four products; they are packed in the order of reading. On
a core without vectors of floats, an instruction multiplies a block by those of four rows.
"""

from xdsl.ir import SSAValue

from s2s.analysis.structure.block_sums import BlockSums, block_sums
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.products import ProductSum, product_sum
from s2s.analysis.structure.roles import Roles, roles_of
from s2s.dialects import loop, tensor
from s2s.dialects.tensor import FusedTile
from s2s.schedules.default import default
from s2s.schedules.directives import CacheRead, ComputeAt, Reorder, Tensorize, Vectorize, register_tile
from s2s.schedules.transforms import FusedTiles, fused_step
from s2s.targets import Target
from s2s.targets.intrinsic import Intrinsic

GROUP = loop.GROUP
VECTORS = 4
"""Vectors of rows in a tile: independent accumulators hide the latency of the instruction. However many inputs share a
tile, constants are packed alike: networks that take one and many can share them."""
SCALARS = 4
"""Rows of either factor in a tile without vectors."""


def fused_rows(sums: BlockSums, target: Target) -> dict[tensor.Computation, FusedTiles]:
    """Return the tiles that both computations are fused in."""
    products, total = sums.row
    size = sums.total.sizes[total]
    if target.lanes == 1:
        tile = SCALARS
    else:
        whole = [count for count in range(VECTORS, 1, -1) if size % (count * target.lanes) == 0]
        tile = target.lanes * (whole or [VECTORS])[0]
    return {
        sums.products: (FusedTile(products, min(tile, size)), *_inputs(sums.products, products - 1, target)),
        sums.total: (FusedTile(total, min(tile, size)), *_inputs(sums.total, total, target)),
    }


def _inputs(op: tensor.ComputeOp, count: int, target: Target) -> list[FusedTile]:
    """Return the tiles of the other factor."""
    dims = [dim for dim in range(count) if op.sizes[dim] > 1]
    return [FusedTile(dim, _rows(target) if dim == dims[-1] else 1) for dim in dims]


def _rows(target: Target) -> int:
    """Return how many rows of the other factor share the loads of the constant, and leave registers for sums of
    integers and of floats."""
    return max(1, target.registers // 2 // VECTORS) if target.lanes > 1 else SCALARS


def _total_in_one_tile(sums: BlockSums, target: Target, constants: frozenset[SSAValue]) -> bool:
    """Return whether the sum of all blocks has one register tile for a fused tile of `sums`, of which `sums.products`
    has the size now. Else each block would be computed for every register tile."""
    op, (products, row) = sums.total, sums.row
    tile = (*_inputs(op, row, target), FusedTile(row, sums.products.sizes[products]))
    step = fused_step(op, tile, constants)
    assert isinstance(step.op, tensor.ComputeOp)
    schedule = default(step.op, target, step.constants)
    return schedule.on(step.op).tile(range(op.rank)) == list(step.op.parallel_sizes)


def block_products(op: tensor.ComputeOp, target: Target, constants: frozenset[SSAValue]) -> tensor.ScheduleAttr | None:
    """Return a schedule for `op` if it sums products block by block and `target` adds up four of them in a lane, or has
    scalars only."""
    sums, roles, products = block_sums(op), roles_of(op, constants), product_sum(op)
    if sums is None or roles is None or products is None or roles.w_offset or len(roles.w_only) != 1:
        return None
    if target.lanes == 1:
        by_rows = _by_rows(sums, roles, products, target, constants)
        return by_rows or _scalars(sums, roles, products, target, constants)
    intrinsic = _intrinsic(target, roles, products)
    row, last = sums.row[0], len(op.sizes) - 1
    shape = shape_of(op.reads[roles.w])
    if intrinsic is None or roles.w_only != (row,) or op.sizes[last] % GROUP or len(shape) != 3:
        return None
    tile = [1] * len(op.sizes)
    tile[row] = -(-op.sizes[row] // target.lanes) * target.lanes
    for dim in roles.x_only:
        tile[dim] = min(op.sizes[dim], _rows(target))
    if products.half is not None:
        tile[products.half] = op.sizes[products.half]
    tile[last] = GROUP
    panel = tile[row]
    return tensor.ScheduleAttr.of(
        [
            *register_tile(op, tile),
            Vectorize.of(row, target.lanes),
            Reorder.of([*(dim for dim in range(len(op.sizes)) if dim < op.rank), *range(op.rank, len(op.sizes))]),
            CacheRead.packed(
                roles.w,
                [
                    tensor.PackedAxis((0,), panel),
                    tensor.PackedAxis((1,)),
                    tensor.PackedAxis((2,), GROUP),
                    tensor.PackedAxis((0,), 1, panel),
                    tensor.PackedAxis((2,), 1, GROUP),
                ],
            ),
            Tensorize.of(intrinsic),
            ComputeAt.of(row - 1) if _total_in_one_tile(sums, target, constants) else None,
        ]
    )


def _by_rows(
    sums: BlockSums, roles: Roles, products: ProductSum, target: Target, constants: frozenset[SSAValue]
) -> tensor.ScheduleAttr | None:
    """Return a schedule with an instruction that multiplies a block by a few rows of the constant."""
    op, row, last = sums.products, sums.row[0], len(sums.products.sizes) - 1
    intrinsic = _row_intrinsic(target, products, op.sizes[last])
    shape = shape_of(op.reads[roles.w])
    if intrinsic is None or roles.w_only != (row,) or len(shape) != 3 or shape[0] % SCALARS:
        return None
    tile, group = [1] * len(op.sizes), intrinsic.group
    tile[row] = SCALARS
    panel = [tensor.PackedAxis((0,), SCALARS), tensor.PackedAxis((1,)), tensor.PackedAxis((2,), group)]
    return tensor.ScheduleAttr.of(
        [
            *register_tile(op, tile),
            Vectorize.of(row, SCALARS),
            CacheRead.packed(roles.w, [*panel, tensor.PackedAxis((0,), 1, SCALARS), tensor.PackedAxis((2,), 1, group)]),
            Tensorize.of(intrinsic),
            ComputeAt.of(row - 1) if _total_in_one_tile(sums, target, constants) else None,
        ]
    )


def _row_intrinsic(target: Target, products: ProductSum, bytes: int) -> Intrinsic | None:
    """Return the first instruction for rows of this many bytes in a block of the constant, in halves if they are so."""
    form = "dot_rows" if products.half is None else "dot_half_rows"
    known = [each for each in target.intrinsics_of(form) if each.x == "i8" and SCALARS in each.lanes]
    return next((each for each in known if bytes % each.group == 0), None)


def _scalars(
    sums: BlockSums, roles: Roles, products: ProductSum, target: Target, constants: frozenset[SSAValue]
) -> tensor.ScheduleAttr | None:
    """Return a schedule for a core without vectors: a few rows of the constant share each activation, and both halves
    of a byte its load and their shifts are constants. Whole bytes are summed by an instruction if there is one."""
    op, row, last = sums.products, sums.row[0], len(sums.products.sizes) - 1
    if roles.w_only != (row,) or len(shape_of(op.reads[roles.w])) != 3:
        return None
    tile = [1] * len(op.sizes)
    tile[row] = min(op.sizes[row], SCALARS)
    if products.half is not None:
        tile[products.half] = op.sizes[products.half]
    by_words = products.half is None and not roles.w_unsigned and op.sizes[last] % GROUP == 0
    intrinsic = next(iter(target.intrinsics_of("dot")), None) if by_words else None
    group = 1 if intrinsic is None else intrinsic.group
    tile[last] = group
    panel = [tensor.PackedAxis((0,), tile[row]), tensor.PackedAxis((1,)), tensor.PackedAxis((2,), group)]
    inner = [tensor.PackedAxis((0,), 1, tile[row]), *([tensor.PackedAxis((2,), 1, group)] if group > 1 else [])]
    return tensor.ScheduleAttr.of(
        [
            *register_tile(op, tile),
            Reorder.of([*range(op.rank), *reversed(range(op.rank, len(op.sizes)))]),
            CacheRead.packed(roles.w, [*panel, *inner]),
            None if intrinsic is None else Tensorize.of(intrinsic),
            ComputeAt.of(row - 1) if _total_in_one_tile(sums, target, constants) else None,
        ]
    )


def _intrinsic(target: Target, roles: Roles, products: ProductSum) -> Intrinsic | None:
    """Return the instruction for signed activations: by unsigned constants if they are so and there is one. Halves of
    bytes are positive as bytes with a sign too."""
    known = [each for each in target.intrinsics_of("dot_lanes") if each.x == "i8" and target.lanes in each.lanes]
    by_unsigned = [each for each in known if each.w == "u8"] if products.unsigned == roles.w else []
    return next(iter(by_unsigned or [each for each in known if each.w == "i8" and not roles.w_unsigned]), None)
