"""`unroll`: several steps of a reduction in one pass of its loop."""

from collections.abc import Iterator, Mapping, Sequence

from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Machine, Scheduled
from s2s.schedules.directives.sizes import (
    Sizes,
    check_copies,
    check_sizes,
    parse_sizes,
    print_sizes,
    rows_of,
    sizes_attribute,
)


@irdl_attr_definition
class Unroll(Directive):
    """Write out so many steps of a reduction, in order, in the body of its loop: `unroll<3 by 8>`."""

    name = "schedule.unroll"

    sizes: Sizes

    @staticmethod
    def of(steps: Mapping[int, int]) -> "Unroll | None":
        """So many steps of each reduction; None where nothing is unrolled."""
        rows = [row for row in steps.items() if row[1] > 1]
        return Unroll(sizes_attribute(rows)) if rows else None

    @property
    def steps(self) -> list[tuple[int, int]]:
        """Each reduction, and how many of its steps are written out."""
        return [(row[0], row[1]) for row in rows_of(self.sizes)]

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        check_sizes("unroll", self.sizes, op)
        for dim, *steps in rows_of(self.sizes):
            if dim < op.rank or len(steps) != 1:
                raise VerifyException(
                    f"{op.name}: unroll names dimension {dim} with {steps}; give one number of steps of a reduction, "
                    "and tile parallel dimensions"
                )

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        check_copies(op, state)

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        for dim in range(op.rank, len(op.sizes)):
            yield from filter(None, (cls.of({dim: steps}) for steps in (2, 4, 8) if steps <= op.sizes[dim]))

    def decide(self, state: ScheduleState) -> None:
        for dim, steps in self.steps:
            state.tiles[dim] = steps

    def renumber(self, mapping: Renumbering) -> "Unroll | None":
        return Unroll.of(mapping.extents_of_all(self.steps))

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        dims = sorted(dim for dim, _ in self.steps)
        steps = [f"{size} {names[dim]}" for dim, size in zip(dims, state.tile(dims), strict=True) if size > 1]
        return [f"unroll {' x '.join(steps)}"] if steps else []

    def print_parameters(self, printer: Printer) -> None:
        print_sizes(printer, self.sizes)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return [parse_sizes(parser)]
