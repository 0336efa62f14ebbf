"""Lower the buffers of a network: views of the arena, weights, copies and poison."""

from functools import cache

from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute

from s2s.c_syntax import headers
from s2s.dialects import c, loop
from s2s.memory.accesses import buffer_bytes
from s2s.passes.loop.lower_to_c.arena import element_of
from s2s.passes.loop.lower_to_c.step_table import STEP_LOWERINGS, StepBuilder

_POISON = 0xA5
"""The value of poisoned bytes."""


@STEP_LOWERINGS.register(loop.ViewOp)
def view(steps: StepBuilder, op: loop.ViewOp) -> None:
    """A pointer into the arena."""
    steps.b.values[op.result] = steps.arena.view(steps.b, op)


@STEP_LOWERINGS.register(loop.WeightOp)
def weight(steps: StepBuilder, op: loop.WeightOp) -> None:
    """The array that holds a constant."""
    pointer = _to_constants(element_of(op.result.type))
    steps.b.values[op.result] = steps.b.add(c.SymbolOp(steps.names.weights[op.weight.data], pointer))


@cache
def _to_constants(element: Attribute) -> c.PtrType:
    return c.PtrType(element, const=True)


@STEP_LOWERINGS.register(loop.CopyOp)
def copy(steps: StepBuilder, op: loop.CopyOp) -> None:
    """`memcpy(target, source, size);`"""
    b = steps.b
    size = b.literal(buffer_bytes(op.target), IndexType())
    b.block.add_op(c.CallOp("memcpy", [b.value(op.target), b.value(op.source), size], header=headers.STRING))


@STEP_LOWERINGS.register(loop.PoisonOp)
def poison(steps: StepBuilder, op: loop.PoisonOp) -> None:
    """`memset(buffer, 0xA5, size);`"""
    b = steps.b
    size = b.literal(buffer_bytes(op.buffer), IndexType())
    b.block.add_op(
        c.CallOp("memset", [b.value(op.buffer), b.literal(_POISON, IntegerType(32)), size], header=headers.STRING)
    )
