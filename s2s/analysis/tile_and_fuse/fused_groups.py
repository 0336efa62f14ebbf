"""Group the computations of a kernel that are tiled and fused in one loop over blocks, and check that this is legal.

Consecutive computations whose schedules say `tile_and_fuse` are a group. In each iteration of the loop over blocks each
computation does its own block, in order. So a computation may read from another only what the same block has produced:
with blocks of 8 rows, a consumer in block 2 may read rows 16 to 23 of its producer, and no others.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import tensor
from s2s.errors import CompilerBug, ScheduleError
from s2s.support.frozen import frozen
from s2s.types.affine import at_dims, bounds, coefficient, delinearize, flat_index, ranges, simplify


@frozen
class LoopSplit:
    """The split of a dimension into blocks and the positions inside of one.

    Block `b < count` has `size` positions from `first + b * step` on. A buffer for one block has room for `step`
    positions, also where the last block is shorter. 20 positions in blocks of 8 are a full split (first 0, step 8,
    count 2, size 8) and a rest (first 16, step 8, count 1, size 4).
    """

    dim: int
    first: int
    step: int
    count: int
    size: int


def fused_tiles(op: tensor.Computation) -> tuple[tuple[int, int], ...]:
    """Return the tiled and fused dimensions of `op`, each with its tile size."""
    return () if op.schedule is None else op.schedule.on(op).fused_sizes


def computed_at(op: tensor.Computation) -> int | None:
    """Return the dimension of `op` of which its reader computes one position at each step of its reduction."""
    return None if op.schedule is None else op.schedule.on(op).computed_at


def lies_in(op: tensor.Computation) -> tuple[int, ...]:
    """Return the shape in whose row-major order the results of `op` are stored: its parallel domain, or the result's
    own shape."""
    return shape_of(op.res) if isinstance(op, tensor.TransformOp) else op.parallel_sizes


def written_blocks(op: tensor.Computation) -> list[tuple[int, int]]:
    """Return for each fused dimension of `op` the axis of the result that it moves along, and the block size on that
    axis."""
    if isinstance(op, tensor.ComputeOp):
        return list(fused_tiles(op))
    blocks: list[tuple[int, int]] = []
    for dim, size in fused_tiles(op):
        steps = [coefficient(expr, dim, ranges(op.write_sizes)) or 0 for expr in op.into.map.data.results]
        axis = next((axis for axis, step in enumerate(steps) if step), None)
        # A dimension with one position makes a single block that holds everything.
        blocks.append((0, shape_of(op.res)[0]) if axis is None else (axis, steps[axis] * size))
    return blocks


def overlap_of(op: tensor.Computation) -> tuple[int, int]:
    """Return the overlap of a block of `op` with its neighbours, before and after; (0, 0) if several dimensions are
    fused."""
    tiles = () if op.schedule is None else op.schedule.on(op).fused
    return (tiles[0].before, tiles[0].after) if len(tiles) == 1 else (0, 0)


def full_split(op: tensor.Computation, level: int, count: int) -> LoopSplit:
    """Return the split of fused dimension number `level` of `op` into `count` full blocks."""
    dim, size = fused_tiles(op)[level]
    before, after = overlap_of(op)
    return LoopSplit(dim, -before, size, count, size + before + after)


def coordinates(
    value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int], domain: Sequence[int]
) -> list[AffineExpr] | None:
    """Return the point of `domain`, in whose order `value` is stored, that an access over a domain of `sizes` reads;
    None if the access has a guard or a division that prevents it."""
    if shape_of(value) == tuple(domain):
        return [simplify(expr, ranges(sizes)) for expr in access.map.data.results]
    if access.is_guarded:
        return None
    position = flat_index(access.map.data.results, shape_of(value))
    return [simplify(expr, ranges(sizes)) for expr in delinearize(position, domain)]


def slides_in_block(
    value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int], op: tensor.Computation, owner: tensor.Computation
) -> bool:
    """Return whether `op` reads from `value` only what a block of `owner` holds, where the blocks of `owner` overlap.
    If `owner` has blocks of 8 rows with one more before and after, block `b` holds rows `8 * b - 1` to `8 * b + 8`, and
    a 3x3 window of rows `8 * b` to `8 * b + 7` stays inside."""
    if isinstance(op, tensor.TransformOp) or isinstance(owner, tensor.TransformOp) or len(fused_tiles(op)) != 1:
        return False
    point = coordinates(value, access, sizes, owner.parallel_sizes)
    if point is None or any(divisor > 1 for divisor in access.division):
        return False
    mine, theirs = full_split(op, 0, 1), full_split(owner, 0, 1)
    local = [(0, size - 1) for size in sizes]
    local[mine.dim] = (mine.first, mine.first + mine.size - 1)
    low, high = bounds(point[theirs.dim], local)
    moved = coefficient(point[theirs.dim], mine.dim, ranges(sizes))
    return low >= theirs.first and high < theirs.first + theirs.size and moved == theirs.step // mine.step


def stays_in_block(
    value: SSAValue,
    access: tensor.AccessAttr,
    sizes: Sequence[int],
    tiles: Sequence[tuple[int, int]],
    owner: tensor.Computation,
) -> bool:
    """Return whether an access over a domain of `sizes`, tiled by `tiles`, reads from `value` only what the same block
    of its producer `owner` writes. Row `i` in blocks of 8 is `8 * b + i'` with `0 <= i' < 8`: the access to row `i` is
    at `i'` in its block and stays inside, the access to row `i + 1` reaches `i' = 8` and does not."""
    point = coordinates(value, access, sizes, lies_in(owner))
    if point is None or any(overlap_of(owner)):
        return False
    written = written_blocks(owner)
    if len(access.division) == len(point) and any(access.division[axis] > 1 for axis, _ in written):
        return False
    # Each tiled dimension becomes block * size + offset; the block numbers follow the other dimensions.
    split: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(sizes))]
    inside = ranges(sizes)
    for dim, size in tiles:
        split[dim] = AffineDimExpr(len(inside)) * size + AffineDimExpr(dim)
        inside[dim] = (0, size - 1)
        inside.append((0, -(-sizes[dim] // size) - 1))
    for level, (axis, block) in enumerate(written):
        place = at_dims(point[axis], split) - AffineDimExpr(len(sizes) + level) * block
        low, high = bounds(place, inside)
        if low < 0 or high >= block:
            return False
    return True


class FusedGroup(NamedTuple):
    """Computations that are tiled and fused; a computation on its own is a group without fused dimensions."""

    ops: tuple[tensor.Computation, ...]

    @property
    def depth(self) -> int:
        """The number of fused dimensions."""
        return len(fused_tiles(self.ops[0]))

    @property
    def divided(self) -> int:
        """The number of outermost loops that a schedule divides among threads."""
        return max(len(op.schedule.on(op).parallel) for op in self.ops if op.schedule is not None)

    @property
    def inner(self) -> list[SSAValue]:
        """The results that only the group reads: a buffer for one block of each is enough."""
        if not self.depth:
            return []
        results = [result for op in self.ops for result in op.results]
        return [result for result in results if all(use.operation in self.ops for use in result.uses)]

    def full(self, level: int) -> int:
        """Return how many blocks of fused dimension number `level` are full in every computation."""
        return min(op.sizes[dim] // size for op in self.ops for dim, size in [fused_tiles(op)[level]])

    def rest(self, level: int) -> bool:
        """Return whether a shorter block follows the full ones."""
        extents = [(op.sizes[dim], size) for op in self.ops for dim, size in [fused_tiles(op)[level]]]
        return any(extent > self.full(level) * size for extent, size in extents)

    def verify(self) -> None:
        """Raise an error if the tiles of the group's computations do not fit together."""
        for level in range(self.depth):
            trips = [-(-op.sizes[dim] // size) for op in self.ops for dim, size in [fused_tiles(op)[level]]]
            if len(set(trips)) > 1:
                raise ScheduleError(
                    f"tile_and_fuse makes {trips} tiles of neighbouring computations; make equally many of each"
                )
        if any(any(overlap_of(op)) for op in self.ops) and (self.depth > 1 or self.rest(0)):
            raise ScheduleError(
                "tile_and_fuse has tiles that overlap and a shorter one or several dimensions; take whole tiles of one"
            )
        for op, reader in zip(self.ops, [*self.ops[1:], None], strict=True):
            if computed_at(op) is not None and (reader is None or step_dim(op, reader) is None):
                raise ScheduleError(
                    "compute_at computes what the next computation of the group does not alone read, step by step; "
                    "leave it out"
                )
        owners: dict[SSAValue, tensor.Computation] = {result: op for op in self.ops for result in op.results}
        for op in self.ops:
            if isinstance(op, tensor.ComputeOp) and any(table in owners for table in op.tables):
                raise ScheduleError(
                    "tile_and_fuse tiles a table, which is read anywhere; leave it out of the computation that makes it"
                )
            for value, access, sizes in operands_of(op):
                if value in owners and not _reads_block(value, access, sizes, op, owners[value]):
                    raise ScheduleError(
                        f"tile_and_fuse tiles a tensor that {access.map.data} reads outside of the tile; tile a "
                        "dimension along which each position needs its own only"
                    )


def _reads_block(
    value: SSAValue, access: tensor.AccessAttr, sizes: Sequence[int], op: tensor.Computation, owner: tensor.Computation
) -> bool:
    """Return whether `op` reads from `value` only what a block of `owner` holds."""
    stays = not any(overlap_of(op)) and stays_in_block(value, access, sizes, fused_tiles(op), owner)
    return stays or slides_in_block(value, access, sizes, op, owner)


def step_dim(op: tensor.Computation, reader: tensor.Computation) -> int | None:
    """Return the reduction of `reader` whose steps each read one position of the dimension of `op` that is computed
    there, for one register tile; None if no reduction does."""
    at = computed_at(op)
    if at is None or not isinstance(op, tensor.ComputeOp) or not isinstance(reader, tensor.ComputeOp):
        return None
    uses = [use for result in op.res for use in result.uses]
    if len(uses) != 1 or uses[0].operation is not reader or uses[0].index >= len(reader.reads):
        return None
    point = coordinates(op.res[0], reader.read_accesses[uses[0].index], reader.sizes, op.parallel_sizes)
    if point is None or not isinstance(found := point[at], AffineDimExpr) or found.position < reader.rank:
        return None
    state = None if reader.schedule is None else reader.schedule.on(reader)
    if state is None or len(reader.reduction_sizes) != 1 or state.partials or state.vector_dim == found.position:
        return None
    whole = all(state.tiles[dim] >= min(size, reader.sizes[dim]) for dim, size in state.fused_sizes)
    return found.position if whole else None


def operands_of(op: tensor.Computation) -> list[tuple[SSAValue, tensor.AccessAttr, tuple[int, ...]]]:
    """Return each operand that has an access map, with the domain of this map."""
    if isinstance(op, tensor.TransformOp):
        epilogue = zip(op.epilogue, op.accesses, strict=True)
        return [(op.x, op.read, op.read_sizes), *((value, access, op.write_sizes) for value, access in epilogue)]
    reads = [(value, access, op.sizes) for value, access in zip(op.reads, op.read_accesses, strict=True)]
    epilogue = zip(op.epilogue, op.epilogue_accesses, strict=True)
    return [*reads, *((value, access, op.parallel_sizes) for value, access in epilogue)]


def groups_of(computes: Sequence[tensor.Computation]) -> list[FusedGroup]:
    """Split the computations of a kernel into groups, in order, and verify each."""
    groups: list[FusedGroup] = []
    for op in computes:
        joins = groups and groups[-1].depth and groups[-1].depth == len(fused_tiles(op))
        if joins:
            groups[-1] = FusedGroup((*groups[-1].ops, op))
        else:
            groups.append(FusedGroup((op,)))
    for group in groups:
        group.verify()
    return groups


def may_overwrite_in_blocks(group: FusedGroup, value: SSAValue) -> bool:
    """Return whether the last computation of `group` may overwrite operand `value` block by block: no computation of
    the group reads what another block has overwritten."""
    last = group.ops[-1]
    return all(
        not any(overlap_of(op)) and stays_in_block(operand, access, sizes, fused_tiles(op), last)
        for op in group.ops
        for operand, access, sizes in operands_of(op)
        if operand is value
    )


class TileBuffer(NamedTuple):
    """A tensor that holds one block: the computation that produces it, and the value that stands for the block."""

    producer: tensor.Computation
    block: SSAValue

    def position(
        self,
        value: SSAValue,
        access: tensor.AccessAttr,
        sizes: Sequence[int],
        own: Sequence[AffineExpr],
        splits: Sequence[LoopSplit],
    ) -> list[AffineExpr]:
        """Return the position in the block that an access over a domain of `sizes` reads; `own` are the indices of its
        dimensions, `splits` their blocks."""
        point = coordinates(value, access, sizes, lies_in(self.producer))
        if point is None:
            raise CompilerBug(
                f"{access.map.data} reads a tile by another shape, and may miss it; the verifier refuses that"
            )
        moved = [at_dims(expr, own) for expr in point]
        for (axis, block), start in zip(written_blocks(self.producer), block_numbers(splits), strict=True):
            moved[axis] -= start * block - overlap_of(self.producer)[0]
        if (step := computed_at(self.producer)) is not None:
            moved[step] = AffineConstantExpr(0)
        return moved


def block_numbers(splits: Sequence[LoopSplit]) -> list[AffineExpr]:
    """Return the block numbers of `splits` as expressions over the first dimensions, which are the loops over
    blocks."""
    return [AffineDimExpr(number) + max(split.first, 0) // split.step for number, split in enumerate(splits)]
