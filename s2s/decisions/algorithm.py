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
from s2s.schedules.convolutions import constant_bytes_by_outputs, cycles_by_outputs
from s2s.targets import Target

ALGORITHM = "algorithm"
"""Discardable attribute of a convolution: the algorithm that was chosen."""
DIRECT = "direct"
OUTPUTS = {DIRECT: 0, "winograd 2x2": 2, "winograd 4x4": 4}
"""The algorithms, with the results along the side of a tile."""


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
    return named(*(name for name, outputs in OUTPUTS.items() if outputs == subject.wished))


def _cheapest(subject: FilteredConvolution, target: Target) -> Sequence[Candidate[str]]:
    cycles = cycles_by_outputs(subject.conv, target, subject.network, subject.copied)
    constants = constant_bytes_by_outputs(subject.conv)
    costs = {name: Cost(cycles=cycles[outputs], flash=constants[outputs]) for name, outputs in OUTPUTS.items()}
    return [Candidate(lambda name=name: name, name, cost) for name, cost in costs.items()]
