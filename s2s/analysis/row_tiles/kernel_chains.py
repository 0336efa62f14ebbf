"""Find chains of kernels that can run in row tiles, and estimate the memory traffic that tiling saves.

Activations are images in blocks of channels, `[1, C / b, H, W, b]`: rows are dimension 2 of tensors and of domains. A
sliding window reads more rows than it produces, so that neighbouring tiles compute the rows in the overlap twice: a 3x3
convolution that makes rows 8 to 15 reads rows 7 to 16 of its operand.
"""

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import SSAValue

from s2s.analysis.row_tiles.windows import RowWindow
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.tile_and_fuse.fused_groups import operands_of
from s2s.dialects import tensor
from s2s.types.affine import bounds, coefficient, ranges
from s2s.types.dtypes import size_in_bytes
from s2s.types.hints import isa

ROW = 2
"""The dimension of rows."""
OPERATIONS_PER_BYTE = 8
"""Operations that a core executes while it loads one byte from outside of its own caches."""
MAX_ARITHMETIC = 2
"""A chain is tiled only if its arithmetic takes at most this many times as long as the memory traffic that tiling
saves."""


class RowTile(NamedTuple):
    """A row tile of one computation: `size` rows of its own, with `before` and `after` rows that neighbouring tiles
    compute as well."""

    size: int
    before: int = 0
    after: int = 0

    @property
    def rows(self) -> int:
        """The number of rows of a tile, overlap included."""
        return self.size + self.before + self.after


def has_rows(op: tensor.ComputeOp) -> bool:
    """Return whether `op` produces one image of constant size in blocks of channels, and nothing else."""
    shape = shape_of(op.res[0])
    return (
        len(op.res) == 1
        and op.extents is None
        and len(shape) == 5
        and shape[0] == 1
        and op.parallel_sizes == shape
        and not op.tables
    )


def window_of(op: tensor.ComputeOp, value: SSAValue) -> RowWindow | None:
    """Return the rows of `value` that `op` reads for one row of its result; None if it has no such access."""
    found: set[RowWindow | None] = set()
    for operand, access, sizes in operands_of(op):
        if operand is value:
            expr, bound = access.map.data.results[ROW], list(ranges(sizes))
            stride = coefficient(expr, ROW, bound)
            others = {dim for dim in expr.used_dims() if dim < op.rank and dim != ROW and sizes[dim] > 1}
            bound[ROW] = (0, 0)
            is_plain = stride is not None and stride > 0 and not others and max(access.division) == 1
            found.add(RowWindow(stride or 0, *bounds(expr, bound)) if is_plain else None)
    return found.pop() if len(found) == 1 else None


def tiles_of(ops: Sequence[tensor.ComputeOp], size: int) -> list[RowTile] | None:
    """Return the row tiles of a chain whose last computation produces `size` rows a tile; None if the tiles are not
    equal."""
    tiles = [RowTile(size)]
    count, rest = divmod(ops[-1].sizes[ROW], size)
    for op, follower in zip(reversed(ops[:-1]), reversed(ops[1:]), strict=True):
        window, behind = window_of(follower, op.res[0]), tiles[-1]
        if window is None:
            return None
        step = behind.size * window.stride
        read = window.reads(range(-behind.before, behind.size + behind.after))
        tile = RowTile(step, max(0, -read.start), max(0, read.stop - step))
        if op.sizes[ROW] != count * step or ((tile.before or tile.after) and not sums_products(follower)):
            return None
        tiles.append(tile)
    return None if rest else tiles[::-1]


def sums_products(op: tensor.ComputeOp) -> bool:
    """Return whether `op` is a sum of products from zero, so that zero elements add nothing."""
    if op.reduce is None or len(op.inits) != 1 or len(op.reads) != 2:
        return False
    init, last = op.inits.data[0], op.reduce.block.last_op
    if not isa(init, FloatAttr) or init.value.data != 0.0 or not isinstance(last, tensor.YieldOp):
        return False
    added, accumulator = last.arguments[0].owner, op.reduce.block.args[-1]
    if not isinstance(added, arith.AddfOp) or accumulator not in added.operands:
        return False
    product = (added.rhs if added.lhs is accumulator else added.lhs).owner
    return isinstance(product, arith.MulfOp) and set(product.operands) == set(op.reduce.block.args[:2])


def bytes_of(value: SSAValue) -> int:
    """Return the bytes of a tensor."""
    return prod(shape_of(value)) * size_in_bytes(tensor.element_type(value))


def bytes_of_blocks(ops: Sequence[tensor.ComputeOp], tiles: Sequence[RowTile]) -> int:
    """Return the bytes of one row tile of every intermediate tensor."""
    pairs = zip(ops[:-1], tiles[:-1], strict=True)
    return sum(bytes_of(op.res[0]) // op.sizes[ROW] * tile.rows for op, tile in pairs)


def pays(ops: Sequence[tensor.ComputeOp], tiles: Sequence[RowTile]) -> bool:
    """Return whether tiling a chain saves more time in memory traffic than the recomputed rows cost. Chains that are
    bound by arithmetic decline: faster algorithms for whole images gain more there."""
    saved = sum(2 * bytes_of(op.res[0]) for op in ops[:-1])
    if sum(2 * prod(op.sizes) for op in ops) > MAX_ARITHMETIC * saved * OPERATIONS_PER_BYTE:
        return False
    twice = sum(2 * prod(op.sizes) * (tile.rows - tile.size) // tile.size for op, tile in zip(ops, tiles, strict=True))
    return twice < saved * OPERATIONS_PER_BYTE
