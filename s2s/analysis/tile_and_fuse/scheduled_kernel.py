"""The kernel around a scheduled computation, as the verifiers of directives look at it.

Constants lie as the schedules pack them, and each computation is seen in the tiles that its group is done in: full ones
and the shorter ones at the end. Nothing is lowered.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from functools import cached_property
from itertools import product
from math import prod

from xdsl.ir import Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.copy_plan import CopyPlan
from s2s.analysis.structure.overwriting import may_overwrite
from s2s.analysis.structure.packed_layouts import packed_access, packed_shape
from s2s.analysis.tile_and_fuse.cuts import Cuts
from s2s.analysis.tile_and_fuse.fused_groups import (
    FusedGroup,
    LoopSplit,
    full_split,
    fused_tiles,
    groups_of,
)
from s2s.analysis.tile_and_fuse.tiles import ComputeTile, tiles_of
from s2s.analysis.tile_and_fuse.transform_tiles import TransformTile
from s2s.dialects import tensor
from s2s.support.frozen import frozen
from s2s.types.affine import Linear, Range, at_dims, bounds, flat_index, linear, ranges


@frozen
class OperandView:
    """An operand of a tile, as it lies in memory: index expressions over the dimensions of the tile, and the shape."""

    indices: tuple[AffineExpr, ...]
    shape: tuple[int, ...]
    is_divided: bool

    def depends_on(self, dim: int) -> bool:
        """Return whether the operand moves along `dim`."""
        return any(dim in expr.used_dims() for expr in self.indices)

    def position(self, dims: Sequence[AffineExpr]) -> AffineExpr:
        """Return the flat index of the element read at the point `dims`."""
        return flat_index([at_dims(expr, dims) for expr in self.indices], self.shape)


class Vectors(Enum):
    """Where the vectors along a dimension begin, of which lanes behind the end have no result."""

    AT_MULTIPLES = "at multiples of their lanes"
    REPEATING = "anywhere before the end: the last one repeats earlier positions to be full"
    ANYWHERE = "anywhere: a border cuts the dimension, as position 1 does under padding"


@frozen
class TileView:
    """A tile of a computation with its schedule; its dimensions are the tile's, loops over blocks first."""

    tile: ComputeTile
    schedule: tensor.ScheduleState

    @property
    def op(self) -> tensor.ComputeOp:
        """The computation of the tile."""
        return self.tile.op

    @cached_property
    def plan(self) -> CopyPlan | None:
        """The copy of an operand at run time; None if there is none."""
        return CopyPlan.of(self.op)

    @cached_property
    def cuts(self) -> Cuts:
        """The pieces of its dimensions."""
        return Cuts(self.op, self.schedule, self.plan)

    @cached_property
    def operands(self) -> list[OperandView]:
        """Reads, then operands of the epilogue."""
        whole, packs = self.tile.whole, dict(self.schedule.packs)
        found: list[OperandView] = []
        for number, access in enumerate(self.op.accesses):
            value = self.op.operands[number]
            indices, shape = access.map.data.results, shape_of(value)
            if number in packs:
                old = shape_of(whole.operands[number])
                packed = packed_access(whole.accesses.data[number], old, packs[number], whole.sizes)
                indices = tuple(at_dims(expr, self.tile.own) for expr in packed.map.data.results)
                shape = packed_shape(old, packs[number])
            found.append(OperandView(tuple(indices), tuple(shape), any(each > 1 for each in access.division)))
        return found

    @cached_property
    def vectors(self) -> Vectors:
        """Where vectors begin along the vector dimension."""
        dim, lanes = self.schedule.vector_dim, self.schedule.lanes
        if dim is None or dim >= self.op.rank:
            return Vectors.AT_MULTIPLES
        others = {each for guard in self.cuts.guards(dim) for each in guard.expr.used_dims()} - {dim}
        pieces = self.cuts.along(dim, ranges(self.op.sizes))
        if any(each < self.op.rank for each in others) or any(each.lanes > 1 and each.start % lanes for each in pieces):
            return Vectors.ANYWHERE
        size, whole = self.op.sizes[dim], self.tile.whole
        if size % lanes == 0 or self.schedule.tiles[dim] >= size or self.schedule.blocks:
            return Vectors.AT_MULTIPLES
        if any(may_overwrite(whole, value) for value in whole.epilogue):
            return Vectors.AT_MULTIPLES
        plain = all(self._is_plain(each, dim) for each in self.operands)
        return Vectors.REPEATING if plain else Vectors.AT_MULTIPLES

    def _is_plain(self, operand: OperandView, dim: int) -> bool:
        """Return whether an operand moves in equal steps along `dim`, wherever a vector begins."""
        if operand.is_divided:
            return False
        form = linear(flat_index(operand.indices, operand.shape), ranges(self.op.sizes))
        return stride(form, dim) is not None


class Point:
    """A point of a tile at any position of its loops: lane `lane` of a vector, step `step` of a group of reductions."""

    def __init__(self, view: TileView, grouped: Sequence[int] = (), group: int = 1) -> None:
        op, dim, count = view.op, view.schedule.vector_dim, len(view.op.sizes)
        self.view = view
        self.bound: list[Range] = ranges(op.sizes)
        self.dims: list[AffineExpr] = [AffineDimExpr(each) for each in range(count)]
        self.lane, self.step, self.number = count, count + 1, count + 2
        """The variables of the lane, of the step inside of a group, and of the group."""
        lanes = view.schedule.lanes if dim is not None and dim < op.rank else 1
        if dim is not None and lanes > 1:
            start: AffineExpr = AffineDimExpr(dim)
            match view.vectors:
                case Vectors.AT_MULTIPLES:
                    start, self.bound[dim] = start * lanes, (0, -(-op.sizes[dim] // lanes) - 1)
                case Vectors.REPEATING:
                    self.bound[dim] = (0, op.sizes[dim] - lanes)
                case Vectors.ANYWHERE:
                    pass
            self.dims[dim] = start + AffineDimExpr(self.lane)
        steps = prod(op.sizes[each] for each in grouped)
        self.bound += [(0, lanes - 1), (0, group - 1), (0, -(-steps // group) - 1)]
        k: AffineExpr = AffineDimExpr(self.number) * group + AffineDimExpr(self.step)
        for each in reversed(grouped):
            # the outermost one is not clipped, so that steps behind the last one are positions behind the operand
            self.dims[each] = k if each == grouped[0] else k % op.sizes[each]
            k = k // op.sizes[each]

    def form(self, operand: OperandView) -> Linear:
        """Return the flat index at which an operand is read."""
        return linear(operand.position(self.dims), self.bound)

    def at_step(self, operand: OperandView, step: int) -> Linear:
        """Return the flat index of step `step` of a group."""
        bound = [*self.bound]
        bound[self.step] = (step, step)
        return linear(operand.position(self.dims), bound)

    def copied(self, plan: CopyPlan) -> Linear:
        """Return the flat index at which the copy of an operand is read. It is made where the tile begins."""
        zero, lane = AffineConstantExpr(0), AffineDimExpr(self.lane)
        moved: list[AffineExpr] = [AffineDimExpr(each) for each in range(len(self.bound))]
        moved[lane.position] = zero
        base = [at_dims(expr, moved) if dim in plan.outer else zero for dim, expr in enumerate(self.dims)]
        return linear(plan.position(self.dims, base), self.bound)

    def highest(self, form: Linear) -> int:
        """Return the highest value of `form`."""
        return bounds(form.to_expr(), self.bound)[1]


def stride(form: Linear, dim: int) -> int | None:
    """Return how far `form` moves with dimension `dim`; None where a division depends on it."""
    variable = AffineDimExpr(dim)
    if any(dim in atom.used_dims() for atom in form.terms if atom != variable):
        return None
    return form.terms.get(variable, 0)


@frozen
class ScheduledKernel:
    """The computations of a kernel, all with schedules, in groups of fused ones."""

    groups: tuple[FusedGroup, ...]
    constants: frozenset[SSAValue]
    """The arguments of the kernel that are constants."""
    _tiles: dict[int, Mapping[tensor.ComputeOp, list[TileView]]] = field(
        default_factory=dict[int, Mapping[tensor.ComputeOp, list[TileView]]]
    )

    @staticmethod
    def of(computations: Sequence[tensor.Computation], constants: frozenset[SSAValue]) -> "ScheduledKernel":
        """Return the kernel of these computations; raises an error where tiles of fused ones do not fit together."""
        return ScheduledKernel(tuple(groups_of(computations)), constants)

    def group_of(self, op: tensor.Computation) -> FusedGroup:
        """Return the group that `op` is in."""
        return next(group for group in self.groups if op in group.ops)

    def tiles(self, op: tensor.ComputeOp) -> list[TileView]:
        """Return the different tiles in which `op` is done: all of it where it is not fused."""
        number = next(number for number, group in enumerate(self.groups) if op in group.ops)
        if number not in self._tiles:
            self._tiles[number] = _tiles_of(self.groups[number])
        return self._tiles[number].get(op, [])


def _tiles_of(group: FusedGroup) -> dict[tensor.ComputeOp, list[TileView]]:
    found: dict[tensor.ComputeOp, list[TileView]] = {}
    for chosen in _splits(group):
        for tile in tiles_of(group, chosen):
            _detach(tile)
            if isinstance(tile, ComputeTile) and tile.op.schedule is not None:
                view = TileView(tile, tile.op.schedule.on(tile.op))
                found.setdefault(tile.whole, []).append(view)
    return found


def _detach(tile: ComputeTile | TransformTile) -> None:
    """Let the computation of a tile use values of its own: the kernel does not count it among its readers."""
    if tile.op is not tile.whole:
        tile.op.operands = Block(arg_types=[value.type for value in tile.op.operands]).args


def _splits(group: FusedGroup) -> list[list[list[LoopSplit]]]:
    """Return the splits of each computation for full blocks, and for the shorter ones at the end, of each fused
    dimension."""
    levels: list[list[list[LoopSplit]]] = []
    for level in range(group.depth):
        full, found = group.full(level), list[list[LoopSplit]]()
        if full:
            found.append([full_split(op, level, full) for op in group.ops])
        if group.rest(level):
            sizes = [(op, *fused_tiles(op)[level]) for op in group.ops]
            rests = [LoopSplit(dim, full * size, size, 1, op.sizes[dim] - full * size) for op, dim, size in sizes]
            found.append(rests)
        levels.append(found)
    return [[[split[number] for split in chosen] for number in range(len(group.ops))] for chosen in product(*levels)]


__all__ = ["OperandView", "Point", "ScheduledKernel", "TileView", "stride"]
