"""Copy the scalar region of a computation for one point of a tile: a scalar, or the lanes of a vector."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from s2s.analysis.affine.guards import Constraint, Holds
from s2s.analysis.affine.strides import predicate_of
from s2s.analysis.structure.lanes import is_byte
from s2s.analysis.structure.products import number_of, numbered
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Emitter
from s2s.passes.tensor.lower_to_loop.tile import Loads, Operand, TilePoint
from s2s.support.mutable import mutable
from s2s.types.affine import at_dims
from s2s.types.dtypes import vector_of

LANE_FORMS: Mapping[type[Operation], type[Operation]] = {
    arith.ExtSIOp: loop.CastLanesOp,
    arith.FPToSIOp: loop.CastLanesOp,
    arith.SIToFPOp: loop.CastLanesOp,
    arith.TruncIOp: loop.CastLanesOp,
    tensor.QuantizeOp: loop.QuantizeLanesOp,
    tensor.RescaleOp: loop.RescaleLanesOp,
    tensor.SaturateOp: loop.SaturateLanesOp,
}
"""The vector forms of operations that exist for scalars only."""


_LOOKED_AT = frozenset[type[Operation]](
    (
        tensor.IndexOp,
        tensor.SizeOp,
        tensor.InBoundsOp,
        tensor.ExtractOp,
        arith.SelectOp,
        arith.ExtUIOp,
        arith.UIToFPOp,
        arith.FPToUIOp,
        arith.IndexCastOp,
        arith.CmpfOp,
        tensor.RescaleOp,
    )
)
"""The operations that are copied in several ways; all others are copied as they are."""


@mutable
class ScalarBody:
    """Copies a region of `tensor.compute` for one point."""

    emitter: Emitter
    loads: Loads
    point: TilePoint
    dims: Sequence[AffineExpr]
    sources: Mapping[BlockArgument, Operand]
    tables: Mapping[BlockArgument, tuple[SSAValue, tuple[int, ...]]]
    indices: Sequence[AffineExpr]
    """The values of `tensor.index` at `dims`, by dimension."""
    values: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    known: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])

    def run(self, region: Region) -> list[SSAValue]:
        """Copy all operations whose results are not known; return what the region yields, for this point."""
        for op in region.block.ops:
            if isinstance(op, tensor.YieldOp):
                return [self.value(argument) for argument in op.arguments]
            if not any(result in self.values for result in op.results):
                (self._copy if type(op) in _LOOKED_AT else self._copy_scalar)(op)
        raise CompilerBug("a region of tensor.compute without tensor.yield")

    def value(self, original: SSAValue) -> SSAValue:
        """Return the value for this point of a value in the region."""
        if original in self.known:
            return self.emitter.constant(IntegerAttr(int(self.known[original]), i1))
        if original not in self.values:
            if not isinstance(original, BlockArgument) or original not in self.sources:
                raise CompilerBug(f"value {original} of a tensor.compute region has no source")
            self.values[original] = self._element(self.sources[original])
        return self.values[original]

    def _guard(self, operand: Operand) -> tuple[Holds, list[Constraint]]:
        """Return whether the access of `operand` is in bounds, and the constraints that decide it if that is
        undecided."""
        undecided: list[Constraint] = []
        for constraint in operand.guard:
            here = Constraint(at_dims(constraint.expr, self.dims), constraint.modulus)
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
        """`yes` where the constraints hold, else `no`, which takes the required type."""
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
            case tensor.IndexOp() | tensor.SizeOp():
                self.values[op.result] = self.emitter.index(self._index(op))
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
            case tensor.RescaleOp() if op.added and any(map(self._is_vector, op.operands)):
                self._rescale_and_add(op)
            case _:
                self._copy_scalar(op)

    def _index(self, op: tensor.IndexOp | tensor.SizeOp) -> AffineExpr:
        """The number that `op` gives, over the loops around."""
        if isinstance(op, tensor.SizeOp):
            return self.emitter.sizes[op.size.data]
        return at_dims(self.indices[op.dim.value.data], self.dims)

    def _is_vector(self, original: SSAValue) -> bool:
        return isinstance(self.value(original).type, VectorType)

    def _cast_unsigned(self, op: Operation) -> None:
        """Convert unsigned bytes to or from other numbers by way of `i32`, which holds all of them."""
        number = self.value(op.operands[0])
        element = op.results[0].type
        wide = self.emitter.add(loop.CastLanesOp(number, i32)).result
        most = self._splat_of_integer(255)
        if not isinstance(op, arith.FPToUIOp):
            wide = self.emitter.add(arith.AndIOp(wide, most)).result
        elif not is_byte(number, unsigned=True):
            raised = self.emitter.add(arith.MaxSIOp(wide, self._splat_of_integer(0))).result
            wide = self.emitter.add(arith.MinSIOp(raised, most)).result
        if element != i32:
            wide = self.emitter.add(loop.CastLanesOp(wide, element)).result
        wide.name_hint = op.results[0].name_hint
        self.values[op.results[0]] = wide

    def _splat_of_integer(self, value: int) -> SSAValue:
        """`value` in every lane."""
        return self.loads.splat(self.emitter.constant(IntegerAttr(value, i32)), self.point.lanes)

    def _differs_by_lane(self, test: arith.CmpfOp) -> bool:
        """Return whether a comparison is one of vectors: each select that uses it then repeats it."""
        return any(self._is_vector(operand) for operand in test.operands)

    def _choose_by_lane(self, op: arith.SelectOp, test: arith.CmpfOp) -> None:
        a, b, x, y = (self.loads.splat(self.value(each), self.point.lanes) for each in (*test.operands, op.lhs, op.rhs))
        self.values[op.result] = self.emitter.add(loop.ChooseOp(predicate_of(test), a, b, x, y)).result

    def _rescale_and_add(self, op: tensor.RescaleOp) -> None:
        """Rescale each lane; vectors add the offset by itself."""
        operands = [self.loads.splat(self.value(operand), self.point.lanes) for operand in op.operands]
        rounded = self.emitter.add(loop.RescaleLanesOp(*operands, rounding=op.rounding.data)).result
        offset = self.emitter.constant(IntegerAttr(op.added, i32), numbered(number_of(op)))
        lanes = self.loads.splat(offset, self.point.lanes)
        self.values[op.result] = self.emitter.add(arith.AddiOp(rounded, lanes)).result

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
