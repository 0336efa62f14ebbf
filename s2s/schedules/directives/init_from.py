"""`init_from`: sums start from an operand of the epilogue."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, i32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.structure.products import product_sum
from s2s.dialects import tensor
from s2s.dialects.tensor import Directive, ScheduleState
from s2s.dialects.tensor.directive import Scheduled


@irdl_attr_definition
class InitFrom(Directive):
    """Let sums of products of bytes start from an operand of the epilogue: `init_from<1>`.

    Where the bytes are multiplied as they are, zero point included, its elements take off what that adds: the zero
    point times the sum of the constants. `tensor-fold-zero-points-into-inits` adds operand and directive.
    """

    name = "schedule.init_from"

    point: IntAttr

    @staticmethod
    def of(point: int) -> "InitFrom":
        """Start from operand `point` of the epilogue."""
        return InitFrom(IntAttr(point))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        count = len(op.epilogue) if isinstance(op, tensor.ComputeOp) else 0
        if not 0 <= self.point.data < count:
            raise VerifyException(f"{op.name}: init_from names operand {self.point.data} of {count} of the epilogue")

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        assert isinstance(op, tensor.ComputeOp)
        operand = op.apply.block.args[len(op.inits) + self.point.data]
        if operand.uses or operand.type != i32 or product_sum(op) is None:
            raise VerifyException(
                f"{op.name}: init_from names operand {self.point.data} of the epilogue, which is no initial value that "
                "only sums of products use; leave it out, tensor-fold-zero-points-into-inits adds it where it is needed"
            )
        if not state.takes_raw_bytes:
            raise VerifyException(
                f"{op.name}: init_from takes a zero point off bytes, but no raw bytes are multiplied; leave it out"
            )

    def decide(self, state: ScheduleState) -> None:
        state.init_from = self.point.data

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.point.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer())]
