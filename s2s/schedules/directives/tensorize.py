"""`tensorize`: an instruction takes several steps of a sum of products at once."""

from collections.abc import Iterator, Sequence

from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.structure.biases import fault_of_pairs
from s2s.analysis.structure.products import product_sum, wide_product_sum
from s2s.analysis.structure.raw_bytes import fault_of_raw_bytes
from s2s.analysis.tile_and_fuse.intrinsic_operands import fault_of_operands, raw_factor
from s2s.analysis.tile_and_fuse.scheduled_kernel import ScheduledKernel
from s2s.dialects import tensor
from s2s.dialects.intrinsic import IntrinsicAttr
from s2s.dialects.tensor import Directive, ScheduleState
from s2s.dialects.tensor.directive import Kernel, Machine, Scheduled
from s2s.targets import Target
from s2s.targets.intrinsic import LANES, Intrinsic
from s2s.targets.intrinsics import INTRINSICS

WITH_TAPS = {"dot_next": "next_intrinsic", "dot_two": "two_intrinsic"}
"""The forms that go with `dot_taps`, and where a schedule's state keeps their intrinsic."""
ONE_SUM = ("dot", "dot_pairs", "dot_points", "dot_taps", *WITH_TAPS, "dot_window", "dot_strips")
"""The forms that give one sum, not a vector of them."""


@irdl_attr_definition
class Tensorize(Directive):
    """Add up products of bytes in groups, all steps of the reduction as one: `tensorize<"smlad">`.

    The name is that of an entry of the table of intrinsics; one from a target file is written with its facts, as in
    `tensorize<"dot32", dot_rows(i8, i8) by 32, "my_dot32" in "my_core.h">`. One factor is a constant packed so that a
    group lies side by side, the other is copied so by `cache_read` or lies so by itself. Form `dot` gives one sum.
    Form `dot_pairs`, which `tensor-shorten-products` puts in its place, does that with constants in pairs of bytes.
    Form `dot_points` does it by halves of groups, of all points of a tile before the other halves.
    Form `dot_taps` gives the sum of up to three taps of a row of a sliding window, form `dot_next`, named behind it,
    that of the next position from the same elements, form `dot_two` that of two more taps of longer rows.
    Form `dot_window` gives the sum of a whole window, bytes in a copy, each row of taps one group or several.
    Form `dot_lanes` gives a vector of results: a group is the four bytes of a lane, or two numbers of 16 bits, and runs
    over those last reductions alone through which the other factor moves evenly. So do `dot_rows` and `dot_half_rows`,
    whose groups are parts of rows. Unsigned first factors are taken with 128 added, which `init_from` takes off again.
    Form `dot_strips` gives one sum of bytes, or along the dimension that `strip_mine` names a vector of sums.
    """

    name = "schedule.tensorize"

    intrinsic: IntrinsicAttr

    @staticmethod
    def of(intrinsic: Intrinsic) -> "Tensorize":
        """Use this instruction."""
        return Tensorize(attribute_of(intrinsic))

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        if isinstance(op, tensor.ComputeOp) and any(op.sizes_at_run_time[op.rank :]):
            raise VerifyException(f"{op.name}: tensorize wants a reduction of constant size; leave it out")
        name, one = self.intrinsic.entry.data, self.intrinsic.form.data in ONE_SUM
        if self.intrinsic.form.data in WITH_TAPS and not state.in_taps:
            raise VerifyException(f"{op.name}: {name} goes with an intrinsic of form dot_taps; name that before it")
        if not one and state.vector_dim is None:
            raise VerifyException(f"{op.name}: {name} makes a vector of results; vectorize a dimension before it")
        if one and state.vector_dim is not None:
            raise VerifyException(f"{op.name}: {name} makes one result; take an intrinsic of vectors, or no vectorize")

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        name, form = self.intrinsic.entry.data, self.intrinsic.form.data
        wide = wide_product_sum(op) if isinstance(op, tensor.ComputeOp) else None
        products = wide or (product_sum(op) if isinstance(op, tensor.ComputeOp) else None)
        if not isinstance(op, tensor.ComputeOp) or products is None:
            raise VerifyException(
                f"{op.name}: {name} adds up products of 8-bit integers, and there are none; leave it out"
            )
        if wide is not None and not _is_wide(self.intrinsic):
            raise VerifyException(f"{op.name}: {name} multiplies bytes, and factors have 16 bits; take one by i16")
        unsigned = next((each.read for each in (products.left, products.right) if each.unsigned), None)
        if unsigned is not None and self.intrinsic.w.data != "u8":
            raise VerifyException(
                f"{op.name}: {name} multiplies bytes with a sign, and those of operand {unsigned} have none; take an "
                "intrinsic by u8"
            )
        if form == "dot_half_rows" and products.half != op.rank:
            raise VerifyException(f"{op.name}: {name} multiplies by halves of bytes, of which no dimension counts both")
        if self.intrinsic.w.data == "u8" and products.unsigned is None:
            raise VerifyException(f"{op.name}: {name} multiplies by bytes without a sign, and both factors have one")
        if state.lanes not in LANES[form]:
            raise VerifyException(
                f"{op.name}: {name} has no form with {state.lanes} lanes; there are {', '.join(map(str, LANES[form]))}"
            )
        if state.cached is not None and state.cached.widened != (self.intrinsic.x.data == "i16"):
            wanted = "i16" if self.intrinsic.x.data == "i16" else "i8"
            raise VerifyException(
                f"{op.name}: {name} takes its first factor as {wanted}; copy it so, or leave it in place"
            )
        if (
            wide is None
            and state.cached is None
            and form in ("dot_rows", "dot_lanes")
            and self.intrinsic.x.data == "i16"
        ):
            raise VerifyException(f"{op.name}: {name} takes 16 bits in memory; copy the first factor with cache_read")
        guarded = [number for number, each in enumerate(op.read_accesses) if each.is_guarded]
        if any(state.cached is None or number != state.cached.read for number in guarded):
            raise VerifyException(
                f"{op.name}: {name} reads operand {guarded[0]} without tests, which may miss it; copy it with "
                "cache_read"
            )

    def verify_in_kernel(self, op: Scheduled, state: ScheduleState, kernel: Kernel) -> None:
        if self.intrinsic != state.intrinsic:
            return
        assert isinstance(op, tensor.ComputeOp)
        assert isinstance(kernel, ScheduledKernel)
        tiles = kernel.tiles(op)
        found = [fault_of_raw_bytes(op, state, kernel.constants, raw_factor(tiles[0]))]
        if state.in_taps:
            from s2s.analysis.structure.taps import fault_of_taps

            found.append(fault_of_taps(op, kernel.constants))
        if state.in_pairs:
            found.append(fault_of_pairs(op, kernel.constants))
        found += map(fault_of_operands, tiles)
        fault = next((each for each in found if each is not None), None)
        if fault is not None:
            raise VerifyException(f"{op.name}: {self.intrinsic.entry.data}: {fault}")

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        if isinstance(op, tensor.ComputeOp) and isinstance(machine, Target) and product_sum(op) is not None:
            yield from (cls.of(each) for each in machine.intrinsics if each.form not in ("dot_pairs", "dot_points"))

    def decide(self, state: ScheduleState) -> None:
        setattr(state, WITH_TAPS.get(self.intrinsic.form.data, "intrinsic"), self.intrinsic)

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        if self.intrinsic.form.data in WITH_TAPS:
            return []
        pairs = " with constants packed in pairs of bytes" if state.in_pairs else ""
        points = ", by halves for all points" if state.by_points else ""
        return [f"dot products of {state.group}{pairs}{points}"]

    def print_parameters(self, printer: Printer) -> None:
        if self.intrinsic != _entry(self.intrinsic.entry.data):
            self.intrinsic.print_parameters(printer)
            return
        with printer.in_angle_brackets():
            printer.print_attribute(self.intrinsic.entry)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            name = parser.parse_str_literal()
            if parser.parse_optional_punctuation(","):
                return [IntrinsicAttr.parse_facts(name, parser)]
        entry = _entry(name)
        if entry is None:
            parser.raise_error(f"there is no intrinsic {name!r}; known are {', '.join(INTRINSICS)}")
        return [entry]


def attribute_of(each: Intrinsic) -> IntrinsicAttr:
    """Return the facts of an intrinsic that lowerings want."""
    return IntrinsicAttr.of(each.name, each.form, each.x, each.w, each.group, each.function, each.header)


def _is_wide(intrinsic: IntrinsicAttr) -> bool:
    """Return whether both factors of an intrinsic are loaded as 16 bits."""
    return intrinsic.form.data in ("dot", "dot_lanes") and (intrinsic.x.data, intrinsic.w.data) == ("i16", "i16")


def _entry(name: str) -> IntrinsicAttr | None:
    """Return the entry of the table that has this name."""
    return attribute_of(INTRINSICS[name]) if name in INTRINSICS else None
