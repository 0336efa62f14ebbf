"""Which buffers the operations of a kernel read and write."""

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryEffectKind, only_has_effect

from s2s.dialects import loop


def touches_memory(op: Operation) -> bool:
    """Whether `op`, or what is inside of it, reads or writes a buffer."""
    return bool(read_by(op) or written_by(op))


def read_by(op: Operation) -> set[SSAValue]:
    """The buffers that `op`, or what is inside of it, reads."""
    return {buffer for inner in op.walk() for buffer in _reads(inner)}


def written_by(op: Operation) -> set[SSAValue]:
    """The buffers that `op`, or what is inside of it, writes."""
    return {buffer for inner in op.walk() for buffer in _writes(inner)}


def needs_no_other(op: loop.ForOp) -> bool:
    """Whether no iteration needs what another one has left in a buffer: what one reads, it has written before."""
    written = written_by(op)
    seen: set[SSAValue] = set()
    for inner in op.walk():
        if (_reads(inner) & written) - seen:
            return False
        seen |= _writes(inner)
    return True


def writes_first(op: loop.ForOp, buffer: SSAValue) -> bool:
    """Whether each iteration writes `buffer` before it reads it."""
    for inner in op.walk():
        if buffer in _reads(inner):
            return False
        if buffer in _writes(inner):
            return True
    return True


def _reads(op: Operation) -> set[SSAValue]:
    match op:
        case loop.LoadOp() | loop.LoadAtOp():
            return {op.buffer}
        case loop.StageOp():
            return {op.source}
        case loop.StoreOp() | loop.StoreAtOp() | loop.PrefetchOp():
            return set()
        case _:
            return _buffers(op)


def _writes(op: Operation) -> set[SSAValue]:
    match op:
        case loop.StoreOp() | loop.StoreAtOp():
            return {op.buffer}
        case loop.StageOp():
            return {op.target}
        case loop.LoadOp() | loop.LoadAtOp() | loop.PrefetchOp():
            return set()
        case _:
            found = _buffers(op)
            return set() if found and only_has_effect(op, MemoryEffectKind.READ) else found


def _buffers(op: Operation) -> set[SSAValue]:
    """The buffers that an operation is given."""
    return {operand for operand in op.operands if isinstance(operand.type, MemRefType)}
