"""The code of one register tile: its points, the loads they share, and the scalar bodies copied for each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    Float32Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.utils.hints import isa

from s2s.analysis.affine import Linear, Range, bounds, flat_index, linear, simplify
from s2s.analysis.dtypes import vector_of
from s2s.analysis.strides import predicate_of
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Emitter
from s2s.passes.tensor.lower_to_loop.guards import Constraint, Holds, guard_of
from s2s.passes.tensor.lower_to_loop.pieces import Piece


@dataclass(frozen=True)
class TilePoint:
    """A point of the register tile: its offset in each parallel dimension, and its lanes along the vector one."""

    offsets: tuple[int, ...]
    vector_dim: int | None
    lanes: int
    active: int
    label: str
    """Digits that tell the points of a tile apart, in names of temporaries; empty for a tile of one point."""


def tile_points(pieces: Sequence[Piece]) -> list[TilePoint]:
    """The points of the tile that the current pieces of the parallel dimensions span."""
    vector_dim = next((dim for dim, piece in enumerate(pieces) if piece.lanes > 1), None)
    steps = [range(0, piece.tile, piece.lanes) for piece in pieces]
    wide = [dim for dim, step in enumerate(steps) if len(step) > 1]
    points: list[TilePoint] = []
    apart = "x" if len(wide) > 1 and any(len(step) > 10 for step in steps) else ""
    for offsets in product(*steps):
        label = apart.join(str(offsets[dim] // pieces[dim].lanes) for dim in wide)
        active = (
            1 if vector_dim is None else min(pieces[vector_dim].lanes, pieces[vector_dim].tile - offsets[vector_dim])
        )
        lanes = 1 if vector_dim is None else pieces[vector_dim].lanes
        points.append(TilePoint(offsets, vector_dim, lanes, active, label))
    return points


def in_turn(points: Sequence[TilePoint]) -> list[int]:
    """The numbers of the points of a tile in the order in which a step of the reduction takes them.

    The longest side comes last, so that what the short sides read stays in registers and each element along the long
    one is read, used and forgotten.
    """
    dims = range(len(points[0].offsets))
    sides = sorted(dims, key=lambda dim: -len({point.offsets[dim] for point in points}))
    return sorted(range(len(points)), key=lambda number: [points[number].offsets[dim] for dim in sides])


@dataclass(frozen=True, eq=False)
class Operand:
    """A buffer and how it is indexed from the domain."""

    buffer: SSAValue
    access: tensor.AccessAttr
    shape: tuple[int, ...]
    element: Attribute
    domain: tuple[Range, ...] = ()
    """The ranges of the dimensions, as far as they are known."""

    @cached_property
    def guard(self) -> list[Constraint]:
        """When the access hits the buffer; nothing that always holds."""
        guard = guard_of(self.access, self.shape)
        if not self.domain:
            return guard
        simple = [Constraint(simplify(each.expr, self.domain), each.modulus) for each in guard]
        return [each for each in simple if each.holds(self.domain) is not Holds.ALWAYS]

    @cached_property
    def dims(self) -> tuple[int, ...]:
        """The dimensions that the position depends on."""
        return tuple(sorted({dim for expr in self.access.map.data.results for dim in expr.used_dims()}))

    def position(self, dims: Sequence[AffineExpr]) -> AffineExpr:
        """The flat position read at the point `dims`."""
        indices = [
            at // divisor if divisor > 1 else at
            for expr, divisor in zip(self.access.map.data.results, self.access.division, strict=True)
            for at in [expr.replace_dims_and_symbols(dims, ())]
        ]
        return flat_index(indices, self.shape)


@dataclass
class Loads:
    """Loads already made in the current block, so that points of a tile share them."""

    emitter: Emitter
    made: dict[tuple[object, ...], SSAValue] = field(default_factory=dict[tuple[object, ...], SSAValue])
    places: dict[tuple[object, ...], tuple[Linear, int]] = field(
        default_factory=dict[tuple[object, ...], tuple[Linear, int]]
    )
    """Positions found already: points of a tile that differ in what an operand does not depend on read the same."""

    def nested(self) -> "Loads":
        """For a block inside the current one: sees these loads, keeps its own to itself."""
        return Loads(self.emitter, dict(self.made))

    def load(self, operand: Operand, dims: Sequence[AffineExpr], point: TilePoint) -> SSAValue:
        """The element of `operand` at `dims`; a vector where the point is one and the operand varies along it."""
        here, stride = self._place(operand, dims, point)
        if stride == 0:
            return self._scalar(operand, here)
        active = None if self._lies_whole(operand, here, stride, point) else point.active
        key = (operand.buffer, here.key, stride, active)
        if key not in self.made:
            affine_map, indices = self.emitter.space.emit_forms(here)
            vector = vector_of(operand.element, point.lanes)
            op = loop.LoadOp(operand.buffer, affine_map, indices, vector, stride=stride, lanes=active)
            self.made[key] = self.emitter.add(op, operand.buffer.name_hint).result
        return self.made[key]

    def _place(self, operand: Operand, dims: Sequence[AffineExpr], point: TilePoint) -> tuple[Linear, int]:
        """The position of the element at `dims`, and how far the next lane's lies from it."""
        space = self.emitter.space
        key = (operand, len(space.loops), point.vector_dim, point.lanes, *(dims[dim] for dim in operand.dims))
        if key not in self.places:
            stride = 0 if point.vector_dim is None else self._stride(operand, dims, point)
            self.places[key] = space.linear(operand.position(dims)), stride
        return self.places[key]

    def _stride(self, operand: Operand, dims: Sequence[AffineExpr], point: TilePoint) -> int:
        """Elements from one lane to the next."""
        space = self.emitter.space
        lane = AffineDimExpr(len(space.loops))
        along = [expr + lane if dim == point.vector_dim else expr for dim, expr in enumerate(dims)]
        form = linear(operand.position(along), [*space.bound, (0, point.lanes - 1)])
        stride = form.terms.get(lane, 0)
        if any(lane.position in atom.used_dims() for atom in form.terms if atom != lane):
            raise CompilerBug(
                f"access {operand.access.map.data} is not linear along vector dimension {point.vector_dim}"
            )
        return stride

    def _lies_whole(self, operand: Operand, position: Linear, stride: int, point: TilePoint) -> bool:
        """Whether all lanes of a vector lie in the buffer: lanes that no result takes may hold anything.

        It is what blocks of packed constants are filled up for. A load of some lanes takes several instructions.
        """
        if point.active == point.lanes:
            return True
        if stride != 1 or not isinstance(operand.element, Float32Type):
            return False
        buffer = operand.buffer.type
        assert isa(buffer, MemRefType)
        return bounds(position.to_expr(), self.emitter.space.bound)[1] + point.lanes <= buffer.get_shape()[0]

    def widened(self, value: SSAValue, type: IntegerType) -> SSAValue:
        """`value` extended to the wider integer `type`, once for all points."""
        key = ("widened", value, type)
        if key not in self.made:
            self.made[key] = self.emitter.add(arith.ExtSIOp(value, type), value.name_hint).result
        return self.made[key]

    def load_at(self, operand: Operand, position: AffineExpr) -> SSAValue:
        """The element of `operand` at a flat position."""
        return self._scalar(operand, self.emitter.space.linear(position))

    def _scalar(self, operand: Operand, here: Linear) -> SSAValue:
        key = (operand.buffer, here.key)
        if key not in self.made:
            affine_map, indices = self.emitter.space.emit_forms(here)
            op = loop.LoadOp(operand.buffer, affine_map, indices, operand.element)
            self.made[key] = self.emitter.add(op, operand.buffer.name_hint).result
        return self.made[key]

    def splat(self, value: SSAValue, lanes: int) -> SSAValue:
        """`value` in every lane, once for all points."""
        if lanes == 1 or isinstance(value.type, VectorType):
            return value
        key = ("splat", value, lanes)
        if key not in self.made:
            self.made[key] = self.emitter.splat(value, lanes)
        return self.made[key]


LANE_FORMS: Mapping[type[Operation], type[Operation]] = {
    arith.ExtSIOp: loop.CastLanesOp,
    arith.FPToSIOp: loop.CastLanesOp,
    arith.SIToFPOp: loop.CastLanesOp,
    arith.TruncIOp: loop.CastLanesOp,
    tensor.RescaleOp: loop.RescaleLanesOp,
    tensor.SaturateOp: loop.SaturateLanesOp,
}
"""What operations on numbers alone are called on vectors."""


def rounded_halves(op: arith.ShRSIOp) -> tuple[tensor.RescaleOp, int] | None:
    """The rescale that `op` rounds, and what it adds: `(halves + 2 * offset + 1) >> 1`; None if it does not."""
    total, places = op.lhs.owner, _constant(op.rhs)
    if not isinstance(total, arith.AddiOp) or places != 1:
        return None
    rescale, added = total.lhs.owner, _constant(total.rhs)
    if not isinstance(rescale, tensor.RescaleOp) or rescale.rounding.data != "halves" or added is None:
        return None
    return (rescale, (added - 1) // 2) if added % 2 else None


def _constant(value: SSAValue) -> int | None:
    op = value.owner
    return op.value.value.data if isinstance(op, arith.ConstantOp) and isa(op.value, IntegerAttr) else None


@dataclass
class ScalarBody:
    """Copies a region of `tensor.compute` for one point."""

    emitter: Emitter
    loads: Loads
    point: TilePoint
    dims: Sequence[AffineExpr]
    sources: Mapping[BlockArgument, Operand]
    tables: Mapping[BlockArgument, tuple[SSAValue, tuple[int, ...]]]
    indices: Sequence[AffineExpr]
    """What `tensor.index` gives, by dimension."""
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    known: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])

    def run(self, region: Region) -> list[SSAValue]:
        """Copy all operations; return what the region yields, for this point."""
        for op in region.block.ops:
            if isinstance(op, tensor.YieldOp):
                return [self.value(argument) for argument in op.arguments]
            self._copy(op)
        raise CompilerBug("a region of tensor.compute without tensor.yield")

    def value(self, original: SSAValue) -> SSAValue:
        """The value at this point of a value of the region."""
        if original in self.known:
            return self.emitter.constant(IntegerAttr(int(self.known[original]), i1))
        if original not in self.values:
            if not isinstance(original, BlockArgument) or original not in self.sources:
                raise CompilerBug(f"value {original} of a tensor.compute region has no source")
            self.values[original] = self._element(self.sources[original])
        return self.values[original]

    def _guard(self, operand: Operand) -> tuple[Holds, list[Constraint]]:
        """Whether `operand` is there, and the constraints that decide it where that is not known."""
        undecided: list[Constraint] = []
        for constraint in operand.guard:
            here = Constraint(constraint.expr.replace_dims_and_symbols(self.dims, ()), constraint.modulus)
            state = here.holds(self.emitter.space.bound)
            if state is Holds.NEVER:
                return Holds.NEVER, []
            if state is Holds.MAYBE:
                undecided.append(here)
        return Holds.MAYBE if undecided else Holds.ALWAYS, undecided

    def _element(self, operand: Operand) -> SSAValue:
        state, undecided = self._guard(operand)
        if state is Holds.NEVER:
            return self.emitter.zero(operand.element)
        if state is Holds.ALWAYS:
            return self.loads.load(operand, self.dims, self.point)
        return self._choose(
            undecided,
            lambda: self.loads.nested().load(operand, self.dims, self.point),
            lambda type: self._zero(operand.element, type),
        )

    def _zero(self, element: Attribute, type: Attribute) -> SSAValue:
        lanes = type.get_shape()[0] if isinstance(type, VectorType) else 1
        return self.emitter.splat(self.emitter.zero(element), lanes)

    def _choose(
        self, constraints: Sequence[Constraint], yes: Callable[[], SSAValue], no: Callable[[Attribute], SSAValue]
    ) -> SSAValue:
        """`yes` where the constraints hold, else `no`, which is told the type that it must have."""
        then, otherwise = Block(), Block()
        with self.emitter.inside(then):
            value = yes()
            then.add_op(loop.YieldOp(value))
        with self.emitter.inside(otherwise):
            otherwise.add_op(loop.YieldOp(no(value.type)))
        identity: list[AffineExpr] = [AffineDimExpr(dim) for dim in range(len(self.emitter.space.loops))]
        return self.emitter.when(constraints, identity, Region(then), Region(otherwise), [value.type])[0]

    def _copy(self, op: Operation) -> None:
        match op:
            case tensor.IndexOp():
                self.values[op.result] = self.emitter.index(self.indices[op.dim.value.data])
            case tensor.InBoundsOp():
                self._in_bounds(op)
            case tensor.ExtractOp():
                self._extract(op)
            case arith.SelectOp() if op.cond in self.known:
                chosen = op.lhs if self.known[op.cond] else op.rhs
                self.values[op.result] = self.value(chosen)
            case arith.ExtUIOp() | arith.UIToFPOp() | arith.FPToUIOp() if self._is_vector(op.operands[0]):
                self._cast_unsigned(op)
            case arith.IndexCastOp() if self._is_vector(op.input):
                self.values[op.result] = self.value(op.input)
            case arith.CmpfOp() if self._differs_by_lane(op):
                pass
            case arith.SelectOp() if isinstance(test := op.cond.owner, arith.CmpfOp) and self._differs_by_lane(test):
                self._choose_by_lane(op, test)
            case arith.ShRSIOp() if self.point.lanes > 1 and (rounded := rounded_halves(op)) is not None:
                self._round(op, *rounded)
            case _:
                self._copy_scalar(op)

    def _is_vector(self, original: SSAValue) -> bool:
        return isinstance(self.value(original).type, VectorType)

    def _cast_unsigned(self, op: Operation) -> None:
        """Unsigned bytes to or from other numbers, by way of `i32`, which holds them all."""
        number = self.value(op.operands[0])
        element = op.results[0].type
        wide = self.emitter.add(loop.CastLanesOp(number, i32)).result
        if not isinstance(op, arith.FPToUIOp):
            low = self.loads.splat(self.emitter.constant(IntegerAttr(255, i32)), self.point.lanes)
            wide = self.emitter.add(arith.AndIOp(wide, low)).result
        if element != i32:
            wide = self.emitter.add(loop.CastLanesOp(wide, element)).result
        wide.name_hint = op.results[0].name_hint
        self.values[op.results[0]] = wide

    def _differs_by_lane(self, test: arith.CmpfOp) -> bool:
        """Whether a comparison is one of vectors: those who choose by it make it."""
        return any(self._is_vector(operand) for operand in test.operands)

    def _choose_by_lane(self, op: arith.SelectOp, test: arith.CmpfOp) -> None:
        a, b, x, y = (self.loads.splat(self.value(each), self.point.lanes) for each in (*test.operands, op.lhs, op.rhs))
        self.values[op.result] = self.emitter.add(loop.ChooseOp(predicate_of(test), a, b, x, y)).result

    def _round(self, op: arith.ShRSIOp, rescale: tensor.RescaleOp, offset: int) -> None:
        """The last rounding of a rescale: vectors do it with the shift."""
        operands = [self.loads.splat(self.value(operand), self.point.lanes) for operand in rescale.operands]
        rounded = self.emitter.add(loop.RescaleLanesOp(*operands, rounding="negative")).result
        added = self.loads.splat(self.emitter.constant(IntegerAttr(offset, i32)), self.point.lanes)
        self.values[op.result] = self.emitter.add(arith.AddiOp(rounded, added)).result

    def _in_bounds(self, op: tensor.InBoundsOp) -> None:
        if not isinstance(op.value, BlockArgument) or op.value not in self.sources:
            raise CompilerBug("tensor.in_bounds needs a block argument with an access")
        state, undecided = self._guard(self.sources[op.value])
        if state is Holds.MAYBE:
            self.values[op.result] = self._choose(
                undecided,
                lambda: self.emitter.constant(IntegerAttr(1, i1)),
                lambda _: self.emitter.constant(IntegerAttr(0, i1)),
            )
            return
        self.known[op.result] = state is Holds.ALWAYS

    def _extract(self, op: tensor.ExtractOp) -> None:
        if not isinstance(op.table, BlockArgument):
            raise CompilerBug("tensor.extract needs a table of its computation")
        buffer, shape = self.tables[op.table]
        position: SSAValue | None = None
        for index, size in zip(op.indices, shape, strict=True):
            here = self.value(index)
            if isinstance(here.type, VectorType):
                self.values[op.result] = self.emitter.add(loop.LookUpLanesOp(buffer, here), "value").result
                return
            if position is None:
                position = here
                continue
            extent = self.emitter.constant(IntegerAttr(size, IndexType()))
            scaled = self.emitter.add(arith.MuliOp(position, extent)).result
            position = self.emitter.add(arith.AddiOp(scaled, here)).result
        if position is None:
            position = self.emitter.constant(IntegerAttr(0, IndexType()))
        self.values[op.result] = self.emitter.add(loop.LoadAtOp(buffer, position, op.result.type), "value").result

    def _copy_scalar(self, op: Operation) -> None:
        operands = [self.value(operand) for operand in op.operands]
        vector = any(isinstance(operand.type, VectorType) for operand in operands)
        types: list[Attribute] = [result.type for result in op.results]
        if vector:
            lanes = self.point.lanes
            uniform = 1 if isinstance(op, arith.SelectOp) else 0
            operands[uniform:] = [self.loads.splat(operand, lanes) for operand in operands[uniform:]]
            types = [vector_of(type, lanes) for type in types]
        kind = LANE_FORMS.get(type(op), type(op)) if vector else type(op)
        copy = kind.create(
            operands=operands, result_types=types, properties=dict(op.properties), attributes=dict(op.attributes)
        )
        self.emitter.add(copy)
        for old, new in zip(op.results, copy.results, strict=True):
            new.name_hint = old.name_hint
            self.values[old] = new
