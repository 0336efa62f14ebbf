"""`rfactor`: a long reduction to few results in independent partial results."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.structure.folds import folds_of
from s2s.dialects import tensor
from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Machine, Scheduled, check_dims
from s2s.schedules.directives.sizes import parse_pair


@irdl_attr_definition
class Rfactor(Directive):
    """Fold a reduction into several accumulators, combined last: `rfactor<1 by 4>`.

    Step `k` goes to accumulator `k mod 4`, or vector `k` of steps where the reduction runs in vectors. No accumulator
    then waits for the addition before: a sum over 4096 in vectors of 16 is 64 additions long instead of 256. The
    reduction is a sum, product, maximum or minimum of floats, whose order is free within the tolerance.
    """

    name = "schedule.rfactor"

    dim: IntAttr
    parts: IntAttr

    @staticmethod
    def of(dim: int, parts: int) -> "Rfactor | None":
        """`parts` accumulators for the reduction `dim`; None for one."""
        return Rfactor(IntAttr(dim), IntAttr(parts)) if parts > 1 else None

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        dim, parts = self.dim.data, self.parts.data
        check_dims("rfactor", [dim], op)
        if dim < op.rank or parts < 2:
            raise VerifyException(f"{op.name}: rfactor {dim} by {parts}; name a reduction and two accumulators or more")
        if not isinstance(op, tensor.ComputeOp) or folds_of(op) is None:
            raise VerifyException(
                f"{op.name}: rfactor changes the order of a reduction that is no sum, product, maximum or minimum of "
                "floats from its neutral value; leave it out"
            )
        if any(access.is_guarded for access in op.read_accesses):
            raise VerifyException(f"{op.name}: rfactor folds reads that may miss their operand; pad them first")

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        dim = self.dim.data
        if state.vector_dim is not None and state.vector_dim != dim:
            raise VerifyException(
                f"{op.name}: rfactor names dimension {dim}, but dimension {state.vector_dim} runs in vectors; name "
                "that reduction, or leave the vectors out"
            )

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        for dim in range(op.rank, len(op.sizes)):
            yield from filter(None, (cls.of(dim, parts) for parts in (2, 3, 4)))

    def decide(self, state: ScheduleState) -> None:
        state.partials = (self.dim.data, self.parts.data)

    def renumber(self, mapping: Renumbering) -> "Rfactor":
        return Rfactor(IntAttr(mapping.dims(self.dim.data)[-1]), self.parts)

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"split {names[self.dim.data]} into {self.parts.data} partial results"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.dim.data} by {self.parts.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_pair(parser)
