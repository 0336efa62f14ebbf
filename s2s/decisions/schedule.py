"""The schedule of a computation: how its loops are tiled, ordered and vectorised, and what they copy.

Its subject is named by the task key of the kernel and the computation's number in it. A schedule is written as the text
of its attribute.
"""

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property, partial
from math import prod

from xdsl.context import Context
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError, VerifyException

from s2s.analysis.structure.compute import moves_only, names_of
from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, Kind, Refused
from s2s.decisions.names import Prefer
from s2s.dialects import tensor
from s2s.schedules.block_products import block_products
from s2s.schedules.byte_products import byte_products
from s2s.schedules.default import Choice, Declined, candidates, long_reduction, schedule_along, why_no_strips
from s2s.schedules.integer_products import integer_products
from s2s.schedules.reduction_blocks import BlockedReduction, cycles_of_blocks
from s2s.schedules.transforms import (
    FusedStep,
    FusedTiles,
    copy_schedule,
    fused_step,
    in_fused_tiles,
    transform_schedule,
)
from s2s.schedules.vector_products import vector_products
from s2s.schedules.wide_products import wide_products
from s2s.support.frozen import frozen
from s2s.targets import Target

GIVEN = "an earlier pass"
"""What decides where a computation has its schedule before schedules are picked."""


@frozen
class ScheduledComputation:
    """A computation that needs a schedule."""

    op: tensor.Computation
    kernel: FuncOp
    key: str
    number: int
    nodes: str
    constants: frozenset[SSAValue]
    """The arguments of the kernel whose layout may be chosen."""
    fused: FusedTiles = ()
    """The tiles that the kernel computes together with neighbouring computations."""
    threads: int = 1
    """The threads that will share the kernel."""
    plain: bool = False
    """Whether plain loops are wanted."""
    kernel_refuses: Callable[[tensor.ScheduleAttr], str | None] = field(default=lambda _: None)
    """Why the kernel around the computation does not allow a schedule."""

    @cached_property
    def step(self) -> FusedStep:
        """The computation as one step of the fused loop computes it."""
        return fused_step(self.op, self.fused, self.constants)

    def in_tiles(self, schedule: tensor.ScheduleAttr) -> tensor.ScheduleAttr:
        """Return a schedule of one step for all of the computation."""
        return in_fused_tiles(self.op, schedule, self.fused, self.constants)


_Proposals = Sequence[Candidate[tensor.ScheduleAttr] | Refused]


class ScheduleKind(Kind[ScheduledComputation, tensor.ScheduleAttr]):
    """Schedules of computations."""

    name = "schedule"

    def __init__(self, context: Context) -> None:
        """Allow schedules the directives of the dialects that `context` has loaded."""
        self._context = context

    def heuristics(self) -> Sequence[tuple[str, Heuristic[ScheduledComputation, tensor.ScheduleAttr]]]:
        return _HEURISTICS

    def key(self, subject: ScheduledComputation) -> str:
        return subject.key

    def home(self, subject: ScheduledComputation) -> Operation:
        return subject.kernel

    def about(self, subject: ScheduledComputation) -> str:
        name = subject.kernel.sym_name.data
        return name if subject.key.find("/") < 0 else f"{name} computation {subject.number}"

    def nodes(self, subject: ScheduledComputation) -> str:
        return subject.nodes

    def legal(self, subject: ScheduledComputation, choice: tensor.ScheduleAttr) -> str | None:
        op = subject.op
        before = op.schedule
        op.properties["schedule"] = choice
        try:
            op.verify_()
        except VerifyException as error:
            return str(error)
        finally:
            _restore(op, before)
        return _packs_constants(subject, choice) or _keeps_fused_tiles(subject, choice)

    def legal_from_outside(self, subject: ScheduledComputation, choice: tensor.ScheduleAttr) -> str | None:
        return self.legal(subject, choice) or subject.kernel_refuses(choice)

    def apply(self, subject: ScheduledComputation, choice: tensor.ScheduleAttr) -> None:
        subject.op.properties["schedule"] = choice

    def text(self, choice: tensor.ScheduleAttr) -> str:
        return str(choice)

    def parse(self, subject: ScheduledComputation, text: str) -> tensor.ScheduleAttr:
        try:
            found = Parser(self._context, text).parse_attribute()
        except (ParseError, VerifyException) as error:
            raise ValueError(" ".join(str(error).split())) from error
        if not isinstance(found, tensor.ScheduleAttr):
            raise ValueError("it is no #tensor.schedule<…>")
        return found

    def estimate(self, subject: ScheduledComputation, choice: tensor.ScheduleAttr, target: Target) -> Cost | None:
        op, step = subject.op, subject.step
        if isinstance(step.op, tensor.TransformOp):
            return None
        state = choice.on(op)
        if state.strip_dim is not None:
            return Cost(cycles=prod(op.sizes) / (target.scalable_bits // 8) + cycles_of_blocks(None, state))
        if state.group > 1:
            return Cost(cycles=prod(op.sizes) / (state.group * state.lanes) + cycles_of_blocks(None, state))
        alike = [each for each in candidates(step.op, target, step.constants) if _runs_as(each, state)]
        costs = [(each.cost, each) for each in alike if isinstance(each, Choice)]
        if not costs:
            return None
        cost, cheapest = min(costs, key=lambda each: each[0])
        memory = cycles_of_blocks(long_reduction(step.op, target, cheapest), state)
        return Cost(cycles=cost * prod(op.sizes[: step.op.rank]) + memory)


def _restore(op: tensor.Computation, schedule: tensor.ScheduleAttr | None) -> None:
    if schedule is None:
        del op.properties["schedule"]
    else:
        op.properties["schedule"] = schedule


def _packs_constants(subject: ScheduledComputation, choice: tensor.ScheduleAttr) -> str | None:
    """Return why the operands that `choice` packs cannot be packed; None if they can."""
    operands = subject.op.operands
    for number, _ in choice.on(subject.op).packs:
        if operands[number] not in subject.constants:
            return f"operand {number} is no constant of this kernel, so that it cannot be packed on the host"
    return None


def _keeps_fused_tiles(subject: ScheduledComputation, choice: tensor.ScheduleAttr) -> str | None:
    """Return why `choice` does not fit the blocks of the kernel's fused loops; None if it does."""
    before = subject.op.schedule
    wanted = subject.fused if before is None or before.states_tiles else before.on(subject.op).fused
    if choice.on(subject.op).fused == wanted:
        return None
    words = " and ".join(f"{tile.dim} by {tile.size}" for tile in wanted) or "none"
    return f"the computations of this kernel run together in blocks ({words}), which a schedule cannot change"


def _runs_as(each: Choice | Declined, state: tensor.ScheduleState) -> bool:
    """Return whether a candidate uses the vectors of a schedule."""
    lanes = state.lanes
    return isinstance(each, Choice) and each.lanes == lanes and (lanes == 1 or each.dim == state.vector_dim)


def _found(subject: ScheduledComputation, schedule: tensor.ScheduleAttr | None, note: str) -> _Proposals:
    """Return the single proposal `schedule`, over the blocks of the kernel."""
    if schedule is None:
        return []
    return [Candidate(lambda: subject.in_tiles(schedule), note)]


def _plain(subject: ScheduledComputation, target: Target) -> _Proposals:
    if not subject.plain or isinstance(subject.op, tensor.TransformOp):
        return []
    return _found(subject, tensor.ScheduleAttr.of(), "one loop a dimension")


def _given(subject: ScheduledComputation, target: Target) -> _Proposals:
    schedule = subject.op.schedule
    if schedule is None or schedule.states_tiles:
        return []
    return [Candidate(lambda: schedule, "as the pass that rewrote the kernel has set it")]


def _transforms(subject: ScheduledComputation, target: Target) -> _Proposals:
    step = subject.step.op
    if not isinstance(step, tensor.TransformOp):
        return []
    threads = 1 if subject.fused else subject.threads
    return _found(subject, transform_schedule(step, target, threads), "vectors along the channels")


def _copies(subject: ScheduledComputation, target: Target) -> _Proposals:
    """Propose the order of the source for a copy beside a transform, which changes the layout of an image."""
    op = subject.op
    if isinstance(op, tensor.TransformOp) or not moves_only(op) or len(op.epilogue) != 1:
        return []
    beside = [op.epilogue[0].owner, *(use.operation for use in op.res[0].uses)]
    if not any(isinstance(neighbour, tensor.TransformOp) for neighbour in beside):
        return []
    return _found(subject, copy_schedule(op, target), "the contiguous dimension of the source innermost")


def _products(
    make: Callable[[tensor.ComputeOp, Target, frozenset[SSAValue]], tensor.ScheduleAttr | None], note: str
) -> Heuristic[ScheduledComputation, tensor.ScheduleAttr]:
    """Create the heuristic that proposes the result of `make` for a sum of products, with `note` as reason."""

    def propose(subject: ScheduledComputation, target: Target) -> _Proposals:
        op, constants = subject.step
        return [] if isinstance(op, tensor.TransformOp) else _found(subject, make(op, target, constants), note)

    return propose


def _strips(subject: ScheduledComputation, target: Target) -> _Proposals:
    """Propose strips as long as vectors are, where their length is known at run time only."""
    if not target.scalable_bits:
        return []
    from s2s.schedules.strips import strip_products

    return _products(strip_products, "strips as long as vectors are at run time")(subject, target)


def _scalar_products(subject: ScheduledComputation, target: Target) -> _Proposals:
    """Propose the usual schedule of a sum of products in scalars, one for time and one for size."""
    (op, constants), note = subject.step, "scalars, several products at a time"
    if isinstance(op, tensor.TransformOp):
        return []
    usual, fast, small = (integer_products(op, target, constants, aim) for aim in (None, "time", "size"))
    reason = why_no_strips(op, target)
    found = [*_found(subject, usual, note), *([Refused("strips", reason)] if usual is not None and reason else [])]
    offers: list[tuple[tensor.ScheduleAttr | None, Prefer, str]] = [(fast, "time", "more"), (small, "size", "fewer")]
    for schedule, prefer, how in offers:
        if schedule is not None and schedule != usual:
            make = partial(subject.in_tiles, schedule)
            found = [*found, Candidate(make, f"{note}, {how} of them written out", wanted=prefer)]
    return found


def _cheapest(subject: ScheduledComputation, target: Target) -> _Proposals:
    op, constants = subject.step
    if isinstance(op, tensor.TransformOp):
        return []
    compared = candidates(op, target, constants)
    if not any(isinstance(each, Choice) for each in compared):
        return _found(subject, tensor.ScheduleAttr.of(), "one number at a time")
    return [found for each in compared for found in _proposed(subject, op, target, each)]


def _proposed(
    subject: ScheduledComputation, op: tensor.ComputeOp, target: Target, each: Choice | Declined
) -> _Proposals:
    """The candidates along one dimension: one, or one for each size of the blocks of a long reduction."""
    names = names_of(op)
    if isinstance(each, Declined):
        return [Refused("vectors" if each.dim is None else f"vectors along {names[each.dim]}", each.reason)]
    long = long_reduction(op, target, each)
    if long is None:
        return [_candidate(subject, op, target, each, None)]
    return [_candidate(subject, op, target, each, blocked) for blocked in long.ranked()]


def _candidate(
    subject: ScheduledComputation,
    op: tensor.ComputeOp,
    target: Target,
    each: Choice,
    blocked: BlockedReduction | None,
) -> Candidate[tensor.ScheduleAttr]:
    names = names_of(op)

    def make() -> tensor.ScheduleAttr:
        return subject.in_tiles(schedule_along(op, target, each, blocked))

    how = "scalars" if each.lanes == 1 else f"{each.lanes} lanes along {names[each.dim]}"
    packed = ", constants packed for it" if each.lanes > 1 and each.panels else ""
    blocks = "" if blocked is None else f", {blocked.describe(names)}"
    cycles = each.cost * prod(subject.op.sizes[: op.rank]) + (0.0 if blocked is None else blocked.cycles)
    return Candidate(make, how + packed + blocks, Cost(cycles=cycles))


_HEURISTICS: Sequence[tuple[str, Heuristic[ScheduledComputation, tensor.ScheduleAttr]]] = (
    (GIVEN, _given),
    ("plain loops", _plain),
    ("the channels of a transform", _transforms),
    ("the source of a copy", _copies),
    ("sums of bytes by blocks", _products(block_products, "four products in each lane, block by block")),
    ("sums of bytes in vectors", _products(vector_products, "vectors of 128 bits")),
    ("strips", _strips),
    ("sums of bytes in scalars", _scalar_products),
    ("groups of bytes in vectors", _products(byte_products, "four products in each lane")),
    ("products of 16 bits in vectors", _products(wide_products, "two products in each lane")),
    ("the cheapest dimension", _cheapest),
)
"""Asked in this order; the first that is made for a computation decides, and the last one always is."""
