"""Append loop operations to the current block, and keep track of the enclosing loops."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import field
from typing import NamedTuple, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType, UnitAttr, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
    AffineSet,
)

from s2s.analysis.affine.guards import Constraint
from s2s.dialects import loop
from s2s.dialects.tensor import ScheduleState
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.space import EnclosingLoop, LoopSpace, PositionBlock
from s2s.support.mutable import mutable
from s2s.types.affine import at_dims, bounds
from s2s.types.hints import isa

Op = TypeVar("Op", bound=Operation)


class Bounds(NamedTuple):
    """The range of a loop: `start … stop - 1` with a step, clipped further by expressions of the enclosing loops."""

    start: int
    stop: int
    step: int = 1
    lower: tuple[AffineExpr, ...] = ()
    upper: tuple[AffineExpr, ...] = ()


class OpenBlock(NamedTuple):
    """The current cache block of a dimension: its start and size."""

    dim: int
    base: AffineExpr
    size: int

    def limit(self, bounds: Bounds, unit: int = 1) -> Bounds:
        """Return `bounds`, positions along the dimension times `unit`, limited to the block."""
        base = self.base * unit
        return bounds._replace(lower=(*bounds.lower, base), upper=(*bounds.upper, base + self.size * unit))


@mutable
class Emitter:
    """Appends operations to the innermost open block."""

    block: Block
    space: LoopSpace = field(default_factory=LoopSpace)
    sizes: dict[str, AffineExpr] = field(default_factory=dict[str, AffineExpr])
    """The sizes that are known at run time, by name."""

    def enter_sizes(self, values: Mapping[str, loop.SizeOp]) -> None:
        """Let index expressions use sizes that vary: each is the variable of a loop around everything else."""
        for name, op in values.items():
            least, most = op.bounds
            self.sizes[name] = self.space.enter(EnclosingLoop(op.result, least, 1, most - least + 1))

    def add(self, op: Op, hint: str | None = None) -> Op:
        """Append `op`; `hint` is the name of its first result."""
        self.block.add_op(op)
        if hint is not None and op.results:
            op.results[0].name_hint = hint
        return op

    @contextmanager
    def inside(self, block: Block) -> Generator[None]:
        """Append to `block` inside the `with` statement."""
        outer, self.block = self.block, block
        try:
            yield
        finally:
            self.block = outer

    @contextmanager
    def loop(
        self,
        limits: Bounds,
        name: str,
        carried: "Carried | None" = None,
        *,
        parallel: bool = False,
        strips: bool = False,
        unroll: int = 1,
    ) -> Generator[AffineExpr]:
        """Emit a loop; yield its variable. It carries the values of `carried`, which then are its results. A loop that
        the schedule wants `parallel` or in `strips` is marked so. The C compiler unrolls `unroll` iterations."""
        inits = [] if carried is None else carried.values
        dims, lower, upper = self._bounds(limits)
        body = Block(arg_types=[IndexType(), *(value.type for value in inits)])
        body.args[0].name_hint = name
        for argument, value in zip(body.args[1:], inits, strict=True):
            argument.name_hint = value.name_hint
        count = -(-(limits.stop - limits.start) // limits.step)
        block = self._block_of(limits)
        variable = self.space.enter(EnclosingLoop(body.args[0], limits.start, limits.step, count, block))
        if carried is not None:
            carried.values = list(body.args[1:])
        with self.inside(body):
            yield variable
        self.space.leave()
        outgoing = [] if carried is None else carried.values
        body.add_op(loop.YieldOp(*outgoing))
        op = self.add(loop.ForOp(lower, upper, body, step=limits.step, dims=dims, inits=inits, unroll=unroll))
        if parallel:
            op.attributes[loop.PARALLELIZE] = UnitAttr()
        if strips:
            op.attributes[loop.STRIP_MINE] = UnitAttr()
        if carried is not None:
            carried.values = list(op.res)
            for result, value in zip(op.res, inits, strict=True):
                result.name_hint = value.name_hint

    def _block_of(self, limits: Bounds) -> PositionBlock | None:
        """Return the block of constant size that `limits` keep a loop in; None if there is none."""
        for base in limits.lower:
            for end in limits.upper:
                size = self.space.linear(end).plus(self.space.linear(base), -1)
                if not size.terms:
                    return PositionBlock(base, size.constant)
        return None

    def blocks(
        self, stack: ExitStack, schedule: ScheduleState, names: Sequence[str], ends: Mapping[int, AffineExpr]
    ) -> "list[OpenBlock]":
        """Enter the loops over cache blocks, outermost first; return the current blocks. Dimensions of varying size
        end at `ends`."""
        opened, found = list[OpenBlock](), dict[int, OpenBlock]()
        for number, (dim, size) in enumerate(schedule.blocks):
            limits = Bounds(0, schedule.sizes[dim], size)
            if dim in found:
                base, outer = found[dim].base, found[dim].size
                limits = Bounds(0, schedule.sizes[dim], size, (base,), (base + outer,))
            if (end := ends.get(dim)) is not None:
                limits = limits._replace(upper=(*limits.upper, end))
            parallel = number < len(schedule.parallel)
            base = stack.enter_context(self.loop(limits, f"{names[dim]}_block", parallel=parallel))
            found[dim] = OpenBlock(dim, base, size)
            opened.append(found[dim])
        return opened

    def _tightest(self, exprs: Sequence[AffineExpr], constant: int, sign: int) -> list[AffineExpr]:
        """Return the bounds that may be tighter than `constant`: for a maximum (`sign` 1) or a minimum (`sign` -1)."""
        open_exprs: list[AffineExpr] = []
        for expr in exprs:
            low, high = bounds(expr * sign, self.space.bound)
            if low == high:
                constant = max(constant * sign, low) * sign
            elif high > constant * sign:
                open_exprs.append(expr)
        certain = max([bounds(expr * sign, self.space.bound)[0] for expr in open_exprs], default=constant * sign - 1)
        return open_exprs if certain >= constant * sign else [*open_exprs, AffineConstantExpr(constant)]

    def _bounds(self, limits: Bounds) -> tuple[list[SSAValue], AffineMap, AffineMap]:
        lower = self._tightest(limits.lower, limits.start, sign=1)
        upper = self._tightest(limits.upper, limits.stop, sign=-1)
        affine_map, dims = self.space.emit(*lower, *upper)
        results = affine_map.results
        low = AffineMap(len(dims), 0, results[: len(lower)])
        high = AffineMap(len(dims), 0, results[len(lower) :])
        return dims, low, high

    def index(self, expr: AffineExpr, hint: str | None = None) -> SSAValue:
        """Emit an index expression as a value."""
        affine_map, dims = self.space.emit(expr)
        result = affine_map.results[0]
        if isinstance(result, AffineConstantExpr):
            return self.add(arith.ConstantOp(IntegerAttr.from_index_int_value(result.value))).result
        return self.add(loop.ApplyOp(affine_map, dims), hint).result

    def when(
        self,
        constraints: Sequence[Constraint],
        dims: Sequence[AffineExpr],
        then: Region,
        otherwise: Region,
        types: Sequence[Attribute],
    ) -> list[SSAValue]:
        """Emit `then` under the condition that all constraints hold at the point `dims`, else `otherwise`."""
        exprs = [at_dims(constraint.expr, dims) for constraint in constraints]
        affine_map, indices = self.space.emit(*exprs)
        conditions = tuple(
            AffineConstraintExpr(AffineConstraintKind.eq, expr % constraint.modulus, AffineConstantExpr(0))
            if constraint.modulus
            else AffineConstraintExpr(AffineConstraintKind.ge, expr, AffineConstantExpr(0))
            for constraint, expr in zip(constraints, affine_map.results, strict=True)
        )
        op = self.add(loop.IfOp(AffineSet(len(indices), 0, conditions), indices, then, otherwise, types))
        return list(op.res)

    def constant(self, value: Attribute, attributes: Mapping[str, Attribute] | None = None) -> SSAValue:
        """Emit a scalar constant."""
        if not isa(value, IntegerAttr) and not isa(value, FloatAttr):
            raise CompilerBug(f"{value} is not a number")
        properties = {"value": value}
        made = arith.ConstantOp.create(properties=properties, attributes=attributes or {}, result_types=[value.type])
        return self.add(made).result

    def zero(self, type: Attribute) -> SSAValue:
        """Emit the zero of a scalar type."""
        if isinstance(type, AnyFloat):
            return self.constant(FloatAttr(0.0, type))
        if not isa(type, IntegerType):
            raise CompilerBug(f"{type} has no zero")
        return self.constant(IntegerAttr(0, type))

    def splat(self, value: SSAValue, lanes: int) -> SSAValue:
        """Broadcast `value` to a vector; return it unchanged for one lane, or if it is a vector already."""
        if lanes == 1 or isinstance(value.type, VectorType):
            return value
        op = loop.BroadcastOp(value, lanes)
        return self.add(op, value.name_hint).result


@mutable
class Carried:
    """The loop-carried values of a loop."""

    values: list[SSAValue]
