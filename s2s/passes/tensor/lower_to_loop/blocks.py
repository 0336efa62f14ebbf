"""Emit the loops of a kernel's computations; computations that share blocks are nested in one loop over the blocks.

    %s = tensor.compute [20, 8] … schedule #tensor.schedule<[…, tile_and_fuse<0 by 16>]>
    %y = tensor.compute [20 | 8] epilogue(%s …) … schedule #tensor.schedule<[…, tile_and_fuse<0 by 16>]>
->
    loop.for %i_block = 0 to 16 step 16 { the nest of %s; the nest of %y }   // here: one block, no loop
    the nests of the rows 16 to 19

Only the group uses `%s`, so its buffer holds 16 rows. A partial block at the end gets separate code, since the nests of
full blocks have constant sizes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from math import prod

from xdsl.dialects.builtin import FloatAttr, MemRefType, f32
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.analysis.structure.compute import names_of
from s2s.analysis.structure.copy_plan import CopyPlan
from s2s.analysis.tile_and_fuse.fused_groups import (
    FusedGroup,
    LoopSplit,
    computed_at,
    full_split,
    fused_tiles,
    step_dim,
)
from s2s.analysis.tile_and_fuse.tiles import ComputeTile, first_tiles, tiles_of
from s2s.analysis.tile_and_fuse.transform_tiles import TransformTile
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.buffers import buffer_type
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Emitter
from s2s.passes.tensor.lower_to_loop.nest import Nest
from s2s.passes.tensor.lower_to_loop.partials import PartialPlan
from s2s.passes.tensor.lower_to_loop.transform import TransformNest
from s2s.passes.tensor.lower_to_loop.transform_plan import TransformPlan
from s2s.support.mutable import mutable


def inner_types(group: FusedGroup) -> dict[SSAValue, MemRefType[Attribute]]:
    """Return the buffer types of the tensors that hold one block only."""
    kept = set(group.inner)
    return {
        old: buffer_type(new.type)
        for tile in (first_tiles(group) if kept else [])
        for old, new in zip(tile.whole.results, tile.op.results, strict=True)
        if old in kept
    }


def scratch_types(group: FusedGroup) -> dict[tensor.Computation, list[tuple[str, MemRefType[Attribute]]]]:
    """Names and types of the scratch buffers of each computation of `group`: for the operand that it caches, and for
    partial results that cannot wait in its result."""
    found: dict[tensor.Computation, list[tuple[str, MemRefType[Attribute]]]] = {}
    for tile in first_tiles(group):
        if isinstance(tile, TransformTile):
            plan = TransformPlan.of(tile.op)
            found[tile.whole] = [] if plan.in_registers else [("strip", plan.scratch)]
            continue
        copy, partials = CopyPlan.of(tile.op), PartialPlan.of(tile)
        found[tile.whole] = [("rows", copy.scratch)] if copy is not None else []
        found[tile.whole] += [("partial", type) for type in partials.scratch] if partials is not None else []
    return found


@mutable
class FusedGroupEmitter:
    """Appends the loops of one group to `block`; `buffers` maps each tensor that it reads or defines to its memref."""

    group: FusedGroup
    buffers: Mapping[SSAValue, SSAValue]
    scratch: Mapping[tensor.Computation, Sequence[SSAValue]]
    block: Block
    sizes: Mapping[str, loop.SizeOp]
    """The sizes that are known at run time, by name."""
    emitter: Emitter = field(init=False)

    def __post_init__(self) -> None:
        self.emitter = Emitter(self.block)
        self.emitter.enter_sizes(self.sizes)

    def emit(self) -> None:
        """Emit the loops over blocks and the nests inside."""
        before = len(self.block.ops)
        self._level([[] for _ in self.group.ops], [])
        if self.group.divided and not any(loop.PARALLELIZE in op.attributes for op in list(self.block.ops)[before:]):
            raise CompilerBug("parallel divides a loop of which borders leave one iteration; the verifier refuses that")

    def _level(self, chosen: list[list[LoopSplit]], opened: list[AffineExpr]) -> None:
        """Emit the blocks of the next shared dimension, full ones first; the nests if there is none left."""
        level = len(opened)
        if level == self.group.depth:
            self._nests(chosen, opened)
            return
        tiles = [fused_tiles(op)[level] for op in self.group.ops]
        full = self.group.full(level)
        if full:
            splits = [full_split(op, level, full) for op in self.group.ops]
            self._loop(full, tiles[0], [[*own, split] for own, split in zip(chosen, splits, strict=True)], opened)
        if self.group.rest(level):
            rests = [
                LoopSplit(dim, full * size, size, 1, op.sizes[dim] - full * size)
                for op, (dim, size) in zip(self.group.ops, tiles, strict=True)
            ]
            zero = AffineConstantExpr(0)
            self._level([[*own, split] for own, split in zip(chosen, rests, strict=True)], [*opened, zero])

    def _loop(self, count: int, tile: tuple[int, int], chosen: list[list[LoopSplit]], opened: list[AffineExpr]) -> None:
        """Emit a loop over `count` full blocks; no loop for a single block."""
        if count == 1:
            self._level(chosen, [*opened, AffineConstantExpr(0)])
            return
        dim, size = tile
        name = names_of(self.group.ops[0])[dim]
        parallel = len(opened) < self.group.divided
        bounds = Bounds(0, count * size, size, (), self._ends(dim))
        with self.emitter.loop(bounds, f"{name}_block", parallel=parallel) as position:
            self._level(chosen, [*opened, position // size])

    def _ends(self, dim: int) -> tuple[AffineExpr, ...]:
        """Return the end of the loop over blocks along `dim` of the first computation, if its size varies."""
        first = self.group.ops[0]
        name = first.sizes_at_run_time[dim] if isinstance(first, tensor.ComputeOp) else ""
        return (self.emitter.sizes[name],) if name else ()

    def _nests(self, chosen: list[list[LoopSplit]], opened: list[AffineExpr]) -> None:
        buffers, producers = dict(self.buffers), list[ComputeTile]()
        for tile in tiles_of(self.group, chosen):
            buffers |= {new: buffers[old] for old, new in zip(tile.whole.results, tile.op.results, strict=True)}
            if isinstance(tile, TransformTile):
                TransformNest(tile, buffers, self.scratch[tile.whole], self.emitter).emit(opened)
                continue
            if computed_at(tile.whole) is not None:
                producers.append(tile)
                continue
            self._clear_outside(tile, buffers, opened)
            nest = self._nest(tile, buffers)
            for producer in producers:
                self._compute_in(nest, producer, buffers, opened)
            producers.clear()
            nest.emit(opened)

    def _nest(self, tile: ComputeTile, buffers: dict[SSAValue, SSAValue]) -> Nest:
        return Nest.of(tile, buffers, self.emitter, CopyPlan.of(tile.op), self.scratch[tile.whole])

    def _compute_in(
        self, nest: Nest, producer: ComputeTile, buffers: dict[SSAValue, SSAValue], opened: list[AffineExpr]
    ) -> None:
        """Let `nest` compute what it reads of `producer` before each step of its reduction."""
        step = step_dim(producer.whole, nest.tile.whole)
        assert step is not None
        dim = nest.tile.blocks + step
        nest.before_step.append(lambda: self._nest(producer, buffers).emit([*opened, nest.dims[dim]]))

    def _clear_outside(self, tile: ComputeTile, buffers: Mapping[SSAValue, SSAValue], opened: list[AffineExpr]) -> None:
        """Store zeros where the block of `tile` extends beyond the dimension."""
        dims: list[AffineExpr] = [*opened, *[AffineConstantExpr(0)] * (len(tile.op.sizes) - len(opened))]
        for dim in tile.window:
            (low,), (high,) = tile.inside(dim, dims)
            size = tile.op.sizes[dim]
            for result in tile.op.res:
                self._clear(tile, dim, buffers[result], Bounds(0, size, 1, (), (low,)))
                self._clear(tile, dim, buffers[result], Bounds(0, size, 1, (high,), ()))

    def _clear(self, tile: ComputeTile, dim: int, buffer: SSAValue, rows: Bounds) -> None:
        """Store zeros at the positions `rows` of dimension `dim` of a buffer that holds one block."""
        sizes = tile.op.parallel_sizes
        inner = prod(sizes[dim + 1 :])
        lanes = next(
            each for each in (tile.op.schedule.on(tile.op).lanes if tile.op.schedule else 1, 1) if inner % each == 0
        )
        zero = self.emitter.splat(self.emitter.constant(FloatAttr(0.0, f32)), lanes)
        with (
            self.emitter.loop(Bounds(0, prod(sizes[tile.blocks : dim]), 1), "outer") as outer,
            self.emitter.loop(rows, tile.names[dim]) as row,
            self.emitter.loop(Bounds(0, inner, lanes), "inner") as place,
        ):
            affine_map, indices = self.emitter.space.emit((outer * sizes[dim] + row) * inner + place)
            self.emitter.add(loop.StoreOp(zero, buffer, affine_map, indices))
