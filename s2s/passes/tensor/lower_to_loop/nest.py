"""Emit the loop nest of one computation as its schedule says."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import field, replace

from xdsl.dialects.builtin import i8
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.analysis.affine.strides import fixable, moves
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.products import product_sum
from s2s.analysis.tile_and_fuse.tiles import Part
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.biases import bias_of
from s2s.passes.tensor.lower_to_loop.bodies import Bodies, point_dims
from s2s.passes.tensor.lower_to_loop.buffers import may_overwrite
from s2s.passes.tensor.lower_to_loop.clip import clip
from s2s.passes.tensor.lower_to_loop.dot import DotReduction
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Carried, Emitter
from s2s.passes.tensor.lower_to_loop.folds import FoldReduction
from s2s.passes.tensor.lower_to_loop.groups import GroupReduction
from s2s.passes.tensor.lower_to_loop.guards import Constraint, Holds, holds_all
from s2s.passes.tensor.lower_to_loop.pieces import Piece, cut, cut_fixed
from s2s.passes.tensor.lower_to_loop.prefetch import Fetcher, Place
from s2s.passes.tensor.lower_to_loop.products import check_zero_point
from s2s.passes.tensor.lower_to_loop.results import Results
from s2s.passes.tensor.lower_to_loop.rows import RowReduction
from s2s.passes.tensor.lower_to_loop.stage import StageEmitter
from s2s.passes.tensor.lower_to_loop.stage_plan import StagePlan
from s2s.passes.tensor.lower_to_loop.steps import Steps
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint, tile_points
from s2s.passes.tensor.lower_to_loop.window import WindowReduction
from s2s.support.dataclass import dataclass
from s2s.types.affine import Range, ranges


@dataclass
class Nest:
    """The state of emission inside the loops of `op`: the current position along each dimension of the domain.

    `op` is the part of a computation that runs in one block of its kernel, or the whole computation.
    """

    part: Part
    op: tensor.ComputeOp
    schedule: tensor.ScheduleState
    names: Sequence[str]
    buffers: dict[SSAValue, SSAValue]
    emitter: Emitter
    plan: StagePlan | None = None
    scratch: SSAValue | None = None
    dims: list[AffineExpr] = field(default_factory=list[AffineExpr])
    box: list[Range] = field(default_factory=list[Range])
    pieces: list[Piece] = field(default_factory=list[Piece])
    blocks: dict[int, tuple[AffineExpr, int]] = field(default_factory=dict[int, tuple[AffineExpr, int]])
    before_step: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    """Callbacks of directives, called before every step of the reduction."""

    def __post_init__(self) -> None:
        self.box = ranges(self.op.sizes)
        self.dims = [AffineConstantExpr(0)] * len(self.op.sizes)
        self.pieces = [Piece(0, 1, 1)] * len(self.op.sizes)
        self.reads = self._operands(self.op.reads, self.op.read_accesses)
        self.points = self._operands(self.op.points, self.op.point_accesses)
        staged = None if self.plan is None else self.plan.read
        self.read_guards = [
            constraint for number, read in enumerate(self.reads) if number != staged for constraint in read.guard
        ]
        self.staged_guards = [] if staged is None else self.reads[staged].guard
        self.point_guards = [constraint for point in self.points for constraint in point.guard]
        bodies = Bodies(self.part, self.buffers, self.emitter)
        self.steps = Steps(bodies, self.reads, self.read_guards)
        self.bias = bias_of(self.op) if self.schedule.form == "dot" else None
        self.results = Results(bodies, self.schedule, self.points, self.bias)
        self.fetcher = Fetcher(self.op, self.schedule, self.reads, self.emitter)

    @staticmethod
    def of(
        part: Part,
        buffers: dict[SSAValue, SSAValue],
        emitter: Emitter,
        plan: StagePlan | None = None,
        scratch: SSAValue | None = None,
    ) -> "Nest":
        """The nest of `part`; `scratch` holds the copies that `plan` makes."""
        if part.op.schedule is None:
            raise CompilerBug("tensor-lower-to-loop needs a schedule on every tensor.compute; run tensor-pick-schedule")
        nest = Nest(part, part.op, part.op.schedule.on(part.op), part.names, buffers, emitter, plan, scratch)
        if plan is not None:
            check_zero_point(nest.schedule, plan.products, plan.read)
        for directive in part.op.schedule.directives:
            directive.lower(nest)
        return nest

    def emit(self, opened: Sequence[AffineExpr] = ()) -> None:
        """Emit the whole nest; `opened` are the positions of the first dimensions, set by the loops over blocks."""
        self.dims[: len(opened)] = opened
        with ExitStack() as stack:
            self.blocks = self.emitter.blocks(stack, self.schedule, self.names)
            self._parallel([dim for dim in self.schedule.order if len(opened) <= dim < self.op.rank])

    def _operands(self, values: Sequence[SSAValue], accesses: Sequence[tensor.AccessAttr]) -> list[Operand]:
        operands: list[Operand] = []
        for value, access in zip(values, accesses, strict=True):
            buffer, element = self.buffers[value], tensor.element_type(value)
            operands.append(Operand(buffer, access, shape_of(value), element, tuple(self.box)))
        return operands

    # parallel dimensions

    def _parallel(self, order: Sequence[int]) -> None:
        if self.plan is not None and self.op.rank - len(order) == self.plan.depth:
            assert self.scratch is not None
            stage = StageEmitter(self.plan, self.emitter, self.reads[self.plan.read].buffer, self.scratch, self.names)
            self.steps.staged = stage.emit(self.dims, [piece.tile for piece in self.pieces])
        if not order:
            self._tile()
            return
        for piece in self._cut(order[0]):
            with self._piece(order[0], piece):
                self._parallel(order[1:])

    def _cut(self, dim: int) -> list[Piece]:
        """Split a parallel dimension into pieces. Guards of reads matter only where a tile would straddle them."""
        tile = min(self.schedule.tiles[dim], self.op.sizes[dim])
        lanes = self.schedule.lanes if self.schedule.vector_dim == dim and self.op.sizes[dim] > 1 else 1
        guards = [*self.point_guards, *(self.read_guards if tile > 1 or self._in_lanes else [])]
        guards += self.staged_guards if self._in_lanes and self._stages_rows else []
        relevant = [guard for guard in guards if dim in guard.expr.used_dims()]
        if tile > 1 and lanes == 1 and relevant and fixable(self.op, dim):
            fixed = cut_fixed(dim, self.box, tile, relevant)
            if fixed is not None:
                return fixed
        return cut(dim, self.box, tile, lanes, relevant, overlap=lanes > 1 and self._may_repeat(dim))

    def _may_repeat(self, dim: int) -> bool:
        """Whether points along `dim` may be computed twice, by tiles at any position: no result overwrites an operand,
        and no operand is packed in tiles of this dimension."""
        whole = self.part.whole
        if self.blocks or any(may_overwrite(whole, value) for value in whole.points):
            return False
        along = moves(self.op, dim)
        return None not in (*along.reads, *along.points)

    @contextmanager
    def _piece(self, dim: int, piece: Piece) -> Generator[None]:
        before = self.dims[dim], self.box[dim], self.pieces[dim]
        self.pieces[dim] = piece
        self.box[dim] = (piece.start, piece.stop - 1)
        with ExitStack() as stack:
            if piece.count == 1 and dim not in self.blocks:
                self.dims[dim] = AffineConstantExpr(piece.start)
            else:
                bounds = self._loop_bounds(dim, piece)
                parallel = self.schedule.divides_tiles(dim)
                self.dims[dim] = stack.enter_context(self.emitter.loop(bounds, self.names[dim], parallel=parallel))
            yield
        self.dims[dim], self.box[dim], self.pieces[dim] = before

    def _loop_bounds(self, dim: int, piece: Piece) -> Bounds:
        if dim not in self.blocks:
            return Bounds(piece.start, piece.stop, piece.tile, *self.part.inside(dim, self.dims))
        base, size = self.blocks[dim]
        first = base
        if piece.start % self.schedule.tiles[dim]:
            # A block computes the tiles that begin in it.
            first = (base - piece.start).ceil_div(piece.tile) * piece.tile + piece.start
        return Bounds(piece.start, piece.stop, piece.tile, (first,), (base + size,))

    # one register tile

    def _tile(self) -> None:
        points = tile_points(self.pieces[: self.op.rank])
        accumulators = self._accumulated(points)
        last = [
            Constraint(base + (size - self.op.sizes[dim]))
            for dim, (base, size) in self.blocks.items()
            if dim >= self.op.rank
        ]
        if holds_all(last, self.emitter.space.bound) is Holds.ALWAYS:
            self.results.write(points, self.dims, accumulators)
            return
        then, otherwise = Block(), Block()
        with self.emitter.inside(then):
            self.results.write(points, self.dims, accumulators)
            then.add_op(loop.YieldOp())
        with self.emitter.inside(otherwise):
            self.results.store_partials(points, self.dims, accumulators)
            otherwise.add_op(loop.YieldOp())
        self.emitter.when(last, self.emitter.space.identity, Region(then), Region(otherwise), [])

    def _starts(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        """The accumulators before the reduction: initial values, or partial results of earlier blocks."""
        first = [Constraint(base * -1) for dim, (base, _) in self.blocks.items() if dim >= self.op.rank]
        if holds_all(first, self.emitter.space.bound) is Holds.ALWAYS:
            return self._initial(points)
        then, otherwise = Block(), Block()
        with self.emitter.inside(then):
            values = self._initial(points)
            then.add_op(loop.YieldOp(*values))
        with self.emitter.inside(otherwise):
            otherwise.add_op(loop.YieldOp(*self.results.load_partials(points, self.dims)))
        types = [value.type for value in values]
        found = self.emitter.when(first, self.emitter.space.identity, Region(then), Region(otherwise), types)
        for result, value in zip(found, values, strict=True):
            result.name_hint = value.name_hint
        return found

    def _accumulated(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        """Emit the reduction of the tile; return its accumulators."""
        op, schedule, staged = self.op, self.schedule, self.steps.staged
        if schedule.partials is not None:
            return self._folded(points, *schedule.partials)
        if schedule.vector_dim is not None and schedule.vector_dim >= op.rank:
            return self._folded(points, schedule.vector_dim, 1)
        products = product_sum(op) if self._stages_rows or schedule.intrinsic is not None else None
        if self._in_groups and products is not None:
            return GroupReduction(
                op, schedule, self.emitter, products, self.reads, self.points, staged, [*self.dims]
            ).sums(points)
        if self._in_rows:
            return RowReduction(op, schedule, self.emitter, self.reads, self.points, staged, self.dims).sums(points)
        accumulators = Carried(self._starts(points))
        if products is not None and staged is not None and staged.plan.is_loaded_in_pairs:
            WindowReduction(self.emitter, op, schedule, products, self.reads, staged, self.dims[: op.rank]).emit(
                points, accumulators
            )
        elif products is not None:
            DotReduction(self.emitter, op, schedule, products, self.reads, staged, self.dims[: op.rank]).emit(
                points, accumulators
            )
        elif op.reduce is not None:
            self._reduction([dim for dim in schedule.order if dim >= op.rank], points, accumulators)
        return accumulators.values

    def _folded(self, points: Sequence[TilePoint], dim: int, parts: int) -> list[SSAValue]:
        """Emit the reduction of the tile in vectors along `dim`, in `parts` partial accumulators."""
        fold = FoldReduction(
            self.op,
            self.schedule,
            self.emitter,
            self.names,
            self.dims,
            self._initial,
            self._step,
            lambda dim, points: self.fetcher.head(dim, points, self._place),
        )
        return fold.emit(points, dim, parts).values

    @property
    def _in_lanes(self) -> bool:
        """Whether vectors of integers are computed, for which guards are not tested at every point."""
        reads = self.op.reads
        return self.schedule.vector_dim is not None and len(reads) > 0 and tensor.element_type(reads[0]) == i8

    @property
    def _stages_rows(self) -> bool:
        """Whether `cache_read` copies an operand as rows of the whole reduction."""
        return self.plan is not None and self.plan.is_rows

    @property
    def _in_rows(self) -> bool:
        """Whether the schedule computes dot products of whole rows, a vector of results at once."""
        return self.schedule.form == "dot_rows"

    @property
    def _in_groups(self) -> bool:
        """Whether the schedule computes dot products of groups, one per lane."""
        return self.schedule.form == "dot_lanes"

    def _initial(self, points: Sequence[TilePoint]) -> list[SSAValue]:
        if self.schedule.init_from is not None:
            return self._loaded(self.points[self.schedule.init_from], points)
        if self.bias is not None:
            return self._biases(points, self.points[self.bias.point])
        values: list[SSAValue] = []
        vectors: dict[tuple[object, int], SSAValue] = {}
        several = len(self.op.inits) > 1
        for point in points:
            for number, init in enumerate(self.op.inits):
                key = (init, point.lanes)
                if key not in vectors or not several:
                    vectors[key] = self.emitter.splat(self.emitter.constant(init), point.lanes)
                value = vectors[key]
                value.name_hint = f"acc{'abcdefgh'[number] if several else ''}{point.label}"
                values.append(value)
        return values

    def _loaded(self, start: Operand, points: Sequence[TilePoint]) -> list[SSAValue]:
        """The initial values of sums, loaded from an operand of the epilogue."""
        loads, values = Loads(self.emitter), list[SSAValue]()
        for point in points:
            value = loads.load(start, point_dims(point, self.dims)[: self.op.rank], point)
            values.append(self.emitter.splat(value, point.lanes))
            values[-1].name_hint = f"acc{point.label}"
        return values

    def _biases(self, points: Sequence[TilePoint], bias: Operand) -> list[SSAValue]:
        """Load what the sums of `points` start from."""
        values: list[SSAValue] = []
        for point in points:
            value = Loads(self.emitter).load(bias, point_dims(point, self.dims[: self.op.rank]), point)
            value.name_hint = f"acc{point.label}"
            values.append(value)
        return values

    @property
    def _place(self) -> Place:
        return Place(self.dims, self.pieces, self.blocks)

    # reductions

    def _reduction(self, order: Sequence[int], points: Sequence[TilePoint], accumulators: Carried) -> None:
        if not order:
            self._step(points, accumulators)
            return
        dim, before = order[0], self.dims[order[0]]
        size, tile = self.op.sizes[dim], min(self.schedule.tiles[dim], self.op.sizes[dim])
        if self._decides_fixed(dim):
            tile = size
        full = size // tile * tile
        if tile == 1 and size > 1:
            bounds, clipped = clip(self.op, dim, self.read_guards, self.box, self.dims, self.pieces)
            bounds = self._in_block(dim, bounds)
            self.steps.clipped |= clipped
            with self.emitter.loop(bounds, self.names[dim], accumulators) as variable:
                self.dims[dim] = variable
                self.fetcher.head(dim, points, self._place)
                self._reduction(order[1:], points, accumulators)
            self.steps.clipped -= clipped
        else:
            if full > tile:
                bounds = self._in_block(dim, Bounds(0, full, tile))
                with self.emitter.loop(bounds, self.names[dim], accumulators) as variable:
                    self._unrolled(dim, variable, tile, order[1:], points, accumulators)
            else:
                self._unrolled(dim, AffineConstantExpr(0), full, order[1:], points, accumulators)
            if dim in self.blocks and full < size:
                rest = self._in_block(dim, Bounds(full, size))
                with self.emitter.loop(rest, self.names[dim], accumulators) as variable:
                    self._unrolled(dim, variable, 1, order[1:], points, accumulators)
            else:
                self._unrolled(dim, AffineConstantExpr(full), size - full, order[1:], points, accumulators)
        self.dims[dim] = before

    def _in_block(self, dim: int, bounds: Bounds) -> Bounds:
        """`bounds` of a reduction, limited to the steps in the current block."""
        if dim not in self.blocks:
            return bounds
        base, size = self.blocks[dim]
        return replace(bounds, lower=(*bounds.lower, base), upper=(*bounds.upper, base + size))

    def _unrolled(
        self,
        dim: int,
        base: AffineExpr,
        count: int,
        order: Sequence[int],
        points: Sequence[TilePoint],
        accumulators: Carried,
    ) -> None:
        for offset in range(count):
            self.dims[dim] = base + offset
            self._reduction(order, points, accumulators)

    def _decides_fixed(self, dim: int) -> bool:
        """Whether guards of a fixed piece depend on reduction `dim`, which is then unrolled to decide each step."""
        fixed = {d for d, piece in enumerate(self.pieces) if piece.fixed}
        return any(
            dim in used and used & fixed and constraint.holds(self.box) is Holds.MAYBE
            for constraint in self.read_guards
            if (used := constraint.expr.used_dims())
        )

    def _step(self, points: Sequence[TilePoint], accumulators: Carried) -> None:
        for add in self.before_step:
            add()
        self.fetcher.step(self._place)
        self.steps.step(points, self.dims, accumulators)
