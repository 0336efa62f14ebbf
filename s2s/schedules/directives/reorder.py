"""`reorder`: the order of the loops."""

from collections.abc import Iterator, Sequence
from itertools import permutations

from xdsl.dialects.builtin import I64, DenseArrayBase
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.structure.folds import is_order_free
from s2s.dialects import tensor
from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Machine, Scheduled


@irdl_attr_definition
class Reorder(Directive):
    """Put the loops over tiles in another order than the domain's: `reorder<[1, 0, 2]>`, outermost first.

    Reductions come after all parallel dimensions.
    """

    name = "schedule.reorder"

    order: DenseArrayBase[I64]

    @staticmethod
    def of(order: Sequence[int]) -> "Reorder | None":
        """Dimensions from the outermost loop to the innermost; None for the domain's own order."""
        return Reorder(tensor.integers(order)) if list(order) != sorted(order) else None

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        order = self.order.get_values()
        if sorted(order) != list(range(len(op.sizes))):
            raise VerifyException(
                f"{op.name}: reorder {list(order)} is no order of the {len(op.sizes)} dimensions of {list(op.sizes)}; "
                "name each once"
            )
        if any(dim >= op.rank for dim in order[: op.rank]):
            raise VerifyException(
                f"{op.name}: reorder {list(order)} puts a reduction outside a parallel dimension; the last "
                f"{len(op.sizes) - op.rank} places are for reductions"
            )

        if not isinstance(op, tensor.ComputeOp) or is_order_free(op):
            return
        inner = [dim for dim in order[op.rank :] if op.sizes[dim] > 1]
        if inner != sorted(inner):
            raise VerifyException(
                f"{op.name}: reorder {list(order)} changes the order of a reduction whose result depends on it; keep "
                f"{sorted(inner)}"
            )

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        reductions = range(op.rank, len(op.sizes))
        for outer in permutations(range(op.rank)):
            yield from filter(None, (cls.of([*outer, *inner]) for inner in permutations(reductions)))

    def decide(self, state: ScheduleState) -> None:
        state.order = list(self.order.get_values())

    def renumber(self, mapping: Renumbering) -> "Reorder | None":
        return Reorder.of(mapping.order(self.order.get_values()))

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"loops {', '.join(names[dim] for dim in state.order if op.sizes[dim] > 1)}"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{list(self.order.get_values())}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [tensor.integers(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))]
