"""Place the operators of a network on devices so that kernels and copies together take the fewest cycles.

Dynamic programming over the operators in their order. A state tells on which devices each tensor is that a later
operator reads; placing an operator copies its operands to its device, by way of the first one, and each copy serves all
later readers there. With at most `STATES` states at a time the result is the optimum, which covers chains and networks
with residual branches; otherwise the cheapest states go on, and the result may be more than that.

    a: 100 cycles on main, 20 on dsp; b: 10 on main, 40 on dsp; a copy: 30
    -> a on dsp, b on main: 30 + 20 + 30 + 10 = 90; both on main: 110; both on dsp: 30 + 20 + 40 + 30 = 120
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from s2s.types.devices import MAIN

STATES = 2048
"""The states that are kept after each operator."""


class Placeable(NamedTuple):
    """An operator, with its operands and results by number."""

    cycles: Mapping[str, float]
    """The devices that may run it, with what that takes in cycles of the first one."""
    reads: tuple[int, ...]
    writes: tuple[int, ...]


class Placement(NamedTuple):
    """The device of each operator."""

    devices: tuple[str, ...]
    cycles: float
    """Of kernels and copies."""
    is_optimal: bool


class _State(NamedTuple):
    """Where live tensors are, and the cheapest way there."""

    cycles: float
    devices: tuple[str, ...]


Places = tuple[tuple[int, frozenset[str]], ...]
"""The devices on which each live tensor is."""


def place(
    steps: Sequence[Placeable], copies: Mapping[int, Mapping[str, float]], given: Sequence[int], kept: Sequence[int]
) -> Placement:
    """Return the cheapest placement. `copies` are the cycles of a copy of each tensor between the first device and each
    other one; the tensors `given` are on the first device before, those `kept` afterwards. Of the tensors `given`, no
    step need read one: an input that nothing uses, a state that is only written."""
    last = dict.fromkeys(given, -1)
    last |= {value: number for number, step in enumerate(steps) for value in (*step.reads, *step.writes)}
    last |= dict.fromkeys(kept, len(steps))
    states: dict[Places, _State] = {_places({value: frozenset({MAIN}) for value in given}): _State(0.0, ())}
    is_optimal = True
    for number, step in enumerate(steps):
        found: dict[Places, _State] = {}
        for places, state in states.items():
            for device, cycles in step.cycles.items():
                where = dict(places)
                copied = sum(_fetch(where, value, device, copies[value]) for value in step.reads)
                where |= dict.fromkeys(step.writes, frozenset({device}))
                live = _places({value: on for value, on in where.items() if last[value] > number})
                new = _State(state.cycles + copied + cycles, (*state.devices, device))
                if live not in found or new.cycles < found[live].cycles:
                    found[live] = new
        if len(found) > STATES:
            is_optimal = False
            found = dict(sorted(found.items(), key=lambda entry: entry[1].cycles)[:STATES])
        states = found
    ends: list[_State] = []
    for places, state in states.items():
        where = dict(places)
        back = sum(_fetch(where, value, MAIN, copies[value]) for value in kept)
        ends.append(_State(state.cycles + back, state.devices))
    best = min(ends, key=lambda state: state.cycles)
    return Placement(best.devices, best.cycles, is_optimal)


def _fetch(where: dict[int, frozenset[str]], value: int, device: str, copies: Mapping[str, float]) -> float:
    """Copy a tensor to a device, by way of the first one, and return the cycles of that."""
    on = where.get(value)
    if on is None or device in on:
        return 0.0
    origin = min((each for each in on if each != MAIN), key=lambda each: copies[each], default=MAIN)
    cycles = 0.0 if MAIN in on else copies[origin]
    if device != MAIN:
        cycles += copies[device]
    where[value] = on | {MAIN, device}
    return cycles


def _places(where: Mapping[int, frozenset[str]]) -> Places:
    return tuple(sorted(where.items()))
