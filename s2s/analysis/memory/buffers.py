"""Find which buffers the operations of a kernel read and write."""

from itertools import takewhile

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import DefaultResource, MemoryEffectKind

from s2s.analysis.memory.effects import effects_of
from s2s.dialects import loop

_MEMORY = DefaultResource()
"""The resource of effects on buffers; others, as caches are, hold no values."""


def touches_memory(op: Operation) -> bool:
    """Whether `op`, or what is inside of it, reads or writes a buffer."""
    return bool(read_by(op) or written_by(op))


def read_by(op: Operation) -> set[SSAValue]:
    """The buffers that `op`, or what is inside of it, reads."""
    return {buffer for inner in op.walk() for buffer in accessed(inner, MemoryEffectKind.READ)}


def written_by(op: Operation) -> set[SSAValue]:
    """The buffers that `op`, or what is inside of it, writes."""
    return {buffer for inner in op.walk() for buffer in accessed(inner, MemoryEffectKind.WRITE)}


def needs_no_other(op: loop.ForOp) -> bool:
    """Whether no iteration needs what another one has left in a buffer: what one reads, it has written before."""
    written = written_by(op)
    seen: set[SSAValue] = set()
    for inner in op.walk():
        if (accessed(inner, MemoryEffectKind.READ) & written) - seen:
            return False
        seen |= accessed(inner, MemoryEffectKind.WRITE)
    return True


def writes_first(op: loop.ForOp, buffer: SSAValue) -> bool:
    """Whether each iteration writes `buffer` before it reads it."""
    for inner in op.walk():
        if buffer in accessed(inner, MemoryEffectKind.READ):
            return False
        if buffer in accessed(inner, MemoryEffectKind.WRITE):
            return True
    return True


def outputs_of(kernel: FuncOp) -> list[SSAValue]:
    """The outputs of a kernel: its first arguments, as far as it writes them. Scratch that it writes stands last."""
    written = written_by(kernel)
    return list(takewhile(lambda argument: argument in written, kernel.args))


def accessed(op: Operation, kind: MemoryEffectKind) -> set[SSAValue]:
    """The buffers that `op` itself accesses in one way; all that it is given where its effects are not known.

    A loop or a condition accesses nothing itself, what is inside of it does.
    """
    if op.regions:
        return set()
    effects = effects_of(op)
    if effects is None:
        return buffers_of(op)
    found = set[SSAValue]()
    for effect in effects:
        if effect.kind is kind and effect.resource == _MEMORY:
            found |= {effect.value} if isinstance(effect.value, SSAValue) else buffers_of(op)
    return found


def buffers_of(op: Operation) -> set[SSAValue]:
    """The buffers that an operation is given."""
    return {operand for operand in op.operands if isinstance(operand.type, MemRefType)}
