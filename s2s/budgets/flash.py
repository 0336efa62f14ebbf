"""Find the fastest compilation within a budget of flash: convolutions by Winograd's algorithm, where their filters fit.

Such filters take several times the bytes. What the whole network takes is known once its C is compiled, so a plan that
exceeds the budget is followed by one whose filters have that much less room, down to none.
"""

from dataclasses import replace

from s2s.compilation import Compilation
from s2s.decisions.algorithm import DIRECT, AlgorithmKind
from s2s.stages.c import Lowered
from s2s.support import progress
from s2s.verify.figures import measure_network

TRIES = 4
"""Plans at most that make room for machine code which the plan before did not expect."""


def within_flash(compilation: Compilation) -> Compilation:
    """Return `compilation`, or one whose convolutions take fewer constants, so that it fits the budget of flash; that
    without Winograd's filters where none fits, or where there is no compiler to measure it."""
    options = compilation.options
    budget = options.flash_budget
    if budget is None or options.debug.stop_after is not None or not _transforms(compilation):
        return compilation
    direct = compilation.resume(replace(options, transformed=0))
    least = _flash(direct)
    room = 0 if least is None else budget - least
    for number in range(TRIES):
        if room <= 0:
            break
        with progress.within(f"plan {number + 1} within {budget} bytes of flash"):
            plan = compilation.resume(replace(options, transformed=room))
            taken = _flash(plan)
        if taken is not None and taken <= budget:
            return plan
        room = _constants(plan) - _constants(direct) - (1 if taken is None else taken - budget)
    return direct


def _transforms(compilation: Compilation) -> bool:
    """Return whether the compilation computes a convolution otherwise than directly."""
    decisions = compilation.facts(Lowered).decisions
    return any(each.kind == AlgorithmKind.name and each.chosen != DIRECT for each in decisions)


def _constants(compilation: Compilation) -> int:
    return compilation.facts(Lowered).constants


def _flash(compilation: Compilation) -> int | None:
    """Return the bytes of flash of a network as its compiler makes it; None without one."""
    measured = measure_network(compilation.tree, compilation.info)
    return None if measured is None else measured.flash
