"""Stage `c`: the module holds the program as C constructs."""

from typing import NamedTuple

from s2s.decisions.decision import Decision
from s2s.decisions.file import check_known
from s2s.decisions.recorded import decisions_of
from s2s.dialects import c
from s2s.emit.units import Program
from s2s.stages.memory import Planned
from s2s.stages.request import Request
from s2s.stages.state import State


class Lowered(NamedTuple):
    """Figures of the C."""

    kernels: int
    """Functions that compute."""
    constants: int
    """Bytes of weights and tables that a tree stores."""
    decisions: tuple[Decision, ...]
    """What was chosen, and why."""


def lowered(state: State, request: Request) -> Lowered:
    """Count what the module holds; refuse decisions that were given and concern nothing."""
    before = state.facts[Planned].decisions
    decisions = (*before, *(each for each in decisions_of(state.module) if each not in before))
    check_known(request.options.decisions, decisions)
    tables = [op.weight.data for op in state.module.ops if isinstance(op, c.GlobalOp) and op.weight is not None]
    return Lowered(
        kernels=len(Program.of(state.module).kernels),
        constants=sum(state.weights.get(table).nbytes for table in tables),
        decisions=decisions,
    )
