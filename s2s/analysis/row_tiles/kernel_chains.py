"""Chains of kernels that could run row block by row block, and what that would save.

Activations are images in blocks of channels, `[1, C / b, H, W, b]`: rows are dimension 2 of tensors and of domains. A
computation that slides a window needs some rows more of what it reads than it makes; those rows are made twice, by the
block in front and the one behind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.tile_and_fuse.fused_groups import operands_of
from s2s.dialects import tensor
from s2s.types.affine import bounds, coefficient, ranges
from s2s.types.dtypes import size_in_bytes

ROW = 2
"""The dimension of rows."""
OPERATIONS_PER_BYTE = 8
"""Operations that a core does while a byte comes from beyond its own caches."""
MOST_ARITHMETIC = 2
"""Times that a chain may calculate as long as it would write and read what lies between."""


@dataclass(frozen=True)
class Slide:
    """Rows `[row * stride + low, row * stride + high]` of an operand make row `row`."""

    stride: int
    low: int
    high: int


@dataclass(frozen=True)
class Walk:
    """How one computation walks through its rows: `size` in a block, and those it shares with other blocks."""

    size: int
    before: int = 0
    after: int = 0

    @property
    def rows(self) -> int:
        """Rows that a block holds."""
        return self.size + self.before + self.after


def has_rows(op: tensor.ComputeOp) -> bool:
    """Whether `op` makes one image in blocks of channels, and nothing else."""
    shape = shape_of(op.res[0])
    return len(op.res) == 1 and len(shape) == 5 and shape[0] == 1 and op.parallel_sizes == shape and not op.tables


def slide_of(op: tensor.ComputeOp, value: SSAValue) -> Slide | None:
    """The rows of `value` that `op` reads for one of its own; None if it reads them in another way."""
    found: set[Slide | None] = set()
    for operand, access, sizes in operands_of(op):
        if operand is value:
            expr, bound = access.map.data.results[ROW], list(ranges(sizes))
            stride = coefficient(expr, ROW, bound)
            others = {dim for dim in expr.used_dims() if dim < op.rank and dim != ROW and sizes[dim] > 1}
            bound[ROW] = (0, 0)
            is_plain = stride is not None and stride > 0 and not others and max(access.division) == 1
            found.add(Slide(stride or 0, *bounds(expr, bound)) if is_plain else None)
    return found.pop() if len(found) == 1 else None


def walks_of(ops: Sequence[tensor.ComputeOp], size: int) -> list[Walk] | None:
    """The walks of a chain whose last computation makes `size` rows in a block; None if blocks do not come out even."""
    walks = [Walk(size)]
    count, rest = divmod(ops[-1].sizes[ROW], size)
    for op, follower in zip(reversed(ops[:-1]), reversed(ops[1:]), strict=True):
        slide, behind = slide_of(follower, op.res[0]), walks[-1]
        if slide is None:
            return None
        step = behind.size * slide.stride
        first = -behind.before * slide.stride + slide.low
        last = (behind.size + behind.after - 1) * slide.stride + slide.high
        walk = Walk(step, max(0, -first), max(0, last + 1 - step))
        if op.sizes[ROW] != count * step or ((walk.before or walk.after) and not sums_products(follower)):
            return None
        walks.append(walk)
    return None if rest else walks[::-1]


def sums_products(op: tensor.ComputeOp) -> bool:
    """Whether `op` adds up products, so that zeros count for nothing."""
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
    """The size of a tensor."""
    return prod(shape_of(value)) * size_in_bytes(tensor.element_type(value))


def bytes_of_blocks(ops: Sequence[tensor.ComputeOp], walks: Sequence[Walk]) -> int:
    """What one block of everything between the computations takes."""
    pairs = zip(ops[:-1], walks[:-1], strict=True)
    return sum(bytes_of(op.res[0]) // op.sizes[ROW] * walk.rows for op, walk in pairs)


def pays(ops: Sequence[tensor.ComputeOp], walks: Sequence[Walk]) -> bool:
    """Whether not writing and reading what lies between is worth the rows that are made twice, and takes a good part of
    the time: where arithmetic does, faster ways to do it matter more, and they want whole images."""
    saved = sum(2 * bytes_of(op.res[0]) for op in ops[:-1])
    if sum(2 * prod(op.sizes) for op in ops) > MOST_ARITHMETIC * saved * OPERATIONS_PER_BYTE:
        return False
    twice = sum(2 * prod(op.sizes) * (walk.rows - walk.size) // walk.size for op, walk in zip(ops, walks, strict=True))
    return twice < saved * OPERATIONS_PER_BYTE
