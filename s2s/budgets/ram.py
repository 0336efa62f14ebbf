"""Find the cheapest compilation within a budget of RAM: try the options that save memory and cost instructions, the
cheapest first.

Every plan is the compilation without one, resumed: limits on scratch change how kernels are scheduled, line buffers how
operators are grouped. A plan is known once its memory is planned; only the best one becomes C. Three compilations are
in memory at most: the one without a plan, the one that the next plan is resumed from, and the best one.

Line buffers and scratch are decisions. Where they are given, nothing is searched: the given ones are the plan.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from s2s.analysis.network.section_search import plans
from s2s.compilation import Compilation
from s2s.decisions import line_buffers, scratch
from s2s.decisions.decision import Table
from s2s.decisions.given import Measured, Modelled
from s2s.decisions.line_buffers import parse_sections
from s2s.decisions.scratch import LIMITS, UNLIMITED, parse_limit
from s2s.errors import InputError
from s2s.interpret.loop.cost import executed_operations
from s2s.options import CompileOptions
from s2s.options.values import ram_goal
from s2s.stages.memory import Planned
from s2s.stages.read import Read
from s2s.stages.request import Findings
from s2s.support import progress
from s2s.support.frozen import frozen

Choice = TypeVar("Choice")
TILE_PARTS = 8
"""The parts of a budget in which the memory of Winograd convolutions is limited."""


@frozen
class _Plan:
    """A compilation, its RAM, and the operations that it executes."""

    compilation: Compilation
    ram: int
    operations: int


def within_ram(compilation: Compilation) -> Compilation:
    """Return `compilation`; with a `ram_budget`, the cheapest one within it, or the smallest one for `min`."""
    options = compilation.options
    if ram_goal(options) is None or options.debug.stop_after is not None:
        return compilation
    search = _Search(compilation)
    best, first = search.run(), search.first
    extra = best.operations / first.operations - 1 if first.operations else 0.0
    if isinstance(options.ram_budget, int) and best.ram > options.ram_budget:
        least = "with the given line buffers and scratch " if _plan_is_given(options.decisions) else "at least "
        change = f"{abs(extra):.1%} {'more' if extra > 0 else 'fewer'}"
        price = f", for {change} operations than in {first.ram} bytes" if best.ram < first.ram else ""
        raise InputError(
            f"--ram-budget {options.ram_budget}: the network takes {least}{best.ram} bytes of RAM, inputs and outputs"
            f" included{price}; give --ram-budget {best.ram}, or min"
        )
    asked = replace(best.compilation.options, decisions=options.decisions)
    return best.compilation.resume(asked, findings=Findings(extra_operations=extra))


class _Search:
    """The search among the plans of one network."""

    def __init__(self, compilation: Compilation) -> None:
        self.options = compilation.options
        self.goal = self.options.ram_budget if isinstance(self.options.ram_budget, int) else 0
        self.known: set[bytes] = set()
        """Hashes of the scheduled kernels of all plans: where that is equal, so is all that follows."""
        given = _plan_is_given(self.options.decisions)
        start = compilation.resume(_without_plan(self.options)) if given else compilation
        with progress.within("plan 1"):
            found = self._planned(start)
        assert found is not None
        self.first = self.best = found
        self.tried = 1
        self.start = self.base = start
        """The last compilation with other line buffers than the one before it."""

    def run(self) -> _Plan:
        """Return the first plan within the budget, or the smallest of all plans if none is."""
        if _plan_is_given(self.options.decisions):
            with progress.within("the given plan"):
                found = self._planned(self.base.resume(_with_plan(self.options)))
            return found if found is not None else self.first
        if self.options.prefer == "time":
            self._try_fewer_tiles()
        self._try([replace(self.options, scratch=limit) for limit in LIMITS])
        if self.options.executor == "aot" and not self._fits():
            self._try_line_buffers()
        return self.best

    def _try_line_buffers(self) -> None:
        """Plan with sections of operators in line buffers, on images whose rows lie one after the other."""
        options, limits = replace(self.options, by_rows=True), (None, LIMITS[-1])
        self.start = self.start.resume(options)
        sections = plans(self.start.at("simplify").module, self.goal)
        self._try([replace(options, line_buffers=each, scratch=limit) for each in sections for limit in limits])

    def _try_fewer_tiles(self) -> None:
        """Plan with Winograd convolutions that take less and less memory each, then with none."""
        limits = [self.goal * part // TILE_PARTS for part in range(TILE_PARTS - 1, 0, -1)]
        self._try([replace(self.options, transformed_ram=limit) for limit in limits])
        if not self._fits():
            self.options = replace(self.options, transformed=0)
            self._try([self.options])

    def _fits(self) -> bool:
        return isinstance(self.options.ram_budget, int) and self.best.ram <= self.goal

    def _try(self, wanted: Sequence[CompileOptions]) -> None:
        """Plan with each of the options in turn, until one fits."""
        count = self.tried + len(wanted)
        for options in wanted:
            if self._fits():
                return
            self.tried += 1
            alike = self.base.options.line_buffers == options.line_buffers
            compilation = (self.base if alike else self.start).resume(options)
            with progress.within(f"plan {self.tried} of {count}"):
                found = self._planned(compilation)
            if not alike:
                self.base = compilation
            if found is not None and (found.ram, found.operations) < (self.best.ram, self.best.operations):
                self.best = found

    def _planned(self, compilation: Compilation) -> _Plan | None:
        """Return the plan of `compilation`; None if an earlier one has the same kernels."""
        compilation.at("compute")
        kernels = "\n".join(map(str, compilation.at("tensor").module.ops))
        text = hashlib.sha256(kernels.encode()).digest()
        if text in self.known:
            return None
        self.known.add(text)
        memory, network = compilation.facts(Planned), compilation.facts(Read)
        outside = [
            port.size
            for ports, offsets in ((network.inputs, memory.inputs), (network.outputs, memory.outputs))
            for port, offset in zip(ports, offsets, strict=True)
            if offset is None
        ]
        operations = executed_operations(compilation.at("memory").module)
        return _Plan(compilation, memory.arena + sum(outside), operations)


def _plan_is_given(decisions: Table) -> bool:
    return line_buffers.KIND in decisions or scratch.KIND in decisions


def _without_plan(options: CompileOptions) -> CompileOptions:
    """Return the options before a plan is chosen: with the user's decisions only."""
    kept = {
        kind: {subject: chosen for subject, chosen in entries.items() if not isinstance(chosen, Modelled | Measured)}
        for kind, entries in options.decisions.items()
        if kind not in (line_buffers.KIND, scratch.KIND)
    }
    return replace(options, decisions={kind: entries for kind, entries in kept.items() if entries})


def _with_plan(options: CompileOptions) -> CompileOptions:
    """Return the options of the plan that a budget had chosen when the decisions were written."""
    limit = _recalled(options.decisions, scratch.KIND, parse_limit, UNLIMITED)
    return replace(
        options,
        line_buffers=_recalled(options.decisions, line_buffers.KIND, parse_sections, ()),
        scratch=None if limit == UNLIMITED else limit,
    )


def _recalled(decisions: Table, kind: str, parse: Callable[[str], Choice], otherwise: Choice) -> Choice:
    """Return the compiler's recorded choice for the network; `otherwise` if there is none, or if the user chooses."""
    chosen = decisions.get(kind, {}).get("main")
    if not isinstance(chosen, Modelled):
        return otherwise
    try:
        return parse(chosen)
    except ValueError:
        return otherwise
