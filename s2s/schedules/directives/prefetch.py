"""`prefetch`: a read is brought into a cache ahead of its use."""

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import IntAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.dialects import tensor
from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Machine, Scheduled, check_dims


@irdl_attr_definition
class Prefetch(Directive):
    """Bring what a read needs in the next step of a loop into a cache during this one: `prefetch<1 along 2>`.

    Along a parallel dimension, one line follows the other at every step of the loops inside; along a reduction, all
    come at the head of its loop.
    """

    name = "schedule.prefetch"

    read: IntAttr
    dim: IntAttr

    @staticmethod
    def of(read: int, dim: int) -> "Prefetch":
        """Prefetch `read` along `dim`."""
        return Prefetch(IntAttr(read), IntAttr(dim))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        check_dims("prefetch", [self.dim.data], op)
        if not isinstance(op, tensor.ComputeOp) or not 0 <= self.read.data < len(op.reads):
            count = len(op.reads) if isinstance(op, tensor.ComputeOp) else 0
            raise VerifyException(f"{op.name}: prefetch names read {self.read.data} of {count}; name a read")
        if op.read_accesses[self.read.data].is_guarded:
            raise VerifyException(
                f"{op.name}: prefetch names read {self.read.data}, which may miss its operand; leave it out"
            )

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        if isinstance(op, tensor.ComputeOp):
            yield from (cls.of(read, dim) for read in range(len(op.reads)) for dim in range(len(op.sizes)))

    def decide(self, state: ScheduleState) -> None:
        state.prefetches.append((self.read.data, self.dim.data))

    def renumber(self, mapping: Renumbering) -> "Prefetch":
        return Prefetch(self.read, IntAttr(mapping.dims(self.dim.data)[-1]))

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        return [f"prefetch along {names[self.dim.data]}"]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.read.data} along {self.dim.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            read = parser.parse_integer()
            parser.parse_keyword("along")
            return [IntAttr(read), IntAttr(parser.parse_integer())]
