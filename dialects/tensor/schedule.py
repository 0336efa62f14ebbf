"""`#tensor.schedule`: the schedule of a computation, as a list of directives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from s2s.dialects.tensor.directive import PREFIX, Directive, Kernel, Scheduled
from s2s.dialects.tensor.renumbering import Renumbering
from s2s.dialects.tensor.schedule_state import ScheduleState

Kind = TypeVar("Kind", bound=Directive)

States = dict[tuple[tuple[int, ...], int], ScheduleState]
_STATES = "states"
"""The key of a cache: what the directives decide for each domain."""


@irdl_attr_definition
class ScheduleAttr(ParametrizedAttribute):
    """How `tensor-lower-to-loop` carries a computation out: directives, asked in this order.

        #tensor.schedule<[tile<1 by 2, 3 by 8, 4 by 16>, vectorize<4 by 16>, reorder<[0, 2, 1, 3, 4, 5]>]>

    A directive is an attribute that derives from `Directive`; ours are in `s2s/schedules/directives`. Without any, each
    dimension of the domain is one loop, in order. A name with a dot in it is the full name of an attribute of a dialect
    that is loaded, so that directives may come from outside.
    """

    name = "tensor.schedule"

    directives: ArrayAttr[Directive]

    @staticmethod
    def of(directives: Iterable[Directive | None] = ()) -> ScheduleAttr:
        """Create a schedule of `directives` without the ones that are None."""
        return ScheduleAttr(ArrayAttr([each for each in directives if each is not None]))

    def __iter__(self) -> Iterator[Directive]:
        return iter(self.directives)

    def find(self, kind: type[Kind]) -> Kind | None:
        """Return the first directive of a kind; None if there is none."""
        return next((each for each in self.directives if isinstance(each, kind)), None)

    def adding(self, *directives: Directive | None) -> ScheduleAttr:
        """Append `directives`."""
        return ScheduleAttr.of([*self.directives, *directives])

    def without(self, *kinds: type[Directive]) -> ScheduleAttr:
        """Remove the directives of some kinds."""
        return ScheduleAttr.of(each for each in self.directives if not isinstance(each, kinds))

    def replacing(self, new: Directive) -> ScheduleAttr:
        """Replace the directive of the kind of `new`, or append `new`."""
        kind = type(new)
        if self.find(kind) is None:
            return self.adding(new)
        return ScheduleAttr.of(new if isinstance(each, kind) else each for each in self.directives)

    def renumbered(self, mapping: Renumbering) -> ScheduleAttr:
        """Return the schedule over renumbered dimensions."""
        return ScheduleAttr.of(each.renumber(mapping) for each in self.directives)

    def inside_tile(self) -> ScheduleAttr:
        """Return the schedule of one fused tile."""
        return ScheduleAttr.of(each.inside_tile() for each in self.directives)

    @property
    def states_tiles(self) -> bool:
        """Whether it says only which tiles neighbouring computations share: the chooser adds the other directives."""
        return len(self.directives) > 0 and not self.inside_tile().directives.data

    def on(self, op: Scheduled) -> ScheduleState:
        """Return the decisions of all directives for `op`."""
        return self.over(op.sizes, op.rank)

    def over(self, sizes: tuple[int, ...], rank: int) -> ScheduleState:
        """Return the decisions for a domain of `sizes`, whose first `rank` dimensions are parallel."""
        states = cast(States, vars(self).setdefault(_STATES, {}))
        if (sizes, rank) not in states:
            state = ScheduleState(sizes, rank)
            for each in self.directives:
                each.decide(state)
            states[sizes, rank] = state
        return states[sizes, rank]

    def verify_for(self, op: Scheduled) -> None:
        """Raise an error if the schedule is illegal for `op`."""
        state = ScheduleState(op.sizes, op.rank)
        for each in self.directives:
            each.verify_for(op, state)
            each.decide(state)
        for each in self.directives:
            each.verify_together(op, state)

    def verify_in_kernel(self, op: Scheduled, kernel: Kernel) -> None:
        """Raise an error if the schedule is illegal for `op` in the kernel around it."""
        state = self.on(op)
        for each in self.directives:
            each.verify_in_kernel(op, state, kernel)

    def describe(self, op: Scheduled, names: Sequence[str]) -> list[str]:
        """Describe the schedule in words, with `names` for the dimensions of `op`."""
        state = self.on(op)
        return [text for each in self.directives for text in each.describe(op, state, names)]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("[")
            printer.print_list(self.directives, lambda each: _print(each, printer))
            printer.print_string("]")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            directives = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: _parse(parser))
        return [ArrayAttr(directives)]


def _print(directive: Directive, printer: Printer) -> None:
    printer.print_string(directive.name.removeprefix(PREFIX))
    directive.print_parameters(printer)


def _parse(parser: AttrParser) -> Directive:
    name = parser.parse_identifier()
    full = name if "." in name else PREFIX + name
    kind = parser.ctx.get_optional_attr(full)
    if kind is None or not issubclass(kind, Directive):
        known = sorted(
            each.name.removeprefix(PREFIX) for each in parser.ctx.loaded_attrs if issubclass(each, Directive)
        )
        parser.raise_error(f"{name!r} is no directive of a schedule; known are {', '.join(known)}")
    return kind.new(kind.parse_parameters(parser))
