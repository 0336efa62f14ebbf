"""`compute_at`: a producer of a fused group is computed at each step of the reduction that reads it."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Scheduled, check_dims


@irdl_attr_definition
class ComputeAt(Directive):
    """Compute one position of a dimension at each step of the reduction that reads it: `compute_at<1>`.

    The computation is fused with the next one (`tile_and_fuse`), which alone reads its result, and sums over
    dimension 1 of it. Each step of this sum first computes the positions of the tile that it reads: the result holds
    one position along the dimension instead of all, so that it stays in registers or in the first cache.
    """

    name = "schedule.compute_at"

    dim: IntAttr

    @staticmethod
    def of(dim: int) -> "ComputeAt":
        """Compute one position of `dim` at a time."""
        return ComputeAt(IntAttr(dim))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        check_dims("compute_at", [self.dim.data], op, parallel=True)

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        dim = self.dim.data
        if not state.fused:
            raise VerifyException(f"{op.name}: compute_at wants a computation that is fused with its reader")
        if dim in (tile.dim for tile in state.fused) or dim == state.vector_dim or state.tile([dim]) != [1]:
            raise VerifyException(f"{op.name}: compute_at takes dimension {dim} one by one; tile another one")

    def decide(self, state: ScheduleState) -> None:
        state.computed_at = self.dim.data

    def renumber(self, mapping: Renumbering) -> "ComputeAt":
        return ComputeAt.of(mapping.dims(self.dim.data)[-1])

    def inside_tile(self) -> None:
        return None

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"compute one {names[self.dim.data]} at a time, where it is read"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.dim.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer())]
