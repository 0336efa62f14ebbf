"""`tensorize`: an instruction takes several steps of a sum of products at once."""

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.tensor import Directive, ScheduleState
from s2s.dialects.tensor.directive import Scheduled

GROUPS = {"dot4": 4, "dot4_unsigned": 4, "dot8": 8, "dot16": 16}
"""Steps of a sum that each instruction takes."""


@irdl_attr_definition
class Tensorize(Directive):
    """Add up products of bytes in groups, all steps of the reduction as one: `tensorize<"dot4">`.

    One factor is a constant packed so that a group lies side by side, the other is copied so by `cache_read` or lies so
    by itself. With a vector of results a group of four is the bytes of a lane, and runs over those last reductions
    alone through which the other factor moves evenly; a larger one is part of a row. `dot4_unsigned` takes the other
    factor with 128 added, which `init_from` takes off again.
    """

    name = "schedule.tensorize"

    intrinsic: StringAttr

    @staticmethod
    def of(intrinsic: str) -> "Tensorize":
        """Use the instruction of this name."""
        return Tensorize(StringAttr(intrinsic))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        name = self.intrinsic.data
        if name not in GROUPS:
            raise VerifyException(f"{op.name}: tensorize names {name!r}; known are {', '.join(GROUPS)}")
        if name.endswith("unsigned") and state.vector_dim is None:
            raise VerifyException(f"{op.name}: {name} makes a vector of results; vectorize a dimension before it")

    def decide(self, state: ScheduleState) -> None:
        state.intrinsic = self.intrinsic.data
        state.group = GROUPS.get(self.intrinsic.data, 1)
        state.is_unsigned = self.intrinsic.data.endswith("unsigned")

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"products in groups of {state.group}"]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.intrinsic)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_str_literal())]
