"""`strip_mine`: one dimension runs in vectors whose length is known at run time only."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Machine, Scheduled, check_dims


@irdl_attr_definition
class StripMine(Directive):
    """Run the innermost parallel loop in strips, `strip_mine<2>` for dimension 2: each is as long as the vectors of the
    processor, and the last one is shorter.

    The loop's tile is one position. `loop-strip-mine` proves that its iterations may run side by side.
    """

    name = "schedule.strip_mine"

    dim: IntAttr

    @staticmethod
    def of(dim: int) -> "StripMine":
        """Run `dim` in strips."""
        return StripMine(IntAttr(dim))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        check_dims("strip_mine", [self.dim.data], op, parallel=True)
        if state.strip_dim is not None:
            raise VerifyException(f"{op.name}: strip_mine stands twice; one dimension runs in strips")

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        dim = self.dim.data
        if state.lanes > 1 or state.form not in (None, "dot_strips"):
            raise VerifyException(f"{op.name}: strip_mine beside vectorize or tensorize; leave one of them out")
        if state.tiles[dim] > 1:
            raise VerifyException(
                f"{op.name}: strip_mine of dimension {dim}, of which a tile holds {state.tiles[dim]}; tile it by 1"
            )
        inner = state.order[op.rank - 1]
        if inner != dim:
            raise VerifyException(
                f"{op.name}: strip_mine names dimension {dim}, but the innermost parallel loop is over {inner}; reorder"
            )

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        if machine.scalable_bits:
            yield from (cls.of(dim) for dim in range(op.rank) if op.sizes[dim] > 1)

    def decide(self, state: ScheduleState) -> None:
        state.strip_dim = self.dim.data

    def renumber(self, mapping: Renumbering) -> "StripMine":
        *_, inner = mapping.dims(self.dim.data)
        return StripMine.of(inner)

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"strips along {names[self.dim.data]}, as long as vectors are"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.dim.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer())]
