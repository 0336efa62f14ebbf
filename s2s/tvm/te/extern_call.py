"""Calls of functions outside of the expressions, and the operations of the tensors that they compute."""

from __future__ import annotations

from s2s.support.frozen import frozen
from s2s.tvm.te.expressions import Expr, Size, Tensor, TensorOp


class ExternCall:
    """A call of a function outside of the expressions, which computes `outputs` from `inputs`."""

    def __init__(
        self,
        name: str,
        function: str,
        inputs: tuple[Tensor, ...],
        outputs: tuple[tuple[tuple[Size, ...], str], ...],
        *,
        packed: bool,
        source: str | None,
        numbers: tuple[int | float | Expr, ...] = (),
    ) -> None:
        self.name, self.function, self.inputs = name, function, inputs
        self.packed, self.source, self.numbers = packed, source, numbers
        names = [name] if len(outputs) == 1 else [f"{name}.v{number}" for number in range(len(outputs))]
        self.outputs = tuple(
            Tensor(shape, dtype, ExternOp(each, (), self), number)
            for number, (each, (shape, dtype)) in enumerate(zip(names, outputs, strict=True))
        )


@frozen(eq=False)
class ExternOp(TensorOp):
    """The operation of a tensor that a function outside of the expressions computes."""

    call: ExternCall

    @property
    def input_tensors(self) -> tuple[Tensor, ...]:
        """The tensors that the function reads, each once."""
        return tuple(dict.fromkeys(self.call.inputs))
