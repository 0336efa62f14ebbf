"""Find the buffers that a function writes, itself or through functions that it calls."""

from collections.abc import Iterable

from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import MemoryEffectKind

from s2s.analysis.memory.buffers import accessed
from s2s.dialects import loop


class Written:
    """Answers queries about the functions of one module."""

    def __init__(self, functions: Iterable[FuncOp]) -> None:
        self._functions = {func.sym_name.data: func for func in functions}

    def is_written(self, buffer: SSAValue) -> bool:
        """Return whether the function that owns argument `buffer` writes to it."""
        return any(self._writes(use.operation, buffer) for use in buffer.uses)

    def _writes(self, op: Operation, buffer: SSAValue) -> bool:
        match op:
            case CallOp():
                return self._hands_on(op.callee.string_value(), list(op.arguments), buffer)
            case loop.CallWhileOp():
                condition, body = op.networks
                buffers = [op.arena, *op.buffers]
                tested = [op.arena, op.flag, *op.buffers]
                return self._hands_on(condition, tested, buffer) or self._hands_on(body, buffers, buffer)
            case loop.NetworkCall():
                return any(self._hands_on(name, [op.arena, *buffers], buffer) for name, buffers in op.calls())
            case _:
                return buffer in accessed(op, MemoryEffectKind.WRITE)

    def _hands_on(self, callee: str, arguments: list[SSAValue | None], buffer: SSAValue) -> bool:
        """Return whether `callee` writes to `buffer`, one of its arguments."""
        taken = self._functions[callee].args
        return any(
            given is buffer and self.is_written(argument) for given, argument in zip(arguments, taken, strict=True)
        )
