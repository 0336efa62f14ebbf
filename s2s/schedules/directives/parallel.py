"""`parallel`: the outermost loops of a computation are divided among threads."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects import tensor
from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Machine, Scheduled, check_dims


@irdl_attr_definition
class Parallel(Directive):
    """Divide the outermost loops among threads: `parallel<1, 0>` for the loop over dimension 1 and the one over
    dimension 0 right inside of it, whose iterations are counted together.

    The loops run over register tiles, over cache blocks where the dimension has any, or over the tiles of
    `tile_and_fuse`. Then one of the fused computations says it for all. `loop-divide-among-threads` proves that the
    iterations are independent. In a network for one thread the directive has no effect.
    """

    name = "schedule.parallel"

    dims: DenseArrayBase[I64]

    @staticmethod
    def of(dims: Sequence[int]) -> "Parallel | None":
        """Divide the loops over `dims`, outermost first; None for no dimensions."""
        return Parallel(tensor.integers(dims)) if dims else None

    @property
    def divided(self) -> tuple[int, ...]:
        """The dimensions, outermost first."""
        return self.dims.get_values()

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        check_dims("parallel", self.divided, op, parallel=True)
        if not self.divided:
            raise VerifyException(f"{op.name}: parallel names no dimension; name that of the outermost loop")
        if state.parallel:
            raise VerifyException(f"{op.name}: parallel stands twice; name all dimensions in one")

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        loops = state.loops
        for dim in self.divided:
            if dim not in loops:
                raise VerifyException(
                    f"{op.name}: parallel names dimension {dim}, of which one tile does all {op.sizes[dim]} positions "
                    "outside of other loops; make its tile smaller"
                )
        outermost = loops[: len(self.divided)]
        if list(self.divided) != outermost:
            raise VerifyException(
                f"{op.name}: parallel names the loops over dimensions {list(self.divided)}, but the outermost ones are "
                f"over {outermost}; name those, or reorder the loops"
            )

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        dims = [dim for dim in range(op.rank) if op.sizes[dim] > 1]
        yield from filter(None, (cls.of([dim]) for dim in dims))
        yield from filter(None, (cls.of([outer, inner]) for outer in dims for inner in dims if inner != outer))

    def decide(self, state: ScheduleState) -> None:
        state.parallel = self.divided

    def renumber(self, mapping: Renumbering) -> "Parallel | None":
        new = (mapping.dims(dim) for dim in self.divided)
        return Parallel.of(list(dict.fromkeys(dims[0] for dims in new if dims)))

    def inside_tile(self) -> None:
        return None

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"parallel {' x '.join(names[dim] for dim in self.divided)}"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{', '.join(map(str, self.divided))}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return [tensor.integers(parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parser.parse_integer))]
