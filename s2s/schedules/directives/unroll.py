"""`unroll`: several steps of a reduction in one pass of its loop, and several passes at a time."""

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
    """Write out several steps of a reduction, in order, in the body of its loop: `unroll<3 by 8>` for 8 of dimension 3.

    With `unroll<3 by 8 by 6>`, a pragma asks the C compiler to unroll 6 passes of that loop as well. It does so where
    it optimises for speed; where it optimises for size (`-Os`), the loop stays as short as it is written.
    """

    name = "schedule.unroll"

    sizes: Sizes

    @staticmethod
    def of(steps: Mapping[int, int], passes: Mapping[int, int] | None = None) -> "Unroll | None":
        """Unroll each reduction by `steps`, and by `passes` in the C compiler; None where nothing is unrolled."""
        passes = {dim: count for dim, count in (passes or {}).items() if count > 1}
        dims = [dim for dim in {**steps, **passes} if steps.get(dim, 1) > 1 or dim in passes]
        rows = [(dim, steps.get(dim, 1), *([passes[dim]] if dim in passes else [])) for dim in dims]
        return Unroll(sizes_attribute(rows)) if rows else None

    @property
    def steps(self) -> list[tuple[int, int]]:
        """The number of steps of each reduction that are written out."""
        return [(row[0], row[1]) for row in rows_of(self.sizes)]

    @property
    def passes(self) -> dict[int, int]:
        """The passes that the C compiler is asked to unroll, where these are several."""
        return {row[0]: row[2] for row in rows_of(self.sizes) if len(row) > 2}

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        check_sizes("unroll", self.sizes, op)
        for dim, *steps in rows_of(self.sizes):
            if dim < op.rank or len(steps) > 2:
                raise VerifyException(
                    f"{op.name}: unroll names dimension {dim} with {steps}; give the steps of a reduction, and "
                    "the passes to unroll, and tile parallel dimensions"
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
        state.passes |= self.passes

    def renumber(self, mapping: Renumbering) -> "Unroll | None":
        passes = {new[-1]: count for dim, count in self.passes.items() if (new := mapping.dims(dim))}
        return Unroll.of(mapping.extents_of_all(self.steps), passes)

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        dims = sorted(dim for dim, _ in self.steps)
        steps = [f"{size} {names[dim]}" for dim, size in zip(dims, state.tile(dims), strict=True) if size > 1]
        passes = [f"{count} passes of {names[dim]}" for dim, count in self.passes.items()]
        return [f"unroll {' x '.join(steps)}"] * bool(steps) + [f"let the C compiler unroll {each}" for each in passes]

    def print_parameters(self, printer: Printer) -> None:
        print_sizes(printer, self.sizes)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return [parse_sizes(parser)]
