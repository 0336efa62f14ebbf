"""The loop nest of one computation, as its schedule asks for."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from xdsl.dialects.builtin import i8
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.affine import Range, coefficient, ranges
from s2s.analysis.compute import shape_of
from s2s.analysis.folds import folds_of
from s2s.analysis.kernel_parts import Part
from s2s.analysis.products import product_sum
from s2s.analysis.strides import fixable, moves
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.buffers import may_overwrite
from s2s.passes.tensor.lower_to_loop.clip import clip
from s2s.passes.tensor.lower_to_loop.dot import DotReduction
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Carried, Emitter
from s2s.passes.tensor.lower_to_loop.fetch import Fetcher, Place
from s2s.passes.tensor.lower_to_loop.groups import GroupReduction
from s2s.passes.tensor.lower_to_loop.guards import Constraint, Holds
from s2s.passes.tensor.lower_to_loop.pieces import Piece, cut, cut_fixed
from s2s.passes.tensor.lower_to_loop.products import add_product
from s2s.passes.tensor.lower_to_loop.rows import RowReduction
from s2s.passes.tensor.lower_to_loop.stage import StageEmitter
from s2s.passes.tensor.lower_to_loop.stage_plan import StagedOperand, StagePlan
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, ScalarBody, TilePoint, in_turn, tile_points


@dataclass
class Nest:
    """State of the walk into the loops of `op`: where each dimension of the domain stands at the current place.

    `op` is the part of a computation that one block of its kernel does, or all of it.
    """

    part: Part
    op: tensor.ComputeOp
    schedule: tensor.ScheduleAttr
    names: Sequence[str]
    buffers: dict[SSAValue, SSAValue]
    emitter: Emitter
    plan: StagePlan | None = None
    scratch: SSAValue | None = None
    dims: list[AffineExpr] = field(default_factory=list[AffineExpr])
    box: list[Range] = field(default_factory=list[Range])
    pieces: list[Piece] = field(default_factory=list[Piece])
    blocks: dict[int, tuple[AffineExpr, int]] = field(default_factory=dict[int, tuple[AffineExpr, int]])
    clipped: set[Constraint] = field(default_factory=set[Constraint])

    def __post_init__(self) -> None:
        self.box = ranges(self.op.sizes)
        self.dims = [AffineConstantExpr(0)] * len(self.op.sizes)
        self.pieces = [Piece(0, 1, 1)] * len(self.op.sizes)
        self.reads = self._operands(self.op.reads, self.op.read_accesses)
        self.points = self._operands(self.op.points, self.op.point_accesses)
        self.staged: StagedOperand | None = None
        staged = None if self.plan is None else self.plan.read
        self.read_guards = [
            constraint for number, read in enumerate(self.reads) if number != staged for constraint in read.guard
        ]
        self.staged_guards = [] if staged is None else self.reads[staged].guard
        self.point_guards = [constraint for point in self.points for constraint in point.guard]
        self.fetcher = Fetcher(self.op, self.schedule, self.reads, self.emitter)

    @staticmethod
    def of(
        part: Part,
        buffers: dict[SSAValue, SSAValue],
        emitter: Emitter,
        plan: StagePlan | None = None,
        scratch: SSAValue | None = None,
    ) -> "Nest":
        """The nest of `part`; what `plan` copies goes to `scratch`."""
        if part.op.schedule is None:
            raise CompilerBug("tensor-lower-to-loop needs a schedule on every tensor.compute; run tensor-pick-schedule")
        return Nest(part, part.op, part.op.schedule, part.names, buffers, emitter, plan, scratch)

    def emit(self, opened: Sequence[AffineExpr] = ()) -> None:
        """Emit the whole nest; `opened` is where the first dimensions stand, those of the blocks around it."""
        self.dims[: len(opened)] = opened
        with ExitStack() as stack:
            for dim, size in self.schedule.block_sizes:
                variable = stack.enter_context(
                    self.emitter.loop(Bounds(0, self.op.sizes[dim], size), f"{self.names[dim]}_block")
                )
                self.blocks[dim] = (variable, size)
            self._parallel([dim for dim in self.schedule.loop_order if len(opened) <= dim < self.op.rank])

    def _operands(self, values: Sequence[SSAValue], accesses: Sequence[tensor.AccessAttr]) -> list[Operand]:
        operands: list[Operand] = []
        for value, access in zip(values, accesses, strict=True):
            buffer, element = self.buffers[value], tensor.element_type(value)
            operands.append(Operand(buffer, access, shape_of(value), element, tuple(self.box)))
        return operands

    def _has_room(self, value: SSAValue) -> bool:
        """Whether vectors that are partly filled may be whole ones in `value`: a block with room for all lanes."""
        room = self.part.room.get(-1 if self.schedule.vector_dim is None else self.schedule.vector_dim, 1)
        return value in self.part.held and room % self.schedule.lanes.data == 0

    # parallel dimensions

    def _parallel(self, order: Sequence[int]) -> None:
        if self.plan is not None and self.op.rank - len(order) == self.plan.depth:
            assert self.scratch is not None
            stage = StageEmitter(self.plan, self.emitter, self.reads[self.plan.read].buffer, self.scratch, self.names)
            self.staged = stage.emit(self.dims, [piece.tile for piece in self.pieces])
        if not order:
            self._tile()
            return
        for piece in self._cut(order[0]):
            with self._piece(order[0], piece):
                self._parallel(order[1:])

    def _cut(self, dim: int) -> list[Piece]:
        """The pieces of a parallel dimension. Guards of reads matter only where a tile would straddle them."""
        tile = min(self.schedule.tiles[dim], self.op.sizes[dim])
        lanes = self.schedule.lanes.data if self.schedule.vector_dim == dim and self.op.sizes[dim] > 1 else 1
        guards = [*self.point_guards, *(self.read_guards if tile > 1 or self._in_lanes else [])]
        guards += self.staged_guards if self._in_lanes and self._stages_rows else []
        relevant = [guard for guard in guards if dim in guard.expr.used_dims()]
        if tile > 1 and lanes == 1 and relevant and fixable(self.op, dim):
            fixed = cut_fixed(dim, self.box, tile, relevant)
            if fixed is not None:
                return fixed
        return cut(dim, self.box, tile, lanes, relevant, overlap=lanes > 1 and self._may_repeat(dim))

    def _may_repeat(self, dim: int) -> bool:
        """Whether points along `dim` may be computed twice, from any start: no result takes over an operand's buffer,
        and no operand is packed in tiles of this dimension."""
        whole = self.part.whole
        if dim in self.blocks or any(may_overwrite(whole, value) for value in whole.points):
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
                self.dims[dim] = stack.enter_context(self.emitter.loop(bounds, self.names[dim]))
            yield
        self.dims[dim], self.box[dim], self.pieces[dim] = before

    def _loop_bounds(self, dim: int, piece: Piece) -> Bounds:
        if dim not in self.blocks:
            return Bounds(piece.start, piece.stop, piece.tile, *self.part.inside(dim, self.dims))
        base, size = self.blocks[dim]
        return Bounds(piece.start, piece.stop, piece.tile, (base,), (base + size,))

    # one register tile

    def _tile(self) -> None:
        points = tile_points(self.pieces[: self.op.rank])
        if self.schedule.vector_dim is not None and self.schedule.vector_dim >= self.op.rank:
            accumulators = self._fold_in_vectors(points, self.schedule.vector_dim, self.schedule.lanes.data)
        else:
            in_vectors = self._in_rows or self._in_groups
            accumulators = Carried([] if in_vectors else self._initial(points))
            products = product_sum(self.op) if self._stages_rows or self.schedule.dot_size > 1 else None
            if self._in_groups and products is not None:
                groups = GroupReduction(
                    self.op, self.schedule, self.emitter, products, self.reads, self.points, self.staged, [*self.dims]
                )
                accumulators.values = groups.sums(points)
            elif self._in_rows:
                rows = RowReduction(
                    self.op, self.schedule, self.emitter, self.reads, self.points, self.staged, self.dims
                )
                accumulators.values = rows.sums(points)
            elif products is not None:
                DotReduction(
                    self.emitter, self.op, self.schedule, products, self.reads, self.staged, self.dims[: self.op.rank]
                ).emit(points, accumulators)
            elif self.op.reduce is not None:
                self._reduction([dim for dim in self.schedule.loop_order if dim >= self.op.rank], points, accumulators)
        self._apply(points, accumulators.values)

    @property
    def _in_lanes(self) -> bool:
        """Whether vectors of integers are computed: they are too short to ask at every point whether it is inside."""
        reads = self.op.reads
        return self.schedule.vector_dim is not None and len(reads) > 0 and tensor.element_type(reads[0]) == i8

    @property
    def _stages_rows(self) -> bool:
        """Whether a read is copied in rows of the whole reduction."""
        return self.plan is not None and self.plan.is_rows

    @property
    def _in_rows(self) -> bool:
        """Whether dot products of whole rows are taken for a vector of results at once."""
        return self.schedule.dot_size > loop.GROUP and self.schedule.vector_dim is not None

    @property
    def _in_groups(self) -> bool:
        """Whether dot products of groups are."""
        return self.schedule.dot_size == loop.GROUP and self.schedule.vector_dim is not None

    def _fold_in_vectors(self, points: Sequence[TilePoint], dim: int, lanes: int) -> Carried:
        """The reduction `dim` in vectors, whose lanes are combined at the end; the rest comes singly."""
        folds = folds_of(self.op)
        if folds is None or self.read_guards:
            raise CompilerBug(f"dimension {dim} is no fold that vectors can take in parts")
        size = self.op.sizes[dim]
        full = size // lanes * lanes
        wide = [replace(point, vector_dim=dim, lanes=lanes, active=lanes) for point in points]
        accumulators = Carried(self._initial(wide if full else points))
        if full:
            self._fold_range(dim, 0, full, lanes, wide, accumulators)
            accumulators.values = [
                self.emitter.add(loop.ReduceOp(folds[number % len(folds)].kind, value), value.name_hint).result
                for number, value in enumerate(accumulators.values)
            ]
        if full < size:
            self._fold_range(dim, full, size, 1, points, accumulators)
        self.dims[dim] = AffineConstantExpr(0)
        return accumulators

    def _fold_range(
        self, dim: int, start: int, stop: int, step: int, points: Sequence[TilePoint], accumulators: Carried
    ) -> None:
        if stop - start == step:
            self.dims[dim] = AffineConstantExpr(start)
            self._step(points, accumulators)
            return
        with self.emitter.loop(Bounds(start, stop, step), self.names[dim], accumulators) as variable:
            self.dims[dim] = variable
            self._step(points, accumulators)

    def _at(self, point: TilePoint) -> list[AffineExpr]:
        """The position of `point` in the domain."""
        offsets = [*point.offsets, *[0] * (len(self.dims) - len(point.offsets))]
        return [expr + offset if offset else expr for expr, offset in zip(self.dims, offsets, strict=True)]

    def _initial(self, points: Sequence[TilePoint]) -> list[SSAValue]:
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
            self.clipped |= clipped
            with self.emitter.loop(bounds, self.names[dim], accumulators) as variable:
                self.dims[dim] = variable
                self.fetcher.head(dim, points, self._place)
                self._reduction(order[1:], points, accumulators)
            self.clipped -= clipped
        else:
            if full > tile:
                with self.emitter.loop(Bounds(0, full, tile), self.names[dim], accumulators) as variable:
                    self._unrolled(dim, variable, tile, order[1:], points, accumulators)
            else:
                self._unrolled(dim, AffineConstantExpr(0), full, order[1:], points, accumulators)
            self._unrolled(dim, AffineConstantExpr(full), size - full, order[1:], points, accumulators)
        self.dims[dim] = before

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
        """Whether guards of a fixed piece depend on reduction `dim`: then its steps are written out, each decided."""
        fixed = {d for d, piece in enumerate(self.pieces) if piece.fixed}
        return any(
            dim in used and used & fixed and constraint.holds(self.box) is Holds.MAYBE
            for constraint in self.read_guards
            if (used := constraint.expr.used_dims())
        )

    def _step(self, points: Sequence[TilePoint], accumulators: Carried) -> None:
        """One step of the reduction, for every point of the tile."""
        assert self.op.reduce is not None
        self.fetcher.step(self._place)
        loads, width = Loads(self.emitter), len(self.op.inits)
        for number in in_turn(points):
            mine = slice(number * width, (number + 1) * width)
            accumulators.values[mine] = self._guarded_step(points[number], loads, accumulators.values[mine])

    def _guarded_step(self, point: TilePoint, loads: Loads, values: list[SSAValue]) -> list[SSAValue]:
        dims = self._at(point)
        here = [
            Constraint(constraint.expr.replace_dims_and_symbols(dims, ()), constraint.modulus)
            for constraint in self.read_guards
            if constraint not in self.clipped
        ]
        states = [constraint.holds(self.emitter.space.bound) for constraint in here]
        if Holds.NEVER in states:
            return values
        undecided = [constraint for constraint, state in zip(here, states, strict=True) if state is Holds.MAYBE]
        if not undecided:
            return self._reduce(point, dims, loads, values)
        then, otherwise = Block(), Block([loop.YieldOp(*values)])
        with self.emitter.inside(then):
            then.add_op(loop.YieldOp(*self._reduce(point, dims, loads.nested(), values)))
        identity: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(self.emitter.space.loops))]
        types = [value.type for value in values]
        results = self.emitter.when(undecided, identity, Region(then), Region(otherwise), types)
        for result, value in zip(results, values, strict=True):
            result.name_hint = value.name_hint
        return results

    def _reduce(self, point: TilePoint, dims: list[AffineExpr], loads: Loads, values: list[SSAValue]) -> list[SSAValue]:
        region = self.op.reduce
        assert region is not None
        if self.staged is not None:
            constant = self.reads[self.staged.plan.products.other(self.staged.plan.read).read]
            return [add_product(self.emitter, self.staged, constant, loads, (dims, point), values[0])]
        arguments = region.block.args
        reads = dict(zip(arguments, self.reads, strict=False))
        body = ScalarBody(self.emitter, loads, point, dims, {}, self._tables(arguments), self._own(dims))
        for argument, operand in reads.items():
            body.values[argument] = loads.load(operand, dims, point)
        body.values.update(zip(arguments[len(self.reads) :], values, strict=False))
        results = [self.emitter.splat(value, point.lanes) for value in body.run(region)]
        for result, value in zip(results, values, strict=True):
            result.name_hint = value.name_hint
        return results

    # results

    def _apply(self, points: Sequence[TilePoint], accumulators: list[SSAValue]) -> None:
        arguments, width = self.op.apply.block.args, len(self.op.inits)
        sources = dict(zip(arguments[width:], self.points, strict=False))
        loads = Loads(self.emitter)
        for number, point in enumerate(points):
            dims = self._at(point)
            here = dims[: self.op.rank]
            body = ScalarBody(self.emitter, loads, point, here, sources, self._tables(arguments), self._own(dims))
            body.values.update(zip(arguments, accumulators[number * width : (number + 1) * width], strict=False))
            for number, value in enumerate(body.run(self.op.apply)):
                self._store(number, value, point, dims)

    def _own(self, dims: Sequence[AffineExpr]) -> list[AffineExpr]:
        """The point at `dims` in the domain of the whole computation."""
        return [expr.replace_dims_and_symbols(dims, ()) for expr in self.part.own]

    def _tables(self, arguments: Sequence[BlockArgument]) -> dict[BlockArgument, tuple[SSAValue, tuple[int, ...]]]:
        tables: dict[BlockArgument, tuple[SSAValue, tuple[int, ...]]] = {}
        count = len(self.op.tables)
        for argument, table in zip(arguments[len(arguments) - count :], self.op.tables, strict=True):
            tables[argument] = (self.buffers[table], shape_of(table))
        return tables

    def _store(self, number: int, value: SSAValue, point: TilePoint, dims: list[AffineExpr]) -> None:
        place, buffer = self.part.places[number], self.buffers[self.op.res[number]]
        affine_map, indices = self.emitter.space.emit(place.replace_dims_and_symbols(dims, ()))
        if point.vector_dim is None:
            self.emitter.add(loop.StoreOp(value, buffer, affine_map, indices))
            return
        stride = coefficient(place, point.vector_dim, self.part.box)
        assert stride is not None
        partly = point.active < point.lanes and not self._has_room(self.op.res[number])
        active = point.active if partly else None
        vector = self.emitter.splat(value, point.lanes)
        self.emitter.add(loop.StoreOp(vector, buffer, affine_map, indices, stride=stride, lanes=active))
