"""Decide the algorithm of a convolution of three taps along one axis or two: directly, or by Winograd's algorithm on
tiles of 2 or 4 results along one axis, or of 2x2 or 4x4."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.structure.compute import shape_of
from s2s.analysis.structure.convolutions import Convolution
from s2s.analysis.structure.winograd import exact_division, plane_filter
from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, named
from s2s.dialects import tensor
from s2s.schedules.convolutions import (
    ONE,
    Outputs,
    constant_bytes_by_outputs,
    cycles_by_outputs,
    factors_and_sums,
    integer_cycles_by_outputs,
)
from s2s.targets import Target
from s2s.types.dtypes import to_numpy

ALGORITHM = "algorithm"
"""Discardable attribute of a convolution: the algorithm that was chosen."""
DIRECT = "direct"
PLAN_STEPS = 1024
"""The steps of flash that a plan counts in."""
OUTPUTS: Mapping[str, Outputs] = {
    DIRECT: ONE,
    "winograd 2": (1, 2),
    "winograd 4": (1, 4),
    "winograd 2x2": (2, 2),
    "winograd 4x4": (4, 4),
}
"""The algorithms, with the results of a tile."""


class FilteredConvolution(NamedTuple):
    """A convolution that Winograd's algorithm can compute."""

    conv: Convolution
    kernel: FuncOp
    key: str
    nodes: str
    network: int
    """Bytes of all constants of the network."""
    copied: int
    """Elements of image and result that Winograd's algorithm has to copy."""
    tiles: tuple[Outputs, ...]
    """The tiles by which Winograd's algorithm can compute it."""
    wished: int | None = None
    """The results along the side of a square tile that a pass was told to take."""
    planned: str | None = None
    """What a plan for all convolutions within a budget of flash has this one take."""
    ram: int | None = None
    """Bytes of RAM that a plan may take; None: any number."""


class AlgorithmKind(NamedKind[FilteredConvolution]):
    """Algorithms of convolutions."""

    name = "algorithm"
    trades_memory = True
    names = tuple(OUTPUTS)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[FilteredConvolution, str]]]:
        return (
            ("an option of the pass", _wished),
            ("the most cycles saved within --flash-budget", _planned),
            ("cycles of products, transforms and constants", _cheapest),
        )

    def legal(self, subject: FilteredConvolution, choice: str) -> str | None:
        return self.legal_from_outside(subject, choice) or _exceeds(subject, OUTPUTS[choice])

    def legal_from_outside(self, subject: FilteredConvolution, choice: str) -> str | None:
        names = [name for name, outputs in OUTPUTS.items() if outputs in (ONE, *subject.tiles)]
        if choice not in names:
            return f"it is none of {', '.join(names)}"
        return _leaves_word(subject.conv, OUTPUTS[choice])

    def key(self, subject: FilteredConvolution) -> str:
        return subject.key

    def home(self, subject: FilteredConvolution) -> Operation:
        return subject.kernel

    def about(self, subject: FilteredConvolution) -> str:
        return subject.kernel.sym_name.data

    def nodes(self, subject: FilteredConvolution) -> str:
        return subject.nodes

    def estimate(self, subject: FilteredConvolution, choice: str, target: Target) -> Cost | None:
        return _costs(subject, target).get(choice)

    def apply(self, subject: FilteredConvolution, choice: str) -> None:
        subject.conv.op.attributes[ALGORITHM] = StringAttr(choice)


def chosen_outputs(op: tensor.ComputeOp) -> Outputs:
    """Return the rows and columns of the result tile that was chosen for `op`; one for the direct algorithm."""
    chosen = op.attributes.get(ALGORITHM)
    return OUTPUTS[chosen.data] if isinstance(chosen, StringAttr) else ONE


def _leaves_word(conv: Convolution, outputs: Outputs) -> str | None:
    """Return why the sums of bytes by tiles could be too large: exact division leaves fewer than 32 bits to them."""
    if not conv.in_integers or outputs == ONE:
        return None
    places, _ = exact_division(plane_filter(outputs, conv.taps, integers=True).scale)
    largest = max(abs(conv.offset - 128), abs(conv.offset + 127)) * 128 * prod(conv.taps) * conv.in_channels
    if largest << places < 1 << 31:
        return None
    return f"sums of {conv.in_channels} channels could leave {32 - places} bits; give {DIRECT}, or smaller tiles"


def _wished(subject: FilteredConvolution, target: Target) -> Sequence[Candidate[str]]:
    side = subject.wished
    return named(*(name for name, outputs in OUTPUTS.items() if side and outputs == (side, side)))


def _exceeds(subject: FilteredConvolution, outputs: Outputs) -> str | None:
    """Return why a budget of RAM does not allow an algorithm: image, result and what passes between the steps are in
    memory at once, the image perhaps where the result is."""
    if subject.ram is None or outputs == ONE:
        return None
    needed = prod(shape_of(subject.conv.op.res[0])) * _bytes(subject.conv.op.res[0])
    needed += block_bytes(subject.conv, outputs)
    if needed <= subject.ram:
        return None
    return f"it takes at least {needed:,} bytes of RAM, and --ram-budget allows {subject.ram:,}"


def _bytes(value: SSAValue) -> int:
    return to_numpy(tensor.element_type(value)).itemsize


def _planned(subject: FilteredConvolution, target: Target) -> Sequence[Candidate[str]]:
    return named(*([subject.planned] if subject.planned is not None else []))


def plan_within(subjects: Sequence[FilteredConvolution], target: Target, flash: int) -> list[str]:
    """Return the algorithm of each convolution with which all of them take the fewest cycles, and constants of at most
    `flash` bytes more than direct convolution."""
    kind = AlgorithmKind()
    step = max(1, -(-flash // PLAN_STEPS))
    plans: dict[int, tuple[float, list[str]]] = {0: (0.0, [])}
    for subject in subjects:
        costs = _costs(subject, target)
        least = costs[DIRECT].flash or 0
        made: dict[int, tuple[float, list[str]]] = {}
        for name, cost in costs.items():
            more = max(0, -(-((cost.flash or 0) - least) // step))
            if kind.legal(subject, name) is not None:
                continue
            for taken, (cycles, names) in plans.items():
                total, found = taken + more, (cycles + (cost.cycles or 0.0), [*names, name])
                if total * step <= flash and (total not in made or found[0] < made[total][0]):
                    made[total] = found
        plans = made
    return min(plans.values(), key=lambda plan: plan[0])[1]


def _cheapest(subject: FilteredConvolution, target: Target) -> Sequence[Candidate[str]]:
    costs = _costs(subject, target)
    if target.l1_bytes or not subject.conv.in_integers:
        return [Candidate(lambda name=name: name, name, cost) for name, cost in costs.items()]
    return named(*costs)


def _costs(subject: FilteredConvolution, target: Target) -> dict[str, Cost]:
    """Return the estimated costs of the algorithms, the one that takes least memory first."""
    conv = subject.conv
    model = integer_cycles_by_outputs if conv.in_integers else cycles_by_outputs
    cycles = model(conv, target, subject.network, subject.copied)
    constants = constant_bytes_by_outputs(conv, target)
    known = {name: outputs for name, outputs in OUTPUTS.items() if outputs in cycles}
    return {
        name: Cost(cycles[outputs], None if target.l1_bytes else block_bytes(conv, outputs), constants[outputs])
        for name, outputs in known.items()
    }


def block_bytes(conv: Convolution, outputs: Outputs) -> int:
    """Return the bytes of factors and sums of one row of tiles, the smallest block that its steps share; 0 for direct
    convolution."""
    if outputs == ONE:
        return 0
    factors, sums = factors_and_sums(conv, outputs)
    wide = 2 if conv.in_integers else 4
    return -(-conv.size[1] // outputs[1]) * (factors * wide * conv.in_channels + sums * 4 * conv.out_channels)
