"""Find the cheapest placement of the operators of `main`, for `graph-plan-devices`."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.placement import STATES, Placeable, place
from s2s.decisions.device import annotated_device, layer_of
from s2s.decisions.device_costs import bytes_of, cycles_on
from s2s.dialects import graph
from s2s.targets import Target
from s2s.types.devices import COST, MAIN, Devices


class CheapestPlacement(NamedTuple):
    """The device of each operator, with the cycles of the operator on every device that may run it."""

    devices: Mapping[Operation, str]
    cycles: Mapping[Operation, Mapping[str, float]]
    note: str


def cheapest_placement(
    main: FuncOp, devices: Devices, targets: Mapping[str, Target], bound: Callable[[Operation], str | None]
) -> CheapestPlacement:
    """Place the operators that annotations and tables name where they say, the ones that only the first device runs
    there, and the rest by cost."""
    numbers: dict[SSAValue, int] = {argument: number for number, argument in enumerate(main.args)}
    given = list(numbers.values())
    ops: list[Operation] = []
    steps: list[Placeable] = []
    kept: list[int] = []
    for op in main.body.block.ops:
        if isinstance(op, graph.ConstantInterface):
            continue
        reads = tuple(dict.fromkeys(numbers[operand] for operand in op.operands if operand in numbers))
        if isinstance(op, graph.ReshapeOp):
            numbers |= {op.y: numbers[op.x]} if op.x in numbers else {}
        elif isinstance(op, ReturnOp):
            kept = list(reads)
        else:
            numbers |= {result: len(numbers) + place for place, result in enumerate(op.results)}
            allowed = _allowed(op, annotated_device(main, op), devices, bound)
            clocks = {MAIN: 1.0} | {device.name: device.clock for device in devices}
            cycles = {name: cycles_on(op, targets[name]) / clocks[name] for name in allowed}
            ops.append(op)
            steps.append(Placeable(cycles, reads, tuple(numbers[result] for result in op.results)))
    copies = {
        number: {device.name: device.copy_cycles(bytes_of(value)) for device in devices}
        for value, number in reversed(numbers.items())
    }
    found = place(steps, copies, given, kept)
    alone = sum(min(step.cycles.get(MAIN, 0.0), *step.cycles.values()) for step in steps)
    proof = "no placement takes fewer" if found.is_optimal else f"the best of {STATES} placements at a time"
    note = f"the network {found.cycles:,.0f}, {alone:,.0f} without copies; {proof}"
    return CheapestPlacement(
        dict(zip(ops, found.devices, strict=True)), {op: step.cycles for op, step in zip(ops, steps, strict=True)}, note
    )


def _allowed(
    op: Operation, annotated: str | None, devices: Devices, bound: Callable[[Operation], str | None]
) -> list[str]:
    """Return the devices that may run `op`."""
    if bound(op) is not None:
        return [MAIN]
    operator = op.name.partition(".")[2]
    asked = annotated or next((device.name for device in devices if layer_of(op, device) is not None), None)
    asked = asked or next((device.name for device in devices if operator in device.operators), None)
    return [asked] if asked is not None else [MAIN, *(device.name for device in devices if device.placement == COST)]
