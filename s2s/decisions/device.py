"""Decide which device runs an operator.

The subject is one operator, named by its nodes in the model: equal layers may run on different devices.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from fnmatch import fnmatchcase

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind
from s2s.dialects.graph import provenance
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.devices import MAIN, ON_DEVICE, Device, Devices

KIND = "device"


@frozen
class PlacedOperator:
    """An operator, and its cost and the obstacles on each device."""

    home: Operation
    op: Operation
    devices: Devices
    """All but the first one."""
    bound: str | None
    """Why only the first device can run it; None if all can."""
    operands: str | None
    """The device that holds all its operands; None if they are on several, or if it has none."""
    annotated: str | None = None
    """The device that an annotation of the network asks for."""
    cheapest: str | None = None
    """Where the cheapest placement of the network has it; None where no device is placed by cost."""
    cycles: Mapping[str, float] = field(default_factory=dict[str, float])
    """What it takes on each device that may run it, in cycles of the first one."""
    placement: str = ""
    """The cheapest placement in words."""

    @property
    def operator(self) -> str:
        """The name of the operator without its dialect: `conv`."""
        return self.op.name.partition(".")[2]


def annotated_device(main: Operation, op: Operation) -> str | None:
    """Return the device that the annotations of `main` ask for one of the nodes of `op`."""
    asked = annotations(main)
    return next((asked[node] for node in provenance(op) if node in asked), None)


def annotations(main: Operation) -> dict[str, str]:
    """Return the nodes that a network places itself, each with its device."""
    found = main.attributes.get(ON_DEVICE)
    if not isinstance(found, DictionaryAttr):
        return {}
    return {node: device.data for node, device in found.data.items() if isinstance(device, StringAttr)}


def layer_of(op: Operation, device: Device) -> str | None:
    """Return the first pattern of `device` that one of the nodes of `op` matches."""
    nodes = provenance(op)
    return next((each for each in device.layers if any(fnmatchcase(node, each) for node in nodes)), None)


class DeviceKind(NamedKind[PlacedOperator]):
    """The devices of operators."""

    name = KIND

    def heuristics(self) -> Sequence[tuple[str, Heuristic[PlacedOperator, str]]]:
        return (
            ("an annotation of the network", _by_annotation),
            ("the layers of its table", _by_layer),
            ("the operators of its table", _by_operator),
            ("the fewest cycles of kernels and copies", _by_cost),
            ("its operands are there", _by_operands),
            ("no table asks for another one", _first),
        )

    def key(self, subject: PlacedOperator) -> str:
        return self.nodes(subject) or subject.operator

    def home(self, subject: PlacedOperator) -> Operation:
        return subject.home

    def about(self, subject: PlacedOperator) -> str:
        return subject.operator

    def nodes(self, subject: PlacedOperator) -> str:
        return ", ".join(provenance(subject.op))

    def estimate(self, subject: PlacedOperator, choice: str, target: Target) -> Cost | None:
        return Cost(cycles=subject.cycles[choice]) if choice in subject.cycles else None

    def legal(self, subject: PlacedOperator, choice: str) -> str | None:
        names = [MAIN, *(device.name for device in subject.devices)]
        if choice not in names:
            return f"it is none of {', '.join(names)}"
        return subject.bound if choice != MAIN else None


def _where(subject: PlacedOperator, found: Callable[[Device], str | None]) -> list[Candidate[str]]:
    """Propose the devices for which `found` gives a reason."""
    reasons = [(device.name, reason) for device in subject.devices if (reason := found(device)) is not None]
    return [Candidate(lambda name=name: name, f"{name}: {reason}") for name, reason in reasons]


def _by_annotation(subject: PlacedOperator, target: Target) -> Sequence[Candidate[str]]:
    name = subject.annotated
    return [] if name is None else [Candidate(lambda: name, f"{name}: on_device")]


def _by_layer(subject: PlacedOperator, target: Target) -> Sequence[Candidate[str]]:
    def pattern(device: Device) -> str | None:
        found = layer_of(subject.op, device)
        return None if found is None else f"layer {found}"

    return _where(subject, pattern)


def _by_operator(subject: PlacedOperator, target: Target) -> Sequence[Candidate[str]]:
    return _where(
        subject, lambda device: f"operator {subject.operator}" if subject.operator in device.operators else None
    )


def _by_cost(subject: PlacedOperator, target: Target) -> Sequence[Candidate[str]]:
    """Propose the device of the cheapest placement first, then the others by the cycles of the operator alone."""
    if subject.cheapest is None:
        return []
    others = sorted(
        (name for name in subject.cycles if name != subject.cheapest), key=lambda name: subject.cycles[name]
    )
    notes = {name: f"{name}: {subject.cycles[name]:,.0f} cycles without copies" for name in subject.cycles}
    notes[subject.cheapest] += f"; {subject.placement}"
    return [Candidate(lambda name=name: name, notes[name]) for name in (subject.cheapest, *others)]


def _by_operands(subject: PlacedOperator, target: Target) -> Sequence[Candidate[str]]:
    """Propose the device of the operands for operators that cost less than a copy of them."""
    return _where(subject, lambda device: "its operands are there" if device.name == subject.operands else None)


def _first(subject: PlacedOperator, target: Target) -> Sequence[Candidate[str]]:
    return [Candidate(lambda: MAIN, MAIN)]
