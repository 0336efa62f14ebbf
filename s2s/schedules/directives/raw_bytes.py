"""`raw_bytes`: bytes are multiplied as they are stored, in place; `init_from`: sums start from an operand."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IntAttr, i32
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.structure.products import product_sum
from s2s.analysis.structure.raw_bytes import fault_of_raw_bytes
from s2s.dialects import tensor
from s2s.dialects.tensor import Directive, ScheduleState
from s2s.dialects.tensor.directive import Kernel, Machine, Scheduled


@irdl_attr_definition
class RawBytes(Directive):
    """Multiply the bytes of an operand as they are stored, in place, step by step: `raw_bytes<0>`.

    Padding counts as the zero point, so that each sum has all its products; `init_from` takes off what the zero point
    adds to them. With the zero point 3, a row of bytes 5, 7 behind one of padding and the constants 1, 2, 4:

        (5 - 3) * 2 + (7 - 3) * 4  =  3 * 1 + 5 * 2 + 7 * 4  -  3 * (1 + 2 + 4)
    """

    name = "schedule.raw_bytes"

    operand: IntAttr

    @staticmethod
    def of(read: int) -> "RawBytes":
        """Multiply the bytes of `read` as they are stored."""
        return RawBytes(IntAttr(read))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        count = len(op.reads) if isinstance(op, tensor.ComputeOp) else 0
        if not 0 <= self.operand.data < count:
            raise VerifyException(f"{op.name}: raw_bytes names read {self.operand.data} of {count}")

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        read = self.operand.data
        if not isinstance(op, tensor.ComputeOp) or product_sum(op) is None:
            raise VerifyException(f"{op.name}: raw_bytes names read {read} of what is no sum of products; leave it out")
        if state.cached is not None or state.intrinsic is not None or state.partials is not None:
            raise VerifyException(
                f"{op.name}: raw_bytes takes read {read} in place, step by step; leave it out, or cache_read, "
                "tensorize and rfactor"
            )
        if op.read_accesses[1 - read].is_guarded:
            raise VerifyException(f"{op.name}: raw_bytes names read {read}, but read {1 - read} may miss its operand")

    def verify_in_kernel(self, op: Scheduled, state: ScheduleState, kernel: Kernel) -> None:
        assert isinstance(op, tensor.ComputeOp)
        fault = fault_of_raw_bytes(op, state, kernel.constants)
        if fault is not None:
            raise VerifyException(f"{op.name}: raw_bytes of read {self.operand.data}: {fault}")

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        if isinstance(op, tensor.ComputeOp) and product_sum(op) is not None:
            yield from map(cls.of, range(len(op.reads)))

    def decide(self, state: ScheduleState) -> None:
        state.raw = self.operand.data

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return ["multiply bytes as they are stored"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.operand.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer())]


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
