"""The cheapest placement of operators on devices, against every placement there is."""

from collections.abc import Mapping, Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from s2s.analysis.network.placement import Placeable, place
from s2s.types.devices import MAIN

DEVICES = (MAIN, "dsp", "npu")


@st.composite
def networks(draw: st.DrawFn) -> tuple[list[Placeable], dict[int, dict[str, float]]]:
    """Up to five operators, each of which reads up to two earlier tensors; tensor 0 is the input."""
    steps: list[Placeable] = []
    for number in range(draw(st.integers(1, 5))):
        cycles = {device: float(draw(st.integers(0, 50))) for device in DEVICES}
        reads = draw(st.lists(st.integers(0, number), min_size=1, max_size=2, unique=True))
        steps.append(Placeable(cycles, tuple(reads), (number + 1,)))
    copies = {
        value: {device: float(draw(st.integers(0, 30))) for device in DEVICES[1:]} for value in range(len(steps) + 1)
    }
    return steps, copies


def cost(steps: Sequence[Placeable], copies: Mapping[int, Mapping[str, float]], devices: Sequence[str]) -> float:
    """Count kernels, and for each tensor the copies to the devices that read it, by way of the first one."""
    origin = {0: MAIN} | {step.writes[0]: device for step, device in zip(steps, devices, strict=True)}
    total = sum(step.cycles[device] for step, device in zip(steps, devices, strict=True))
    for value, made in origin.items():
        readers = {device for step, device in zip(steps, devices, strict=True) if value in step.reads}
        readers |= {MAIN} if value == len(steps) else set()
        others = readers - {made}
        if not others:
            continue
        total += copies[value][made] if made != MAIN else 0
        total += sum(copies[value][device] for device in others - {MAIN})
    return total


@given(networks())
def test_no_placement_is_cheaper(network: tuple[list[Placeable], dict[int, dict[str, float]]]):
    steps, copies = network
    found = place(steps, copies, [0], [len(steps)])
    assert found.is_optimal
    assert found.cycles == min(cost(steps, copies, each) for each in product(DEVICES, repeat=len(steps)))
    assert cost(steps, copies, found.devices) == found.cycles


def test_a_copy_that_costs_more_than_it_saves_is_not_made():
    steps = [Placeable({MAIN: 100.0, "dsp": 20.0}, (0,), (1,)), Placeable({MAIN: 10.0, "dsp": 40.0}, (1,), (2,))]
    copies = {value: {"dsp": 30.0} for value in range(3)}
    assert place(steps, copies, [0], [2]).devices == ("dsp", MAIN)
    assert place(steps, {value: {"dsp": 50.0} for value in range(3)}, [0], [2]).devices == (MAIN, MAIN)


def test_tensors_that_no_step_reads_cost_nothing():
    steps = [Placeable({MAIN: 100.0, "dsp": 20.0}, (0,), (2,))]
    copies = {value: {"dsp": 10.0} for value in range(3)}
    assert place(steps, copies, [0, 1], [1, 2]).devices == ("dsp",)
    assert place(steps, copies, [0, 1], [2]).cycles == 40
    assert place([], {0: {"dsp": 10.0}}, [0], []).cycles == 0
