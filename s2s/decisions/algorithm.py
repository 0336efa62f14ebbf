"""Decide the algorithm of a 3x3 convolution: directly, or by Winograd's algorithm on tiles of 2x2 or 4x4 results."""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.analysis.structure.convolutions import Convolution
from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, named
from s2s.dialects import tensor
from s2s.schedules.convolutions import constant_bytes_by_outputs, cycles_by_outputs, integer_cycles_by_outputs
from s2s.targets import Target

ALGORITHM = "algorithm"
"""Discardable attribute of a convolution: the algorithm that was chosen."""
DIRECT = "direct"
OUTPUTS = {DIRECT: 0, "winograd 2x2": 2, "winograd 4x4": 4}
"""The algorithms, with the results along the side of a tile."""
EXACT = 2
"""The tiles whose factors are integers of 16 bits where the image is of bytes."""


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
    wished: int | None = None
    """The results along the side of a tile that a pass was told to take."""


class AlgorithmKind(NamedKind[FilteredConvolution]):
    """Algorithms of convolutions."""

    name = "algorithm"
    names = tuple(OUTPUTS)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[FilteredConvolution, str]]]:
        return (("an option of the pass", _wished), ("cycles of products, transforms and constants", _cheapest))

    def legal(self, subject: FilteredConvolution, choice: str) -> str | None:
        if subject.conv.in_integers and OUTPUTS.get(choice, 0) > EXACT:
            return f"tiles of {choice} round, and bytes are computed exactly; give direct or winograd {EXACT}x{EXACT}"
        return super().legal(subject, choice)

    def key(self, subject: FilteredConvolution) -> str:
        return subject.key

    def home(self, subject: FilteredConvolution) -> Operation:
        return subject.kernel

    def about(self, subject: FilteredConvolution) -> str:
        return subject.kernel.sym_name.data

    def nodes(self, subject: FilteredConvolution) -> str:
        return subject.nodes

    def apply(self, subject: FilteredConvolution, choice: str) -> None:
        subject.conv.op.attributes[ALGORITHM] = StringAttr(choice)


def chosen_outputs(op: tensor.ComputeOp) -> int:
    """Return the side of the result tile that was chosen for `op`; 0 for the direct algorithm."""
    chosen = op.attributes.get(ALGORITHM)
    return OUTPUTS[chosen.data] if isinstance(chosen, StringAttr) else 0


def _wished(subject: FilteredConvolution, target: Target) -> Sequence[Candidate[str]]:
    rounds = subject.conv.in_integers and (subject.wished or 0) > EXACT
    return named(*(name for name, outputs in OUTPUTS.items() if outputs == subject.wished and not rounds))


def _cheapest(subject: FilteredConvolution, target: Target) -> Sequence[Candidate[str]]:
    if subject.conv.in_integers:
        cycles = integer_cycles_by_outputs(subject.conv, target, subject.network, subject.copied)
    else:
        cycles = cycles_by_outputs(subject.conv, target, subject.network, subject.copied)
    constants = constant_bytes_by_outputs(subject.conv)
    known = {name: outputs for name, outputs in OUTPUTS.items() if outputs in cycles}
    costs = {name: Cost(cycles=cycles[outputs], flash=constants[outputs]) for name, outputs in known.items()}
    return [Candidate(lambda name=name: name, name, cost) for name, cost in costs.items()]
