"""Plan the buffers of `main` where several devices have memories of their own.

`loop-annotate-memory-scope` has marked the buffers of other devices than the first one. The arena is one range of
offsets with a segment for each device, as with memory pools (`s2s/passes/loop/pooled_plan.py`): each device has the
arena of its own buffers only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from xdsl.ir import SSAValue

from s2s.decisions.chooser import Chooser
from s2s.errors import InputError
from s2s.memory.buffers import Buffer, InPlace, Plan, align_up
from s2s.memory.calls import Calls
from s2s.memory.directions import plan_with_directions
from s2s.memory.plan import plan
from s2s.passes.loop.segments import Segment
from s2s.types.devices import MAIN
from s2s.types.pools import size_of

if TYPE_CHECKING:
    from s2s.passes.loop.pooled_plan import PooledPlan

Limits = Mapping[str, int | None]
"""The devices with a memory of their own, each with the bytes that it has; None: no limit."""
_LISTED = 4


class DevicePlan(NamedTuple):
    """A plan with a segment for each device."""

    plan: Plan
    segments: tuple[Segment, ...]
    backwards: tuple[str, ...]
    """The kernels that run backwards in it."""


def limits_of(texts: Sequence[str]) -> Limits:
    """Parse `dsp=65536`, or `dsp` without a limit."""
    return {text.partition("=")[0]: size_of(text.partition("=")[2]) for text in texts}


def plan_by_device(
    buffers: Sequence[Buffer],
    in_place: Sequence[InPlace],
    calls: Calls,
    owners: Mapping[SSAValue, str],
    limits: Limits,
    *,
    base: int,
    overlap: bool,
    pooled: "Callable[[Sequence[Buffer], Sequence[InPlace], Calls, Plan, tuple[str, ...]], PooledPlan] | None" = None,
    chooser: Chooser,
) -> DevicePlan:
    """Plan the memory of each device. The first `base` bytes of the first segment are taken; `pooled` divides what is
    on the first device among memory pools."""
    offsets: dict[str, int] = {}
    segments: list[Segment] = []
    backwards: list[str] = []
    bound = apart = end = 0
    align = max((buffer.align for buffer in buffers), default=1)
    for device in (MAIN, *limits):
        values = {value: name for value, name in calls.names.items() if owners.get(value, MAIN) == device}
        names = frozenset(values.values())
        mine = [buffer for buffer in buffers if buffer.name in names]
        pairs = [pair for pair in in_place if pair.output in names and pair.input in names]
        lives = {value: life for value, life in calls.lives.items() if value in values}
        found, reversed_kernels = (
            plan_with_directions(mine, pairs, replace(calls, lives=lives)) if overlap else (plan(mine, pairs), ())
        )
        _check_limit(device, limits.get(device), found, values, mine)
        bound, apart = bound + found.lower_bound, apart + found.apart_bound
        if device == MAIN and pooled is not None:
            pools = pooled(mine, pairs, replace(calls, lives=lives), found, reversed_kernels)
            offsets |= pools.run(chooser).offsets
            segments += pools.segments
            end = max((segment.offset + segment.size for segment in segments), default=0)
            backwards += reversed_kernels
            continue
        size = found.size + (base if device == MAIN else 0)
        if size:
            start = align_up(end, align)
            shift = 0 if device == MAIN else start - base
            offsets |= {name: offset + shift for name, offset in found.offsets.items()}
            segments.append(Segment(device, start, size))
            end = start + size
        else:
            offsets |= dict.fromkeys(names, 0)
        backwards += reversed_kernels
    whole = Plan(offsets, max(end - base, 0), bound, apart)
    return DevicePlan(whole, tuple(segments), tuple(backwards))


def _check_limit(
    device: str, limit: int | None, found: Plan, values: Mapping[SSAValue, str], buffers: Sequence[Buffer]
) -> None:
    """Refuse a plan that the memory of its device cannot hold."""
    if limit is None or found.size <= limit:
        return
    hints = {name: value.name_hint or f"buffer {name}" for value, name in values.items()}
    largest = sorted(buffers, key=lambda buffer: -buffer.size)[:_LISTED]
    listed = ", ".join(f"{hints[buffer.name]} {buffer.size:,}" for buffer in largest)
    raise InputError(
        f"--devices: {device}: its arena takes {found.size:,} bytes, and it has {limit:,}; the largest buffers are "
        f"{listed}; give it {found.size:,} bytes, or fewer layers"
    )
