"""`cache_read`: an operand is read from a copy made for its kernel."""

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.products import product_sum
from s2s.analysis.structure.raw_bytes import fault_of_raw_bytes
from s2s.analysis.tile_and_fuse.intrinsic_operands import fault_of_operands
from s2s.analysis.tile_and_fuse.scheduled_kernel import ScheduledKernel
from s2s.dialects import tensor
from s2s.dialects.tensor import CachedRead, Directive, PackedAxis, Renumbering, ScheduleState
from s2s.dialects.tensor.attributes import layout_of, parse_layout
from s2s.dialects.tensor.directive import Kernel, Machine, Scheduled, check_dims
from s2s.types.affine import bounds, is_dim, linear, ranges

WIDENED, BYTES, PACKED = "i16", "i8", "packed"
NONE = -1


@irdl_attr_definition
class CacheRead(Directive):
    """Copy an operand before it is used.

        cache_read<0 at 2 as i16>       inside the loop over dimension 2, what the loops inside need of operand 0 is
                                        copied to scratch, widened to 16 bits, its zero point taken off and padding
                                        stored as zeros
        cache_read<0 as i8>             before all loops, the bytes as they are, padding stored as the zero point;
                                        `init_from` takes off what that adds
        cache_read<1 packed [0 floordiv 8, 1, 0 mod 8]>
                                        operand 1, a constant, is laid out so on the host: blocks of 8 along axis 0

    If the loops inside do not move along the operand, the copy is one row for each point of the register tile, with the
    whole reduction in its order; else it is the window that they move in.
    """

    name = "schedule.cache_read"

    operand: IntAttr
    dim: IntAttr
    form: StringAttr
    layout: StringAttr

    @staticmethod
    def of(read: int, dim: int | None, *, widened: bool) -> "CacheRead":
        """Copy `read` inside the loop over `dim`, or before all loops."""
        form = StringAttr(WIDENED if widened else BYTES)
        return CacheRead(IntAttr(read), IntAttr(NONE if dim is None else dim), form, StringAttr(""))

    @staticmethod
    def packed(operand: int, axes: Sequence[PackedAxis]) -> "CacheRead":
        """Lay constant number `operand` out as `axes`, outermost first."""
        return CacheRead(IntAttr(operand), IntAttr(NONE), StringAttr(PACKED), StringAttr(", ".join(map(str, axes))))

    @property
    def is_packed(self) -> bool:
        """Whether the copy is made on the host."""
        return self.form.data == PACKED

    @property
    def at(self) -> int | None:
        """The dimension inside whose loop the copy is made; None: before all loops."""
        return None if self.dim.data == NONE else self.dim.data

    @property
    def axes(self) -> tuple[PackedAxis, ...]:
        """The layout of a packed constant."""
        return layout_of(self.layout.data)

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        operand = self.operand.data
        if not isinstance(op, tensor.ComputeOp):
            raise VerifyException(f"{op.name}: cache_read names operand {operand}; a transform has a strip of its own")
        if self.is_packed:
            count = len(op.operands)
            if not 0 <= operand < count:
                raise VerifyException(f"{op.name}: cache_read packs operand {operand} of {count}")
            _check_layout(op, operand, self.axes)
            if any(operand == number for number, _ in state.packs):
                raise VerifyException(f"{op.name}: cache_read packs operand {operand} twice; pack it once")
            return
        if not 0 <= operand < len(op.reads):
            raise VerifyException(f"{op.name}: cache_read copies read {operand} of {len(op.reads)}")
        if self.at is not None:
            check_dims("cache_read", [self.at], op, parallel=True)
        if state.cached is not None:
            raise VerifyException(f"{op.name}: cache_read copies read {operand} after {state.cached.read}; copy one")

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        if self.is_packed or not isinstance(op, tensor.ComputeOp):
            return
        read = self.operand.data
        if product_sum(op) is None:
            raise VerifyException(
                f"{op.name}: cache_read copies read {read} of what is no sum of products of 8-bit integers; "
                "leave it out"
            )
        rows, other = self._copies_rows(op, state), op.read_accesses[1 - read]
        if any(divisor > 1 for divisor in op.read_accesses[read].division):
            raise VerifyException(f"{op.name}: cache_read copies read {read}, whose position is divided; leave it out")
        if rows and other.is_guarded:
            raise VerifyException(
                f"{op.name}: cache_read copies rows of read {read}, but read {1 - read} may miss its operand; copy "
                "that one, or leave it out"
            )
        if rows and any(op.sizes_at_run_time[op.rank :]):
            raise VerifyException(f"{op.name}: cache_read copies rows of a reduction whose size varies; leave it out")
        if not rows and not _starts_window(op, read, state.order[: state.cache_depth]):
            raise VerifyException(
                f"{op.name}: cache_read copies a window of read {read}, in which the loops inside do not move forward; "
                "leave it out"
            )
        if state.vector_dim is not None and state.intrinsic is None:
            raise VerifyException(
                f"{op.name}: cache_read copies read {read} for scalars, but dimension {state.vector_dim} runs in "
                "vectors; tensorize it, or leave one of them out"
            )
        tiled = [dim for dim in state.order[: state.cache_depth] if state.tile([dim]) != [1]]
        if tiled and not self._copies_rows(op, state):
            raise VerifyException(
                f"{op.name}: cache_read copies the window of one point, but dimension {tiled[0]} around it is tiled; "
                "copy before its loop, or leave its tile out"
            )

    def verify_in_kernel(self, op: Scheduled, state: ScheduleState, kernel: Kernel) -> None:
        assert isinstance(op, tensor.ComputeOp)
        operand = self.operand.data
        if self.is_packed:
            if op.operands[operand] not in kernel.constants:
                raise VerifyException(
                    f"{op.name}: cache_read packs operand {operand}, which is no constant of this kernel; leave it as "
                    "it is"
                )
            return
        fault = fault_of_raw_bytes(op, state, kernel.constants)
        if state.intrinsic is None and isinstance(kernel, ScheduledKernel):
            faults = (fault_of_operands(view) for view in kernel.tiles(op))
            fault = fault or next((each for each in faults if each is not None), None)
        if fault is not None:
            raise VerifyException(f"{op.name}: cache_read of read {operand}: {fault}")

    def _copies_rows(self, op: tensor.ComputeOp, state: ScheduleState) -> bool:
        """Return whether the loops inside move along the operand in the reduction only."""
        used = {dim for expr in op.read_accesses[self.operand.data].map.data.results for dim in expr.used_dims()}
        return all(dim >= op.rank for dim in used if dim not in state.order[: state.cache_depth])

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        if not isinstance(op, tensor.ComputeOp):
            return
        for read in range(len(op.reads)):
            yield from _panels(op, read, machine)
        if product_sum(op) is not None:
            places = [(read, dim) for read in range(len(op.reads)) for dim in (None, *range(op.rank))]
            yield from (cls.of(read, dim, widened=widened) for widened in (True, False) for read, dim in places)

    def decide(self, state: ScheduleState) -> None:
        if self.is_packed:
            state.packs.append((self.operand.data, self.axes))
        else:
            state.cached = CachedRead(self.operand.data, self.at, widened=self.form.data == WIDENED)

    def renumber(self, mapping: Renumbering) -> "CacheRead":
        if self.is_packed:
            return self
        dims = mapping.inserted if self.at is None else mapping.dims(self.at)
        return CacheRead.of(self.operand.data, dims[-1] if dims else None, widened=self.form.data == WIDENED)

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        if self.is_packed or not isinstance(op, tensor.ComputeOp):
            return []
        what = "im2col rows" if self._copies_rows(op, state) else "the window that the inner loops read"
        changes = [" widened to 16 bits"] * (self.form.data == WIDENED) + [" with 128 added"] * state.is_unsigned
        outer = state.order[: state.cache_depth]
        steps = dict(zip(outer, state.tile(outer), strict=True))
        repeated = [dim for dim in outer if op.sizes[dim] > steps[dim]][-1:]
        once = [f", once per {'tile of ' if steps[dim] > 1 else ''}{names[dim]}" for dim in repeated]
        return [f"copy {what}{' and'.join(changes)} to scratch{''.join(once)}"]

    def print_parameters(self, printer: Printer) -> None:
        if self.is_packed:
            printer.print_string(f"<{self.operand.data} packed [{self.layout.data}]>")
            return
        place = "" if self.at is None else f" at {self.at}"
        printer.print_string(f"<{self.operand.data}{place} as {self.form.data}>")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            operand = parser.parse_integer()
            if parser.parse_optional_keyword(PACKED):
                made = cls.packed(operand, parse_layout(parser))
            else:
                dim = parser.parse_integer() if parser.parse_optional_keyword("at") else None
                parser.parse_keyword("as")
                widened = parser.parse_optional_keyword(WIDENED) is not None
                if not widened:
                    parser.parse_keyword(BYTES)
                made = cls.of(operand, dim, widened=widened)
        return made.parameters


def _panels(op: tensor.ComputeOp, read: int, machine: Machine) -> Iterator[CacheRead]:
    """Layouts of a constant in panels along an axis that a parallel dimension moves along, one or two vectors wide;
    the other axes follow in the order of the reductions."""
    results = op.read_accesses[read].map.data.results
    moving = {axis: expr.position for axis, expr in enumerate(results) if is_dim(expr)}
    own = [axis for axis, dim in moving.items() if dim < op.rank]
    if len(own) != 1 or len(moving) < len(results):
        return
    (axis,) = own
    others = [PackedAxis((each,)) for each in sorted(set(moving) - {axis}, key=lambda each: moving[each])]
    for width in sorted({4, machine.lanes, 2 * machine.lanes} - {1, 2}):
        yield CacheRead.packed(read, [PackedAxis.blocks(axis, width), *others, PackedAxis.place(axis, width)])


def _check_layout(op: tensor.ComputeOp, operand: int, axes: Sequence[PackedAxis]) -> None:
    """Refuse a layout of a constant that loses elements, or names axes that there are not."""
    if operand >= len(op.accesses):
        raise VerifyException(f"{op.name}: cache_read packs operand {operand}, a table; leave it as it is")
    if op.accesses.data[operand].is_guarded:
        raise VerifyException(f"{op.name}: cache_read packs operand {operand}, which reads may miss; leave it as it is")
    shape = shape_of(op.operands[operand])
    groups = list(dict.fromkeys(each.axes for each in axes))
    if sorted(axis for group in groups for axis in group) != list(range(len(shape))):
        raise VerifyException(
            f"{op.name}: cache_read lays operand {operand} out as [{', '.join(map(str, axes))}], which does not name "
            f"each of its {len(shape)} axes once; name them all"
        )
    for group in groups:
        size = prod(shape[axis] for axis in group)
        reached = 1
        for each in sorted((each for each in axes if each.axes == group), key=lambda each: each.divisor):
            if each.divisor != reached:
                raise VerifyException(
                    f"{op.name}: cache_read lays operand {operand} out with the digit {each} where one of {reached} "
                    "elements is next; take digits one after the other"
                )
            reached *= each.modulus or -(-size // each.divisor)
        if reached < size:
            raise VerifyException(
                f"{op.name}: cache_read keeps {reached} of the {size} elements along axes {list(group)} of operand "
                f"{operand}; name their blocks too"
            )


def _starts_window(op: tensor.ComputeOp, read: int, outer: Sequence[int]) -> bool:
    """Return whether the loops inside of `outer` begin at the first element of the window of a read, wherever that is.

    With `i` outside and `r` inside, `(2 * i + r)` begins at `2 * i`. `(i - r)` ends there, and `(i + r) mod 5` may
    begin in the middle.
    """
    box = [(0, 0) if dim in outer else span for dim, span in enumerate(ranges(op.sizes))]
    for expr in op.read_accesses[read].map.data.results:
        for atom, factor in linear(expr, ranges(op.sizes)).terms.items():
            inside = atom.used_dims() - set(outer)
            if inside and (factor < 0 or (len(inside) < len(atom.used_dims()))):
                return False
            if inside and bounds(atom, box)[0] < atom.eval([0] * len(box), []):
                return False
    return True


def without_packs(schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr:
    """Return `schedule` without the packing of constants, once that is done."""
    return tensor.ScheduleAttr.of(
        each for each in schedule.directives if not (isinstance(each, CacheRead) and each.is_packed)
    )


def moved_copy(schedule: tensor.ScheduleAttr, copy: CacheRead) -> tensor.ScheduleAttr:
    """Return `schedule` with `copy` in place of the copy that it makes at run time."""
    return tensor.ScheduleAttr.of(
        copy if isinstance(each, CacheRead) and not each.is_packed else each for each in schedule.directives
    )
