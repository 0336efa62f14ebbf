"""The difference between two choices of a task, in words.

#tensor.schedule<[tile<2 by 4>, vectorize<2 by 4>]>
#tensor.schedule<[tile<2 by 4, 0 by 2>, vectorize<2 by 4>]>        tile oh 1 -> 2
"""

from collections.abc import Mapping, Sequence

from s2s.analysis.structure.compute import names_of
from s2s.dialects import tensor
from s2s.tuning.open_decision import decided_of, table_of
from s2s.tuning.space import Space

NONE = "none"


def changes_between(space: Space, before: str, after: str) -> tuple[str, ...]:
    """Return what choice `after` of a task does otherwise than choice `before`, both texts of `space`."""
    old, new = _settings(space, before), _settings(space, after)
    return tuple(
        f"{name} {old.get(name, NONE)} -> {new.get(name, NONE)}"
        for name in dict.fromkeys((*old, *new))
        if old.get(name, NONE) != new.get(name, NONE)
    )


def settings_of(op: tensor.Computation, schedule: tensor.ScheduleAttr) -> Mapping[str, str]:
    """Return the settings of a schedule, by name, without defaults."""
    state, names = schedule.on(op), names_of(op)
    found: dict[str, str] = {}
    for dim, size in enumerate(state.tiles):
        if op.sizes[dim] > 1:
            found[f"{'tile' if dim < op.rank else 'unroll'} {names[dim]}"] = str(size)
    if state.vector_dim is not None:
        found["vectors"] = f"{state.lanes} {names[state.vector_dim]}"
    if state.intrinsic is not None:
        found["intrinsic"] = state.intrinsic.entry.data
    for name, values in (
        ("passes", [f"{size} of {names[dim]}" for dim, size in state.passes.items() if size > 1]),
        ("blocks", [f"{names[dim]} by {size}" for dim, size in state.blocks]),
        ("order", [names[dim] for dim in state.order if op.sizes[dim] > 1]),
        ("partial sums", [] if state.partials is None else [f"{state.partials[1]} along {names[state.partials[0]]}"]),
        ("packed constants", [str(operand) for operand, _ in state.packs]),
        ("copy", [] if state.cached is None else [_place(state.cached.dim, names)]),
        ("prefetch", [f"{read} along {names[dim]}" for read, dim in state.prefetches]),
        ("threads", [names[dim] for dim in state.parallel]),
    ):
        if values:
            found[name] = ", ".join(values)
    return found


def _place(dim: int | None, names: Sequence[str]) -> str:
    return "before all loops" if dim is None else f"inside {names[dim]}"


def _settings(space: Space, text: str) -> Mapping[str, str]:
    """What a choice sets: its schedule, and the other decisions about its kernel."""
    others = decided_of(text) if text.startswith("[") else ()
    made = table_of(others)
    schedule = made.get("schedule", {}).get(space.subject.key) if others else text
    schedule = schedule or space.task.default
    found: dict[str, str] = {}
    if schedule:
        found |= settings_of(space.subject.op, space.task.kind.parse(space.subject, schedule))
    return {**found, **{kind: chosen for kind, _, chosen in others if kind != "schedule"}}
