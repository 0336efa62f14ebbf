"""Stage `c`: the program is C in memory."""

from dataclasses import dataclass

from s2s.dialects import c
from s2s.emit.units import Program
from s2s.stages.request import Request
from s2s.stages.state import State


@dataclass(frozen=True)
class Lowered:
    """The C in figures."""

    kernels: int
    """Functions that compute."""
    constants: int
    """Bytes of weights and tables that a tree stores."""


def lowered(state: State, _: Request) -> Lowered:
    """Count what the module holds."""
    tables = [op.weight.data for op in state.module.ops if isinstance(op, c.GlobalOp) and op.weight is not None]
    return Lowered(
        kernels=len(Program.of(state.module).kernels),
        constants=sum(state.weights.get(table).nbytes for table in tables),
    )
