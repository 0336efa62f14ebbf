"""Compilation within a budget of memory: what saves RAM but costs instructions is tried in the order of its price."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from s2s.compiler import Compilation, compile_model
from s2s.errors import CompilerBug, InputError
from s2s.frontends.model import Source
from s2s.interpret.loop.cost import estimated_operations
from s2s.options import CompileOptions
from s2s.striping import plans
from s2s.support import progress

SCRATCH_LIMITS = (1024, 512, 256, 128, 0)
"""Elements that a window copied to scratch may take, the cheapest limit first."""


@dataclass(frozen=True)
class _Attempt:
    """A compilation, the RAM that it takes, and how many operations it carries out, at most."""

    compilation: Compilation
    ram: int
    operations: int


def compile_within(source: Source, options: CompileOptions) -> Compilation:
    """Compile `source`; with a `ram_budget`, the cheapest plan within it, or the smallest one where it is `min`."""
    if options.ram_budget is None or options.debug.stop_after is not None:
        return compile_model(source, options)
    first = _attempt(source, options)
    attempts = [first]
    for limit in SCRATCH_LIMITS:
        if options.ram_budget != "min" and _fits(attempts, options.ram_budget):
            break
        progress.step(f"trying windows of at most {limit} elements")
        attempts.append(_attempt(source, replace(options, scratch=limit)))
    if options.executor == "aot" and (options.ram_budget == "min" or not _fits(attempts, options.ram_budget)):
        _try_stripes(source, options, attempts)
    best = min(attempts, key=lambda each: (each.ram, each.operations))
    extra = best.operations / first.operations - 1 if first.operations else 0.0
    if options.ram_budget != "min" and best.ram > options.ram_budget:
        raise InputError(
            f"--ram-budget {options.ram_budget}: the network takes at least {best.ram} bytes of RAM, inputs and outputs"
            f" included, and carries out about {extra:.1%} more operations then than with {first.ram} bytes; "
            f"give --ram-budget {best.ram}, or min"
        )
    info = best.compilation.info
    assert info is not None
    return replace(best.compilation, info=replace(info, extra_operations=extra))


def _try_stripes(source: Source, options: CompileOptions, attempts: list[_Attempt]) -> None:
    """Chains in stripes of rows, with windows as they are wished for and with the smallest ones."""
    goal = 0 if options.ram_budget in ("min", None) else options.ram_budget
    assert isinstance(goal, int)
    for plan in plans(source, options, goal):
        progress.step(f"trying {len(plan)} chains in stripes of rows")
        for limit in (None, SCRATCH_LIMITS[-1]):
            attempts.append(_attempt(source, replace(options, stripes=plan, scratch=limit)))
            if attempts[-1].ram <= goal:
                return


def _fits(attempts: Sequence[_Attempt], budget: int) -> bool:
    return min(each.ram for each in attempts) <= budget


def _attempt(source: Source, options: CompileOptions) -> _Attempt:
    compilation = compile_model(source, options, keep_levels=True)
    if compilation.info is None:
        raise CompilerBug("a compilation that was not stopped has not reached C")
    info, operations = compilation.info, estimated_operations(compilation.levels["loop"])
    return _Attempt(replace(compilation, levels={}), info.arena_size + info.ports_size, operations)
