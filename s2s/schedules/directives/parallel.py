"""`parallel`: the outermost loops of a computation are divided among threads."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import I64, DenseArrayBase
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from s2s.analysis.network.constants import calls_of
from s2s.analysis.network.functions import device_of
from s2s.analysis.tile_and_fuse.fused_groups import FusedGroup, fused_tiles
from s2s.analysis.tile_and_fuse.scheduled_kernel import ScheduledKernel, TileView
from s2s.dialects import tensor
from s2s.dialects.tensor import Directive, Renumbering, ScheduleState
from s2s.dialects.tensor.directive import Kernel, Machine, Scheduled, check_dims
from s2s.memory.distances import MAX_SPANS
from s2s.support.frozen import frozen
from s2s.types.affine import Range
from s2s.types.devices import MAIN
from s2s.types.symbols import enclosing_module


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

    def verify_in_kernel(self, op: Scheduled, state: ScheduleState, kernel: Kernel) -> None:
        assert isinstance(op, tensor.Computation)
        assert isinstance(kernel, ScheduledKernel)
        group = kernel.group_of(op)
        fault = _fault_of_callers(op) or _fault_of_sizes(group.ops)
        if fault is None:
            fault = _fault_of_fused(kernel, group) if group.depth else _fault_of_loops(kernel, op, state)
        if fault is not None:
            raise VerifyException(f"{op.name}: parallel: {fault}")

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


SMALLER = "make its tile smaller, or leave parallel out"


def _fault_of_callers(op: tensor.Computation) -> str | None:
    """Return why the threads, which belong to `main` on the first device, do not run the kernel around `op`."""
    kernel = op.parent_op()
    if not isinstance(kernel, FuncOp) or (module := enclosing_module(kernel)) is None:
        return None
    if (device := device_of(kernel)) != MAIN:
        return f"its kernel runs on {device}, and the threads are those of the first device; leave parallel out"
    callers = [call.parent_op() for call in calls_of(module).get(kernel.sym_name.data, [])]
    if any(isinstance(each, FuncOp) and each.sym_visibility is not None for each in callers):
        return (
            "a network that main runs in a loop or under a condition, or in row tiles, calls its kernel, and threads "
            "share the kernels that main calls; leave parallel out"
        )
    return None


def _fault_of_sizes(ops: Sequence[tensor.Computation]) -> str | None:
    """Return that a size varies: the number of iterations that threads share is a constant."""
    names = [name for op in ops if isinstance(op, tensor.ComputeOp) for name in op.sizes_at_run_time if name]
    return f"size {names[0]} varies; leave parallel out" if names else None


def _fault_of_fused(kernel: ScheduledKernel, group: FusedGroup) -> str | None:
    """Return why the loops over the tiles of a fused group cannot be divided; None if they can.

    Threads have copies of the scratch that only one loop uses. A shorter tile at the end is code of its own, which uses
    the same scratch.
    """
    views = [view for op in group.ops if isinstance(op, tensor.ComputeOp) for view in kernel.tiles(op)]
    transforms = any(isinstance(op, tensor.TransformOp) for op in group.ops)
    has_scratch = transforms or bool(group.inner) or any(_has_scratch(view) for view in views)
    for level in range(group.divided):
        if group.full(level) < 2:
            return f"there is one tile along fused dimension {level}; {SMALLER}"
        if group.rest(level) and (has_scratch or group.divided > 1):
            return f"the last tile along fused dimension {level} is shorter; take a divisor, or leave parallel out"
    faults = (
        _fault_of_spans(view, [view.tile.blocks + dim for dim, _ in fused_tiles(view.tile.whole)]) for view in views
    )
    return next(filter(None, faults), None)


def _has_scratch(view: TileView) -> bool:
    """Return whether a tile copies an operand, or keeps partial results."""
    return view.plan is not None or bool(view.schedule.blocked_reductions)


def _fault_of_spans(view: TileView, divided: Sequence[int]) -> str | None:
    """Return that one iteration writes too many separate spans around the dimensions `divided` to prove that
    iterations write apart; None if the proof holds.

    A tile of 5 x 5 in front of a divided dimension of 4 writes 25 single elements, 4 apart. The proof knows the hull of
    more than `MAX_SPANS` only, which the next iteration touches.
    """
    sizes, last = view.op.sizes, max(divided, default=0)
    tile = [_written_out(view, dim) for dim in range(view.op.rank)]
    around = [dim for dim in range(last) if dim not in divided and tile[dim] > 1]
    joined = next((dim for dim in reversed(range(view.op.rank)) if tile[dim] < sizes[dim]), 0)
    if not around or prod(tile[:joined]) <= MAX_SPANS:
        return None
    return f"a register tile writes many rows around dimension {last}; tile dimension {around[0]} by less"


def _written_out(view: TileView, dim: int) -> int:
    """Return the positions along `dim` that are written out side by side, in a loop or without one."""
    pieces = view.cuts.along(dim, view.tile.box)
    return max(sum(each.tile for each in pieces if each.count == 1), *(each.tile for each in pieces))


def _fault_of_loops(kernel: ScheduledKernel, op: tensor.Computation, state: ScheduleState) -> str | None:
    """Return why the outermost loops of a computation of its own cannot be divided; None if they can."""
    if not isinstance(op, tensor.ComputeOp):
        return "iterations of a transform share its scratch; leave parallel out"
    (view,) = kernel.tiles(op)
    if state.blocks:
        trips = [-(-state.sizes[dim] // size) for dim, size in state.blocks[: len(state.parallel)]]
        if max(trips) == 1:
            return f"cache blocks of dimension {state.parallel[0]} are one; {SMALLER}"
        return _fault_of_spans(view, state.parallel)
    box = view.tile.box
    looped = [dim for dim in state.parallel if any(piece.count > 1 for piece in view.cuts.along(dim, box))]
    return _fault_of_spans(view, looped) or _Loops(view, state.parallel).fault()


class _Part(NamedTuple):
    """A part of the code: whether its outermost loop is divided, and what is inside of this loop."""

    is_divided: bool
    depth: int
    """The dimensions around what is inside, counted in the order of loops."""
    box: Sequence[Range]


@frozen
class _Loops:
    """The loops of a computation without cache blocks, in their order: loops around, at and inside of the divided
    ones."""

    view: TileView
    divided: Sequence[int]

    def fault(self) -> str | None:
        """Return why the loops cannot be divided; None if they can."""
        order = [dim for dim in self.view.schedule.order if dim < self.view.op.rank]
        parts = list(self._parts(order, 0, self.view.tile.box))
        divided = [part for part in parts if part.is_divided]
        if not divided:
            return f"borders leave one iteration of dimension {self.divided[0]}; {SMALLER}"
        if len(parts) > 1 and any(self._copies_from(part.depth) for part in divided):
            return f"a border or a shorter tile cuts a loop in parts, which share a copy; {SMALLER}"
        return next(filter(None, (self._inside(order, part) for part in divided)), None)

    def _parts(self, order: Sequence[int], depth: int, box: Sequence[Range]) -> Iterator[_Part]:
        """Yield the parts of the code from dimension `order[depth]` on, each with its own outermost loop or none."""
        if depth == len(order):
            yield _Part(False, depth, box)
            return
        for piece in self.view.cuts.along(order[depth], box):
            inner = list(box)
            inner[order[depth]] = (piece.start, piece.stop - 1)
            if piece.count > 1:
                yield _Part(order[depth] in self.divided, depth + 1, inner)
            else:
                yield from self._parts(order, depth + 1, inner)

    def _inside(self, order: Sequence[int], outer: _Part) -> str | None:
        """Return what stands beside a divided loop inside of another one; None if nothing does."""
        parts = list(self._parts(order, outer.depth, outer.box))
        divided = next((part for part in parts if part.is_divided), None)
        if divided is None:
            return None
        dim = order[divided.depth - 1]
        if len(parts) > 1:
            return (
                f"a border or a shorter tile cuts dimension {dim}, inside of another divided loop; divide fewer loops"
            )
        if self._copies_from(outer.depth) and not self._copies_from(divided.depth):
            return f"a copy stands beside the loop over dimension {dim}; divide fewer loops"
        return self._inside(order, divided)

    def _copies_from(self, depth: int) -> bool:
        """Return whether a copy is made inside of the first `depth` loops."""
        return self.view.plan is not None and self.view.plan.depth >= depth
