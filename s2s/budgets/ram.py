"""Find the cheapest plan within a budget of RAM: what saves memory but costs instructions is tried, the cheapest first.

Every plan is the compilation without one, resumed: limits on scratch change how kernels are scheduled, row tiles how
operators are grouped. A plan is known once its memory is planned; only the best one becomes C.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from s2s.analysis.row_tiles.search import plans
from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.interpret.loop.cost import estimated_operations
from s2s.options import CompileOptions
from s2s.stages.memory import Planned
from s2s.stages.read import Read
from s2s.stages.request import Findings
from s2s.support import progress

SCRATCH_LIMITS = (1024, 512, 256, 128, 0)
"""Elements that a window copied to scratch may take, the cheapest limit first."""


@dataclass(frozen=True)
class _Plan:
    """A compilation, the RAM that it takes, and how many operations it carries out, at most."""

    compilation: Compilation
    ram: int
    operations: int


def within_ram(compilation: Compilation) -> Compilation:
    """`compilation`; with a `ram_budget`, the cheapest one within it, or the smallest one where it is `min`."""
    options = compilation.options
    if options.ram_budget is None or options.debug.stop_after is not None:
        return compilation
    search = _Search(compilation)
    best, first = search.best(), search.first
    extra = best.operations / first.operations - 1 if first.operations else 0.0
    if options.ram_budget != "min" and best.ram > options.ram_budget:
        raise InputError(
            f"--ram-budget {options.ram_budget}: the network takes at least {best.ram} bytes of RAM, inputs and outputs"
            f" included, and carries out about {extra:.1%} more operations then than with {first.ram} bytes; "
            f"give --ram-budget {best.ram}, or min"
        )
    return best.compilation.resume(findings=Findings(extra_operations=extra))


class _Search:
    """The plans of one network."""

    def __init__(self, compilation: Compilation) -> None:
        self.options = compilation.options
        self.goal = self.options.ram_budget if isinstance(self.options.ram_budget, int) else 0
        self.known: dict[str, _Plan] = {}
        """Plans by the text of their scheduled kernels: where that is equal, so is all that follows."""
        self.network = compilation.at("simplify").module
        with progress.within("plan 1"):
            self.first = self._plan(compilation)
        self.found = [self.first]

    def best(self) -> _Plan:
        """The smallest of all plans, or of those up to the first one within the budget."""
        self._try([replace(self.options, scratch=limit) for limit in SCRATCH_LIMITS])
        if self.options.executor == "aot" and not self._fits():
            limits = (None, SCRATCH_LIMITS[-1])
            tiles = plans(self.network, self.goal)
            self._try([replace(self.options, row_tiles=each, scratch=limit) for each in tiles for limit in limits])
        return min(self.found, key=lambda each: (each.ram, each.operations))

    def _fits(self) -> bool:
        return self.options.ram_budget != "min" and min(each.ram for each in self.found) <= self.goal

    def _try(self, wanted: Sequence[CompileOptions]) -> None:
        """Plan with each of the options in turn, until one fits."""
        count = len(self.found) + len(wanted)
        for options in wanted:
            if self._fits():
                return
            alike = [each.compilation for each in self.found if each.compilation.options.row_tiles == options.row_tiles]
            with progress.within(f"plan {len(self.found) + 1} of {count}"):
                self.found.append(self._plan((alike or [self.first.compilation])[0].resume(options)))

    def _plan(self, compilation: Compilation) -> _Plan:
        compilation.at("compute")
        text = str(compilation.at("tensor").module)
        if text not in self.known:
            memory, network = compilation.facts(Planned), compilation.facts(Read)
            outside = [
                port.size
                for ports, offsets in ((network.inputs, memory.inputs), (network.outputs, memory.outputs))
                for port, offset in zip(ports, offsets, strict=True)
                if offset is None
            ]
            operations = estimated_operations(compilation.at("memory").module)
            self.known[text] = _Plan(compilation, memory.arena + sum(outside), operations)
        return self.known[text]
