"""Emit the loops of `tensor.transform`: one matrix along the columns, then the other one along the rows.

    for each row of tiles, and each vector of channels:
      for each column of the image:               strip[i][q] = sum over k of left[i, k] * x[4 * ty + k][q]
      for each i, and each tile along the row:    y[i][j][tx] = apply(sum over l of right[j, l] * strip[i][4 * tx + l])

The strip stays in the L1 cache; where tiles overlap along the row, the columns that they share are transformed once.
The innermost dimension of the schedule's order is the one along a row of tiles. Borders become separate rows, columns
and tiles: it is known at compile time which elements are out of bounds; these count as zero or are skipped.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import field, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i16, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr

from s2s.analysis.affine.guards import Constraint, Holds, guard_of, holds_all
from s2s.analysis.affine.pieces import Piece, cut
from s2s.analysis.structure.butterflies import butterflies
from s2s.analysis.structure.compute import shape_of
from s2s.analysis.tile_and_fuse.transform_tiles import TransformTile
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Emitter, OpenBlock
from s2s.passes.tensor.lower_to_loop.matrices import MatrixEmitter
from s2s.passes.tensor.lower_to_loop.scalar_body import ScalarBody
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint
from s2s.passes.tensor.lower_to_loop.transform_plan import TransformPlan
from s2s.support.mutable import mutable
from s2s.types.affine import Range, at_dims, ranges
from s2s.types.dtypes import vector_of


@mutable
class TransformNest:
    """The state of emission inside the loops of a transform. Dimensions are those of `(p, i, j, k, l)`.

    `dims` holds their positions, `box` their ranges: for a dimension that the kernel tiles in blocks, the
    position is that in the block, the range covers all blocks. Guards are those of the whole transform, so
    that its borders are pieces like any others, of which a block computes its share.
    """

    tile: TransformTile
    buffers: dict[SSAValue, SSAValue]
    scratch: Sequence[SSAValue]
    """The strip, unless tiles go through both matrices in registers."""
    emitter: Emitter
    dims: list[AffineExpr] = field(default_factory=list[AffineExpr])
    box: list[Range] = field(default_factory=list[Range])
    blocks: dict[int, OpenBlock] = field(default_factory=dict[int, OpenBlock])
    """The current innermost block of each dimension that is tiled in blocks."""

    def __post_init__(self) -> None:
        op = self.op = self.tile.op
        self.plan, self.names = TransformPlan.of(op), self.tile.names
        self.i, self.j, self.k, self.l = range(op.rank, op.rank + 4)
        first, whole = len(self.tile.splits), self.tile.whole
        self.dims = [AffineConstantExpr(0)] * (op.rank + 4)
        self.box = ranges([*[1] * first, *whole.write_sizes, *op.window])
        self.fused = {first + each.dim: (number, each) for number, each in enumerate(self.tile.splits)}
        for dim, (_, each) in self.fused.items():
            self.box[dim] = (each.first, each.first + (each.count - 1) * each.step + each.size - 1)
        self.left, self.right = (butterflies(matrix) for matrix in op.matrices)
        self.x, self.y = self._operand(op.x, op.read), self._operand(op.res, op.into)
        self.misses = self._guards(whole.read, whole.x, self.k)
        self.overhangs = self._guards(whole.into, whole.res, self.i)
        self.matrices = MatrixEmitter(self.emitter, self.plan.lanes, self.plan.element)
        vector = self.plan.schedule.vector_dim
        self.point = TilePoint((), vector, self.plan.lanes, self.plan.lanes, "")

    def emit(self, opened: Sequence[AffineExpr] = ()) -> None:
        """Emit the whole nest; `opened` are the positions of the first dimensions, set by the loops over blocks."""
        self.dims[: len(opened)] = opened
        with ExitStack() as stack:
            opened_blocks = self.emitter.blocks(stack, self.plan.schedule, self.names, {})
            self.blocks = {block.dim: block for block in opened_blocks}
            self._outer([dim for dim in self.plan.schedule.order[:-1] if dim >= len(opened)])

    def _operand(self, value: SSAValue, access: tensor.AccessAttr) -> Operand:
        return Operand(self.buffers[value], access, shape_of(value), tensor.element_type(value))

    def _guards(self, access: tensor.AccessAttr, value: SSAValue, tile: int) -> list[Constraint]:
        """Return the guards of `access` over the dimensions here; the dimensions of its tile or window begin at
        `tile`."""
        own = range(len(self.tile.splits), self.op.rank)
        dims: list[AffineExpr] = [AffineDimExpr(dim) for dim in (*own, tile, tile + 1)]
        return [Constraint(at_dims(guard.expr, dims)) for guard in guard_of(access, shape_of(value))]

    def _outer(self, order: Sequence[int]) -> None:
        if not order and self.plan.in_registers:
            self._tiles_in_registers()
            return
        if not order:
            self._columns()
            self._tiles()
            return
        for piece in self._pieces(order[0], [*self.misses, *self.overhangs]):
            with self._piece(order[0], piece):
                self._outer(order[1:])

    def _columns(self) -> None:
        """Multiply every column of the row of tiles by the left matrix."""
        along, full, window = self.plan.along, self.box[self.plan.along], self.box[self.l]
        if self.plan.overlaps:
            # One tile, as wide as all tiles together.
            self.box[along], self.box[self.l] = (0, 0), (0, self.plan.columns - 1)
        for tile in self._pieces(along, self.misses):
            with self._piece(along, tile):
                for piece in self._pieces(self.l, self.misses):
                    with self._piece(self.l, piece):
                        self._column()
        self.box[along], self.box[self.l] = full, window

    def _column(self) -> None:
        column = self.dims[self.plan.along] * self.plan.step + self.dims[self.l]
        loads = Loads(self.emitter)
        values: list[SSAValue | None] = []
        for k in range(self.op.window[0]):
            here = [*self.dims[: self.op.rank], AffineConstantExpr(k), self.dims[self.l]]
            values.append(self._element(loads, here) if self._hits(self.misses, self.k, k) else None)
        for i, value in enumerate(self.matrices.apply(self.left, values)):
            stored = self.matrices.zero() if value is None else value
            affine_map, indices = self.emitter.space.emit(self._strip_position(AffineConstantExpr(i), column))
            self.emitter.add(loop.StoreOp(stored, self.scratch[0], affine_map, indices))

    def _element(self, loads: Loads, here: Sequence[AffineExpr]) -> SSAValue:
        """Load an element of the image: integers are extended, and their offset is added."""
        value = loads.load(self.x, here, self.point)
        if self.plan.element == i16:
            return self.emitter.add(loop.ExtendOp(value, offset=self.op.added), value.name_hint).result
        if self.plan.element != i32:
            return value
        if self.x.element != i32:
            wide = loop.CastLanesOp(value, i32) if self.plan.lanes > 1 else arith.ExtSIOp(value, i32)
            value = self.emitter.add(wide, value.name_hint).result
        if not self.op.added:
            return value
        offset = self.emitter.splat(self.emitter.constant(IntegerAttr(self.op.added, i32)), self.plan.lanes)
        return self.emitter.add(arith.AddiOp(value, offset), value.name_hint).result

    def _tiles(self) -> None:
        """Multiply the rows of every tile by the right matrix."""
        for row in self._pieces(self.i, self.overhangs):
            if not self._hits(self.overhangs, self.i, row.start, strict=False):
                continue
            with self._piece(self.i, row):
                for piece in self._pieces(self.plan.along, self.overhangs):
                    with self._piece(self.plan.along, piece):
                        self._tile()

    def _tile(self) -> None:
        column = self.dims[self.plan.along] * self.plan.step
        values = [
            self._load_strip(self._strip_position(self.dims[self.i], column + place))
            for place in range(self.op.window[1])
        ]
        loads = Loads(self.emitter)
        for j, value in enumerate(self.matrices.apply(self.right, values)):
            if self._hits(self.overhangs, self.j, j):
                self._result(self.matrices.zero() if value is None else value, j, loads)

    def _result(self, value: SSAValue, j: int, loads: Loads) -> None:
        """Emit the epilogue of one element, or of a vector of elements."""
        here = [*self.dims[: self.op.rank], self.dims[self.i], AffineConstantExpr(j)]
        value = self.matrices.divided(value, self.op.divided_by)
        if self.plan.element != self.op.carrier:
            value = self.emitter.add(arith.TruncIOp(value, i16), value.name_hint).result
        arguments = self.op.apply.block.args
        epilogue = [self._operand(*each) for each in zip(self.op.epilogue, self.op.accesses, strict=True)]
        sources = dict(zip(arguments[1:], epilogue, strict=True))
        own = [AffineDimExpr(dim) for dim in range(len(here))]
        body = ScalarBody(self.emitter, loads, self.point, here, sources, {}, own, {arguments[0]: value})
        (result,) = body.run(self.op.apply)
        affine_map, indices = self.emitter.space.emit(self.y.position(here))
        stored = self.emitter.splat(result, self.plan.lanes)
        self.emitter.add(loop.StoreOp(stored, self.y.buffer, affine_map, indices))

    def _tiles_in_registers(self) -> None:
        """Multiply every tile of the row by both matrices, without a strip: tiles share no columns."""
        for piece in self._pieces(self.plan.along, self.overhangs):
            with self._piece(self.plan.along, piece):
                self._tile_in_registers()

    def _tile_in_registers(self) -> None:
        loads, (rows, columns) = Loads(self.emitter), self.op.window
        products: list[list[SSAValue | None]] = []
        for column in range(columns):
            places = [[*self.dims[: self.op.rank], *map(AffineConstantExpr, (row, column))] for row in range(rows)]
            products.append(self.matrices.apply(self.left, [self._element(loads, here) for here in places]))
        for i, row in enumerate(zip(*products, strict=True)):
            if not self._hits(self.overhangs, self.i, i, strict=False):
                continue
            with self._piece(self.i, Piece(i, i + 1, 1)):
                for j, value in enumerate(self.matrices.apply(self.right, row)):
                    if self._hits(self.overhangs, self.j, j):
                        self._result(self.matrices.zero() if value is None else value, j, loads)

    def _strip_position(self, i: AffineExpr, column: AffineExpr) -> AffineExpr:
        return (i * self.plan.columns + column) * self.plan.lanes

    def _load_strip(self, position: AffineExpr) -> SSAValue:
        affine_map, indices = self.emitter.space.emit(position)
        type = vector_of(self.plan.element, self.plan.lanes) if self.plan.lanes > 1 else self.plan.element
        return self.emitter.add(loop.LoadOp(self.scratch[0], affine_map, indices, type), "column").result

    # pieces

    def _pieces(self, dim: int, guards: Sequence[Constraint]) -> Iterator[Piece]:
        """Yield the pieces of `dim`; positions where a guard is undecided are pieces of their own."""
        lanes = self.plan.lanes if dim == self.plan.schedule.vector_dim else 1
        relevant = [guard for guard in guards if dim in guard.expr.used_dims()]
        for found in cut(dim, self.box, lanes, lanes, relevant):
            piece = replace(found, start=max(found.start, self.box[dim][0]))
            if piece.count < 1:
                continue
            box = [(piece.start, piece.stop - 1) if d == dim else full for d, full in enumerate(self.box)]
            if any(guard.holds(box) is Holds.MAYBE for guard in relevant):
                yield from (Piece(at, at + 1, 1) for at in range(piece.start, piece.stop))
            else:
                yield piece

    @contextmanager
    def _piece(self, dim: int, piece: Piece) -> Generator[None]:
        before = self.dims[dim], self.box[dim]
        self.box[dim] = (piece.start, piece.stop - 1)
        limits = self._limits(dim, piece)
        if limits.stop - limits.start == limits.step and not limits.lower:
            self.dims[dim] = AffineConstantExpr(limits.start)
            yield
        else:
            parallel = self.plan.schedule.divides_tiles(dim)
            with self.emitter.loop(limits, self.names[dim], parallel=parallel) as variable:
                self.dims[dim] = variable
                yield
        self.dims[dim], self.box[dim] = before

    def _limits(self, dim: int, piece: Piece) -> Bounds:
        """Return the range of the loop over `piece`; for a dimension in blocks, its positions in the current block."""
        if dim in self.blocks:
            first, size = self.blocks[dim].base, self.blocks[dim].size
            return Bounds(piece.start, piece.stop, piece.tile, (first,), (first + size,))
        number, each = self.fused.get(dim, (0, None))
        if each is None or each.count == 1:
            first = 0 if each is None else each.first
            return Bounds(piece.start - first, piece.stop - first, piece.tile)
        base = self.dims[number] * -each.step - each.first
        return Bounds(0, each.size, piece.tile, (base + piece.start,), (base + piece.stop,))

    def _hits(self, guards: Sequence[Constraint], dim: int, position: int, *, strict: bool = True) -> bool:
        """Return whether the guards hold where `dim` is at `position`; by choice of the pieces all points agree."""
        box = [(position, position) if d == dim else full for d, full in enumerate(self.box)]
        state = holds_all(guards, box)
        if strict and state is Holds.MAYBE:
            raise CompilerBug(f"{self.op.name}: a guard is open inside of a piece")
        return state is not Holds.NEVER
