"""Emit the loops of a `tensor.scatter`: compute where each update goes, test that it is inside, store it.

    %y = tensor.scatter [3, 5] base(%x at …(0, d1)) axes [0] parts(%i at …(d0)) epilogue(%u at …) place … apply …
->
    loop.for %i = 0 to 3 {
      %at = index from the part            // as far outside as its operands allow
      loop.if 0 <= %at < 4 {
        loop.for %j = 0 to 5 { loop.store_at %u[…], %y[%at * 5 + %j] }
      }
    }

The buffer of the result holds `base` already. Neither a negative nor a large index writes anywhere.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import field
from math import prod

from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)

from s2s.analysis.structure.compute import names_of, shape_of
from s2s.dialects import loop, tensor
from s2s.errors import CompilerBug
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Emitter
from s2s.support.mutable import mutable
from s2s.types.affine import at_dims, flat_index
from s2s.types.sizes import VARIES, extents_of


@mutable
class ScatterEmitter:
    """Appends the loops of `op` to `block`; `buffers` maps its operands and its result to their memrefs."""

    op: tensor.ScatterOp
    buffers: Mapping[SSAValue, SSAValue]
    block: Block
    sizes: Mapping[str, loop.SizeOp]
    """The sizes that are known at run time, by name."""
    emitter: Emitter = field(init=False)
    dims: list[AffineExpr] = field(default_factory=list[AffineExpr])

    def __post_init__(self) -> None:
        self.emitter = Emitter(self.block)

    def emit(self) -> None:
        """Emit the loops that the indices depend on, the test of the indices, then the other loops."""
        op = self.op
        self.emitter.enter_sizes(self.sizes)
        moving = {dim for access in op.part_accesses for expr in access.map.data.results for dim in expr.used_dims()}
        outer = max(moving, default=-1) + 1
        with ExitStack() as stack:
            self._enter(stack, range(outer))
            indices = self._region(op.place, self._loaded(op.place.block.args, op.parts, op.part_accesses))
            inside = Block() if indices else self.emitter.block
            with self.emitter.inside(inside), ExitStack() as inner:
                self._enter(inner, range(outer, len(op.sizes)))
                self._update(indices)
            if indices:
                inside.add_op(loop.YieldOp())
                self.emitter.add(loop.IfOp(self._inside(), indices, Region(inside)))

    def _enter(self, stack: ExitStack, dims: Sequence[int]) -> None:
        names, extents = names_of(self.op), extents_of(self.op.attributes.get(VARIES), len(self.op.sizes))
        for dim in dims:
            upper = (self.emitter.sizes[extents[dim]],) if extents[dim] else ()
            limits = Bounds(0, self.op.sizes[dim], upper=upper)
            self.dims.append(stack.enter_context(self.emitter.loop(limits, names[dim])))

    def _inside(self) -> AffineSet:
        """Return the condition that each index is within its axis."""
        shape, axes = shape_of(self.op.res), self.op.indexed_axes
        limits = [(AffineDimExpr(number), shape[axis] - 1) for number, axis in enumerate(axes)]
        return AffineSet(
            len(axes), 0, tuple(_not_negative(expr) for index, last in limits for expr in (index, index * -1 + last))
        )

    def _update(self, indices: Sequence[SSAValue]) -> None:
        """Replace one element: load it if it is asked for, compute the new one, store that."""
        target, position = self.buffers[self.op.res], self._position(indices)
        old, *news = self.op.apply.block.args
        values = self._loaded(news, self.op.epilogue, self.op.epilogue_accesses)
        if old.uses:
            values[old] = self.emitter.add(loop.LoadAtOp(target, position, old.type), "old").result
        (new,) = self._region(self.op.apply, values)
        self.emitter.add(loop.StoreAtOp(new, target, position))

    def _position(self, indices: Sequence[SSAValue]) -> SSAValue:
        """Return the position of the element in the flat buffer."""
        shape = shape_of(self.op.res)
        known = at_dims(flat_index(self.op.into.map.data.results, shape), self.dims)
        affine_map, counters = self.emitter.space.emit(known)
        position = affine_map.results[0]
        for number, axis in enumerate(self.op.indexed_axes):
            position = AffineDimExpr(len(counters) + number) * prod(shape[axis + 1 :]) + position
        operands = [*counters, *indices]
        return self.emitter.add(loop.ApplyOp(AffineMap(len(operands), 0, (position,)), operands)).result

    def _loaded(
        self, arguments: Sequence[SSAValue], operands: Sequence[SSAValue], accesses: Sequence[tensor.AccessAttr]
    ) -> dict[SSAValue, SSAValue]:
        """Load the elements that a region asks for at the current point."""
        values: dict[SSAValue, SSAValue] = {}
        for argument, operand, access in zip(arguments, operands, accesses, strict=True):
            if argument.uses:
                flat = flat_index(access.map.data.results, shape_of(operand))
                affine_map, counters = self.emitter.space.emit(at_dims(flat, self.dims))
                load = loop.LoadOp(self.buffers[operand], affine_map, counters, argument.type)
                values[argument] = self.emitter.add(load, argument.name_hint).result
        return values

    def _region(self, region: Region, values: dict[SSAValue, SSAValue]) -> list[SSAValue]:
        """Copy the operations of a region; return what it yields."""
        for op in region.block.ops:
            if isinstance(op, tensor.YieldOp):
                return [values[argument] for argument in op.arguments]
            if isinstance(op, tensor.SizeOp):
                values[op.result] = self.sizes[op.size.data].result
                continue
            self.emitter.add(op.clone(values))
        raise CompilerBug("a region of tensor.scatter without tensor.yield")


def _not_negative(expr: AffineExpr) -> AffineConstraintExpr:
    return AffineConstraintExpr(AffineConstraintKind.ge, expr, AffineConstantExpr(0))
