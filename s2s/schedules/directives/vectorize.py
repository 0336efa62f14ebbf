"""`vectorize`: one dimension runs in vectors."""

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
class Vectorize(Directive):
    """Run one dimension in vectors: `vectorize<2 by 16>` for 16 lanes along dimension 2.

    Its register tile is a multiple of the lanes, by default one vector. It may be a reduction, if that is a sum,
    product, maximum or minimum: the lanes are combined last.
    """

    name = "schedule.vectorize"

    dim: IntAttr
    lanes: IntAttr

    @staticmethod
    def of(dim: int | None, lanes: int) -> "Vectorize | None":
        """`lanes` along `dim`; None for scalars."""
        return None if dim is None or lanes == 1 else Vectorize(IntAttr(dim), IntAttr(lanes))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        dim, lanes = self.dim.data, self.lanes.data
        check_dims("vectorize", [dim], op)
        if lanes < 2:
            raise VerifyException(f"{op.name}: vectorize {dim} by {lanes}; give two lanes or more")
        if state.vector_dim is not None:
            raise VerifyException(
                f"{op.name}: vectorize names dimension {dim} after {state.vector_dim}; one runs in vectors"
            )
        if state.tiles[dim] > 1 and state.tiles[dim] % lanes:
            raise VerifyException(
                f"{op.name}: a tile of {state.tiles[dim]} along dimension {dim} is no multiple of {lanes} lanes; tile "
                f"it by {-(-state.tiles[dim] // lanes) * lanes}"
            )

    def decide(self, state: ScheduleState) -> None:
        dim, state.lanes = self.dim.data, self.lanes.data
        state.vector_dim = dim
        if state.tiles[dim] == 1:
            state.tiles[dim] = state.lanes

    def renumber(self, mapping: Renumbering) -> "Vectorize":
        *_, inner = mapping.dims(self.dim.data)
        extent = mapping.extents(self.dim.data, self.lanes.data)[inner]
        if extent % self.lanes.data:
            raise VerifyException(f"{self.lanes.data} lanes do not fit blocks of {extent} of dimension {self.dim.data}")
        return Vectorize(IntAttr(inner), self.lanes)

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"{self.lanes.data} lanes along {names[self.dim.data]}"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.dim.data} by {self.lanes.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            dim = parser.parse_integer()
            parser.parse_keyword("by")
            return [IntAttr(dim), IntAttr(parser.parse_integer())]
