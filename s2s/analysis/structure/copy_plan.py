"""Plan the copy of `cache_read`: which elements of an operand are copied, and where each is in scratch.

If the operand depends on reduction dimensions only, inside the loops around the copy, then the copy has one row with
the whole reduction for each point of the tile. Otherwise the operand slides in a window, as in a depthwise convolution
of one channel: then the window is copied with its shape, padding included. In both cases every position of the
reduction is in bounds of the copy, so that no test is needed.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod

from xdsl.dialects.builtin import IntegerType, MemRefType, i8, i16
from xdsl.ir import Attribute
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.dot_groups import window
from s2s.analysis.structure.products import ProductSum, product_sum
from s2s.dialects import tensor
from s2s.errors import CompilerBug
from s2s.support.frozen import frozen
from s2s.types.affine import at_dims, bounds, flat_index, ranges

ZERO = AffineConstantExpr(0)
PAIR = 2
"""Numbers of 16 bits in half a group."""


@frozen
class CopyPlan:
    """The plan of the `cache_read` of one computation."""

    op: tensor.ComputeOp
    schedule: tensor.ScheduleState
    read: int
    depth: int
    widened: bool
    products: ProductSum

    @staticmethod
    def of(op: tensor.ComputeOp) -> "CopyPlan | None":
        """Return the plan of `op`; None if nothing is copied."""
        schedule = None if op.schedule is None else op.schedule.on(op)
        if schedule is None or schedule.cached is None:
            return None
        products = product_sum(op)
        if products is None:
            raise CompilerBug("cache_read copies a factor of what is no sum of products; the verifier refuses that")
        plan = CopyPlan(op, schedule, schedule.cached.read, schedule.cache_depth, schedule.cached.widened, products)
        if not plan.is_rows and any(plan.tiles[dim] > 1 for dim in plan.outer):
            raise CompilerBug("cache_read copies the window of one point inside tiled loops; the verifier refuses that")
        return plan

    @property
    def element(self) -> IntegerType:
        """The element type of the copy."""
        return i16 if self.widened else i8

    @property
    def as_stored(self) -> bool:
        """Whether the copy is made of the bytes as they are, zero point included."""
        return not self.widened or self.schedule.in_pairs

    @property
    def offset(self) -> int:
        """The number that is added to each element."""
        return 0 if self.as_stored else self.products.factor_of(self.read).offset

    @property
    def number(self) -> int | None:
        """The number of the zero point, if a pack of weights brings it."""
        return self.products.factor_of(self.read).number

    @property
    def fill(self) -> int:
        """The stored value of padding, before bytes are flipped."""
        return -self.products.factor_of(self.read).offset if self.as_stored else 0

    @property
    def zero(self) -> int:
        """The stored value of a 0."""
        return self.fill + (128 if self.flips else 0)

    @property
    def flips(self) -> bool:
        """Whether 128 is added to each byte, for unsigned products."""
        return self.schedule.is_unsigned

    @cached_property
    def tiles(self) -> list[int]:
        """The tile size of each dimension, limited to the size of the dimension."""
        return [min(pair) for pair in zip(self.schedule.tiles, self.op.sizes, strict=True)]

    @property
    def outer(self) -> tuple[int, ...]:
        """The dimensions whose loops are around the copy."""
        return tuple(self.schedule.order[: self.depth])

    @property
    def moving(self) -> list[int]:
        """The dimensions inside the copy that the operand depends on, in the order of its axes in scratch."""
        used = {dim for expr in self.access.map.data.results for dim in expr.used_dims()}
        return [dim for dim in range(len(self.op.sizes)) if dim in used and dim not in self.outer]

    @property
    def is_rows(self) -> bool:
        """Whether the copy is one row of the whole reduction for each point of the tile."""
        return all(dim >= self.op.rank for dim in self.moving)

    @property
    def access(self) -> tensor.AccessAttr:
        """The access of the operand."""
        return self.op.read_accesses[self.read]

    @cached_property
    def sizes(self) -> list[int]:
        """The size of each dimension of the domain; for a reduction in blocks, the size of a block."""
        blocks, rank = self.schedule.block_of, self.op.rank
        return [min(size, blocks.get(dim, size)) if dim >= rank else size for dim, size in enumerate(self.op.sizes)]

    @property
    def may_leave_operand(self) -> bool:
        """Whether positions of the copy may be outside of the operand: it is padded, or a last block is shorter."""
        return self.access.is_guarded or any(
            whole % part for whole, part in zip(self.op.sizes, self.sizes, strict=True)
        )

    @property
    def steps(self) -> int:
        """Number of steps of a block of the reduction, rounded up to whole groups of the dot product."""
        size = self.schedule.group
        return -(-prod(self.sizes[self.op.rank :]) // size) * size

    @property
    def tile_dims(self) -> list[int]:
        """The dimensions along which the tile has several rows."""
        used = {dim for expr in self.access.map.data.results for dim in expr.used_dims()}
        return [dim for dim in self.outer if self.tiles[dim] > 1 and dim in used]

    @property
    def points(self) -> int:
        """The rows of the copy: one for each point of the tile."""
        return prod(self.tiles[dim] for dim in self.tile_dims)

    @property
    def side_by_side(self) -> int:
        """The rows whose halves of groups lie side by side: element `2 * p + …` of each half is of point `p`."""
        return self.points if self.schedule.by_points else 1

    @cached_property
    def extents(self) -> tuple[int, ...]:
        """The size of the window along each axis of the read."""
        found = list(window(self.op, self.read, self.sizes, self.outer))
        wide = [axis for axis, extent in enumerate(found) if extent > 1]
        if wide and self.is_loaded_in_pairs:
            found[wide[-1]] += found[wide[-1]] % 2
        return tuple(found)

    @property
    def is_loaded_in_pairs(self) -> bool:
        """Whether rows of a window are loaded by groups from even positions, so that each row begins at one."""
        return self.schedule.in_taps and self.widened and not self.is_rows

    @cached_property
    def fixed_ranges(self) -> Mapping[int, range]:
        """The positions along each axis of a padded window that are inside of the operand, if they are the same for
        all copies, so that padding is stored once; empty if not.

        Of 16 positions with a padding of one, copies of 18 are inside of the operand from 1 to 17.
        """
        repeated = [dim for dim in self.outer if self.op.sizes[dim] > 1]
        in_parts = self.schedule.blocks or self.schedule.fused or self.schedule.parallel
        if self.is_rows or not self.access.is_guarded or not repeated or in_parts:
            return {}
        shape, positions, box = shape_of(self.op.reads[self.read]), dict[int, range](), ranges(self.op.sizes)
        for axis, expr in enumerate(self.access.map.data.results):
            first = at_dims(expr, [AffineDimExpr(dim) if dim in repeated else ZERO for dim in range(len(box))])
            low, high = bounds(first, box)
            if self.extents[axis] == 1 and low >= 0 and high < shape[axis]:
                continue
            inside = range(max(-low, 0), min(self.extents[axis], shape[axis] - low))
            if low != high or not inside:
                return {}
            positions[axis] = inside
        return positions

    @cached_property
    def scratch(self) -> MemRefType[Attribute]:
        """The scratch buffer."""
        size = self.points * self.steps if self.is_rows else prod(self.extents)
        if self.schedule.group > 1 and not self.is_rows:
            size += self.schedule.group + self.schedule.lanes - 2  # the last group or vector may extend past it
        return MemRefType(self.element, [size])

    def row(self, dims: Sequence[AffineExpr], base: Sequence[AffineExpr]) -> AffineExpr:
        """Return the flat index in scratch of the first step of the reduction, for the point at `dims` of a copy made
        at `base`. The row may begin with a later step, that of a block; then no element lies there."""
        position: AffineExpr = AffineConstantExpr(0)
        for dim in self.tile_dims:
            position = position * self.tiles[dim] + (dims[dim] - base[dim])
        behind = flat_index(base[self.op.rank :], self.op.reduction_sizes) * self.side_by_side
        return position * (PAIR if self.schedule.by_points else self.steps) - behind

    def position(self, dims: Sequence[AffineExpr], base: Sequence[AffineExpr]) -> AffineExpr:
        """Return the flat index in scratch of the element read at the point `dims` of a copy made at `base`; of rows
        side by side, where a group begins there."""
        if self.is_rows:
            step = flat_index(dims[self.op.rank :], self.op.reduction_sizes)
            return self.row(dims, base) + step * self.side_by_side
        indices = [at_dims(expr, dims) - at_dims(expr, base) for expr in self.access.map.data.results]
        return flat_index(indices, self.extents)
