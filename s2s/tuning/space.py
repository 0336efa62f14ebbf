"""The search space of a task: every legal schedule that can be made of a few knobs.

The chooser's candidates are the bases: one knob says which of them, the others change a part of it. The first value of
each knob leaves the base as it is, so that the compiler's own choice is in the space.

    base     sums of bytes in scalars | 4 lanes along oc | …
    tile oh  as in the base | 1 | 2 | 3 | …           register tile
    block    none | oh by 8 | ic by 512 | …           cache block, of a long reduction too
    unroll   as in the base | 1 | 2 | 4 | 8           of each reduction
    passes   as in the base | 1 | 2 | 4 | 8           of the reduction loop, that the C compiler unrolls
    order    as in the base | ow innermost | …
    copy     as in the base | none | inside oh | …    where the 16-bit copy is made
    prefetch as in the base | none
    rfactor  as in the base | none | …                partial results
    parallel as in the base | none | parallel<0> | …  loops divided among threads; and registered directives
    threads  divided | one thread                     and the loop that the steps of a Winograd convolution share

Each loop that the steps of a kernel can share has bases of its own, over its tiles.

A point of the space is a number, or the index of the value of each knob. Illegal points are found by the verifier of
schedules before anything is compiled.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from random import Random

from s2s.analysis.affine.strides import border
from s2s.compilation import Compilation
from s2s.decisions.kind import Candidate
from s2s.decisions.registry import heuristics_of
from s2s.decisions.schedule import ScheduledComputation
from s2s.dialects import tensor
from s2s.schedules.transforms import fused_step
from s2s.stages.memory import Planned
from s2s.tuning.features import FOR_ONE_TASK, features_of
from s2s.tuning.fused_tiles import blocks_of, fused_subjects, widest
from s2s.tuning.open_decision import OpenDecision, decided_of, open_decisions, table_of, text_of
from s2s.tuning.records import Decided
from s2s.tuning.schedule_knobs import Change, Knob, knobs_of
from s2s.tuning.search_space import Point, SearchSpace
from s2s.tuning.task import Task

MAX_STATEMENTS = 512
"""Multiply-adds written out in the innermost loop; more only cost the time of the C compiler."""
MAX_WRITTEN = 3 * MAX_STATEMENTS
"""Multiply-adds written out in all pieces of the loops: short last tiles and borders have code of their own, and they
multiply. On a Cortex-M4, 3 of 32 channels by 6 of 16 steps by 2 of 3 took 25 s to lower to 4,530 lines."""
MAX_SUMS = 2
"""Accumulators of a register tile, as a multiple of the registers that hold them. Larger tiles are not tried: on a
Cortex-M4, 48 channels of 5 pixels took the C compiler 47 s and ran at half the speed."""
OTHERS = ("winograd blocks", "threads")
"""Decisions about a kernel that are made after its computations are known, beside their schedules."""
BORDERED = 3
"""Pieces of a loop at whose ends a window reaches beyond the image."""
GENERAL_REGISTERS = 16
"""Registers of a scalar core that hold integers."""


class Space(SearchSpace):
    """The search space of the largest computation of a task; the others keep the compiler's own schedules."""

    def __init__(self, task: Task) -> None:
        self.task = task
        op = task.largest.op
        searched = isinstance(op, tensor.ComputeOp)
        others = _others(task) if searched else ()
        blocks = blocks_of(task, others)
        self._fused = fused_subjects(task, blocks)
        self._fused_place = others.index(blocks) if blocks is not None else None
        """Which of the other decisions chooses among them."""
        self.subject = self._fused[0]
        self._bases_of = tuple(tuple(_bases(task, each)) if searched else () for each in self._fused)
        self.bases = self._bases_of[0]
        schedules = [schedule for bases in self._bases_of for _, schedule in bases]
        step = fused_step(op, widest(self._fused)).op
        knobs = tuple(knobs_of(step, schedules, task.target, task.options.threads)) if self.bases else ()
        self.changes: tuple[Knob[Change], ...] = knobs
        self.others: tuple[OpenDecision, ...] = others if self.bases else ()
        self._texts: dict[Point, str | None] = {}

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of values of each knob, of which the first one is the base."""
        changes, others = (len(each.values) for each in self.changes), (len(each.choices) for each in self.others)
        return (max(len(each) for each in self._bases_of), *changes, *others)

    @property
    def for_one_task(self) -> Sequence[int]:
        return FOR_ONE_TASK

    @property
    def size(self) -> int:
        return super().size if self.bases else 0

    def schedule(self, point: Point) -> tensor.ScheduleAttr | None:
        """Return the schedule at a point; None where there is none, legal or not."""
        bases = self._bases_of[self._loop(point)]
        schedule: tensor.ScheduleAttr | None = bases[point.places[0]][1] if point.places[0] < len(bases) else None
        for knob, place in zip(self.changes, point.places[1:], strict=False):
            if place and schedule is not None:
                changed = knob.values[place](schedule)
                schedule = None if changed == schedule else changed
        return schedule

    def text(self, point: Point) -> str | None:
        """Return the legal choice at a point as text; None where there is none."""
        if point not in self._texts:
            schedule = self.schedule(point)
            legal = schedule is not None and self._is_tried(schedule, self._loop(point))
            self._texts[point] = self._with_others(str(schedule), point) if legal else None
        return self._texts[point]

    def _with_others(self, schedule: str, point: Point) -> str:
        """A schedule as text, or a list of decisions where others than the schedule are made."""
        count = 1 + len(self.changes)
        pairs = zip(self.others, point.places[count:], strict=True)
        made = [(each.kind, each.subject, each.choices[place]) for each, place in pairs if place]
        if not made:
            return schedule
        return text_of((*made, ("schedule", self.subject.key, schedule)) if any(point.places[:count]) else tuple(made))

    def _loop(self, point: Point) -> int:
        """The index of the fused loop that the kernel has at a point."""
        return 0 if self._fused_place is None else point.places[1 + len(self.changes) + self._fused_place]

    def _is_tried(self, schedule: tensor.ScheduleAttr, loop: int) -> bool:
        """Whether a schedule is legal in a fused loop, and its innermost loop of a reasonable size."""
        if self.task.kind.legal_from_outside(self._fused[loop], schedule) is not None:
            return False
        state = schedule.on(self.subject.op)
        op = self.subject.op
        registers = self.task.target.registers if state.lanes > 1 or state.group == 1 else GENERAL_REGISTERS
        if prod(op.sizes[op.rank :]) > 1 and prod(state.tile(range(op.rank))) > MAX_SUMS * registers * state.lanes:
            return False
        at_once = max(state.lanes, state.group)
        if prod(state.tiles) > MAX_STATEMENTS * at_once:
            return False
        known = any(schedule == base for _, base in self._bases_of[loop])
        return known or written_out(op, state.tiles) <= MAX_WRITTEN * at_once

    def decisions(self, text: str) -> dict[str, dict[str, str]]:
        """Return a choice as decisions of a compilation."""
        if text.startswith("["):
            return {kind: dict(choices) for kind, choices in table_of(decided_of(text)).items()}
        return {"schedule": {self.subject.key: text}}

    def text_of(self, decided: Decided) -> str | None:
        """Return the choice that a record keeps: empty for the compiler's own, None where it is of another subject."""
        made = [each for each in decided if each[0] != "schedule"]
        schedules = [each for each in decided if each[0] == "schedule" and each[1] == self.subject.key]
        if made or not decided:
            return text_of((*made, *schedules)) if made else ""
        return schedules[0][2] if schedules else None

    def starts(self) -> list[Point]:
        """Return the bases of all fused loops as they are."""
        changes, others = (0,) * len(self.changes), [0] * len(self.others)
        found: list[Point] = []
        for loop, bases in enumerate(self._bases_of):
            if self._fused_place is not None:
                others[self._fused_place] = loop
            found += [Point((number, *changes, *others)) for number in range(len(bases))]
        return found

    def find(self, text: str) -> Point | None:
        """Return the point of a choice, by the value that each knob has in it; None if it is in no space."""
        wanted = {(k, subject): chosen for k, subject, chosen in decided_of(text)} if text.startswith("[") else {}
        chosen = wanted.pop(("schedule", self.subject.key), None) if wanted else text
        places = [each.place(wanted.pop((each.kind, each.subject), None)) for each in self.others]
        if wanted or None in places:
            return None
        rest = tuple(each or 0 for each in places)
        own = (0,) * (1 + len(self.changes)) if chosen is None else self._places_of(chosen, rest)
        return None if own is None else Point((*own, *rest))

    def _places_of(self, text: str, rest: tuple[int, ...]) -> tuple[int, ...] | None:
        """The values of the knobs of the schedule in one that a text states, where other decisions are at `rest`."""
        try:
            wanted = self.task.kind.parse(self.subject, text)
        except ValueError:
            return None
        loop = self._loop(Point((0,) * (1 + len(self.changes)) + rest))
        if self.task.kind.legal_from_outside(self._fused[loop], wanted) is not None:
            return None
        for number, (_, base) in enumerate(self._bases_of[loop]):
            places = [knob.place_of(wanted, base) for knob in self.changes]
            found = (number, *(each or 0 for each in places))
            if None not in places and str(self.schedule(Point((*found, *rest)))) == text:
                return found
        return None

    def features(self, point: Point) -> list[float]:
        schedule = self.schedule(point)
        assert schedule is not None
        return features_of(self.subject.op, schedule, self.task.target, point.places)

    def _drawn(self, random: Random, size: int) -> int:
        """Draw the base's value half of the time, as most knobs change little at once."""
        return 0 if random.random() < 0.5 else random.randrange(size)

    def describe(self) -> str:
        """The size of the space in words."""
        if not self.bases:
            return "nothing to choose"
        named = [(each.name, len(each.values)) for each in self.changes]
        named += [(each.kind, len(each.choices)) for each in self.others]
        knobs = ", ".join(f"{name} {count}" for name, count in named)
        legal = "" if self.listed is None else f", {len(self.listed):,} of them different and legal"
        return f"{self.size:,} points{legal} (bases {len(self.bases)}, {knobs})"


def written_out(op: tensor.Computation, tiles: Sequence[int]) -> int:
    """Count the steps that the code writes out, in blocks of `tiles` and in the pieces that are left.

    Of 32 channels in threes, 3 and the last 2 are written; of rows one by one whose window reaches beyond the image,
    the first, one between, and the last.
    """
    total = 1
    for dim, (size, tile) in enumerate(zip(op.sizes, tiles, strict=True)):
        if size <= tile:
            total *= size
        else:
            windowed = isinstance(op, tensor.ComputeOp) and dim < op.rank and border(op, dim) > 0
            total *= (tile + size % tile) * (BORDERED if windowed else 1)
    return total


def _others(task: Task) -> tuple[OpenDecision, ...]:
    """The decisions about a kernel, beside schedules, that leave a choice: how it is blocked, and divided."""
    if not any(each.kind in OTHERS for each in task.compilation.facts(Planned).decisions):
        return ()
    explained = Compilation.of_state(task.state, replace(task.options, explain=True))
    return open_decisions(explained.facts(Planned).decisions, OTHERS)


def _bases(task: Task, fused: ScheduledComputation) -> Iterator[tuple[str, tensor.ScheduleAttr]]:
    """The legal candidates of all heuristics, each schedule once, the compiler's own choice first."""
    found: dict[str, tuple[str, tensor.ScheduleAttr]] = {}
    for _, heuristic in heuristics_of(task.kind):
        proposed = [each for each in heuristic(fused, task.target) if isinstance(each, Candidate)]
        for each in sorted(proposed, key=lambda one: one.cost.cycles or 0.0 if one.cost is not None else 0.0):
            schedule = each.make()
            if task.kind.legal(fused, schedule) is None:
                found.setdefault(str(schedule), (each.note, schedule))
    yield from found.values()
