"""Find which buffers the operations of a kernel read and write."""

from itertools import takewhile

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import DefaultResource, MemoryEffectKind

from s2s.analysis.memory.effects import effects_of
from s2s.dialects.walk import walk

_MEMORY = DefaultResource()
"""The resource of effects on buffers; effects on other resources, such as the CPU cache, change no values."""


def touches_memory(op: Operation) -> bool:
    """Return whether `op`, or an operation nested in it, reads or writes a buffer."""
    return bool(read_by(op) or written_by(op))


def read_by(op: Operation) -> set[SSAValue]:
    """Return the buffers that `op`, or an operation nested in it, reads."""
    return {buffer for inner in walk(op) for buffer in accessed(inner, MemoryEffectKind.READ)}


def written_by(op: Operation) -> set[SSAValue]:
    """Return the buffers that `op`, or an operation nested in it, writes."""
    return {buffer for inner in walk(op) for buffer in accessed(inner, MemoryEffectKind.WRITE)}


def outputs_of(kernel: FuncOp) -> list[SSAValue]:
    """Return the outputs of a kernel: its leading arguments, as long as it writes them. Scratch buffers come last."""
    written = written_by(kernel)
    return list(takewhile(lambda argument: argument in written, kernel.args))


def accessed(op: Operation, kind: MemoryEffectKind) -> set[SSAValue]:
    """Return the buffers that `op` accesses with one kind of effect; all its buffers if its effects are unknown.

    Loops and conditions access nothing themselves; the operations nested in them do.
    """
    if op.regions:
        return set()
    effects = effects_of(op)
    if effects is None:
        return buffers_of(op)
    if not effects:
        return set()
    found = set[SSAValue]()
    for effect in effects:
        if effect.kind is kind and effect.resource == _MEMORY:
            found |= {effect.value} if isinstance(effect.value, SSAValue) else buffers_of(op)
    return found


def buffers_of(op: Operation) -> set[SSAValue]:
    """Return the buffers among the operands of an operation."""
    return {operand for operand in op.operands if isinstance(operand.type, MemRefType)}
