"""Emit the loops of a `tensor.call_blocks`, with the calls of C functions inside.

    %c = tensor.call_blocks (%a, %b) {domain = array<i64: 8, 4, 2>, reduced = array<i64: 2>, starts = […], steps = […]}
->
    loop.for %i = 0 to 8 {
      loop.for %j = 0 to 4 {
        loop.block_call "reset" …                       // starts
        loop.for %k = 0 to 2 { loop.block_call "update" … }     // steps
      }
    }

Loops that are no reduction and stand inside of one run twice: around the starts, and around the steps.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from s2s.analysis.affine.guards import Constraint
from s2s.analysis.structure.compute import shape_of
from s2s.dialects import loop, tensor
from s2s.passes.tensor.lower_to_loop.emitter import Bounds, Emitter
from s2s.types.affine import at_dims, flat_index


def emit_calls(op: tensor.CallBlocksOp, buffers: Mapping[SSAValue, SSAValue], block: Block) -> None:
    """Append the loops of `op` to `block`; `buffers` maps its operands and its result to their memrefs."""
    calls, emitter = _Calls(op, [buffers[value] for value in (op.res, *op.inputs)]), Emitter(block)
    dims: list[AffineExpr] = [AffineConstantExpr(0)] * len(op.sizes)
    outer = op.reductions[0] if op.starts is not None else len(op.sizes)
    with ExitStack() as stack:
        calls.enter(emitter, stack, dims, range(outer))
        if op.starts is not None:
            with ExitStack() as inner:
                free = [dim for dim in range(outer, len(dims)) if dim not in op.reductions]
                calls.enter(emitter, inner, dims, free)
                calls.emit(emitter, op.starts, dims)
            calls.enter(emitter, stack, dims, range(outer, len(dims)))
        if op.first is None:
            calls.emit(emitter, op.steps, dims)
            return
        then, otherwise = Block(), Block()
        for branch, branch_calls in ((then, op.first), (otherwise, op.steps)):
            with emitter.inside(branch):
                calls.emit(emitter, branch_calls, dims)
                branch.add_op(loop.YieldOp())
        is_first = [Constraint(dims[dim] * -1) for dim in op.reductions]
        emitter.when(is_first, emitter.space.identity, Region(then), Region(otherwise), [])


class _Calls:
    """The calls of an operation on its buffers."""

    def __init__(self, op: tensor.CallBlocksOp, buffers: Sequence[SSAValue]) -> None:
        self._op, self._buffers = op, buffers
        self._shapes = [shape_of(value) for value in (op.res, *op.inputs)]
        pairs = zip(self._shapes, op.block_sizes, strict=True)
        self._extents = [list(zip(block, _strides(shape), strict=True)) for shape, block in pairs]

    def enter(self, emitter: Emitter, stack: ExitStack, dims: list[AffineExpr], loops: Sequence[int]) -> None:
        """Open loops; `dims` holds their variables."""
        for dim in loops:
            if self._op.sizes[dim] > 1:
                dims[dim] = stack.enter_context(emitter.loop(Bounds(0, self._op.sizes[dim]), f"i{dim}"))

    def emit(self, emitter: Emitter, calls: ArrayAttr[tensor.BlockCallAttr], dims: Sequence[AffineExpr]) -> None:
        """Append calls at the point `dims`."""
        starts = [
            at_dims(flat_index(access.map.data.results, shape), dims)
            for access, shape in zip(self._op.accesses, self._shapes, strict=True)
        ]
        place = emitter.space.emit(*starts)
        for call in calls:
            emitter.add(
                loop.BlockCallOp(call.function, call.arguments, self._buffers, place, self._extents, self._op.header)
            )


def _strides(shape: Sequence[int]) -> list[int]:
    """The distance of neighbours along each dimension."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return strides[: len(shape)]
