"""Which operators share a kernel: for each group that the rules of fusion allow, one kernel or a kernel each.

The subject is named by a hash over what the operators of the group do, and on which types: equal groups are decided
alike. Attentions are a kind of their own, as other rules form their kernels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.keys import group_key
from s2s.decisions.kind import Candidate, Heuristic, Kind
from s2s.dialects.graph import provenance
from s2s.targets import Target
from s2s.types.dtypes import as_tensor_type, size_in_bytes

TOGETHER, APART = "one kernel", "a kernel each"


@dataclass(frozen=True)
class OperatorGroup:
    """Operators that may share a kernel, in the order of the data."""

    home: Operation
    ops: tuple[Operation, ...]


class FusionDecision(Kind[OperatorGroup, str]):
    """Whether operators share a kernel."""

    name = "fusion"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[OperatorGroup, str]]]:
        return (("the rules of fusion", _whatever_may),)

    def key(self, subject: OperatorGroup) -> str:
        return group_key(subject.ops)

    def home(self, subject: OperatorGroup) -> Operation:
        return subject.home

    def about(self, subject: OperatorGroup) -> str:
        return ", ".join(op.name.removeprefix("graph.") for op in subject.ops)

    def nodes(self, subject: OperatorGroup) -> str:
        return ", ".join(dict.fromkeys(node for op in subject.ops for node in provenance(op)))

    def legal(self, subject: OperatorGroup, choice: str) -> str | None:
        return None if choice in (TOGETHER, APART) else "operators share one kernel, or have a kernel each"

    def apply(self, subject: OperatorGroup, choice: str) -> None:
        """The pass outlines the kernels at once."""

    def text(self, choice: str) -> str:
        return choice

    def parse(self, subject: OperatorGroup, text: str) -> str:
        return text

    def estimate(self, subject: OperatorGroup, choice: str, target: Target) -> Cost | None:
        between = [result for op in subject.ops[:-1] for result in op.results] if choice == APART else []
        types = [as_tensor_type(value.type) for value in between]
        return Cost(ram=sum(prod(each.get_shape()) * size_in_bytes(each.element_type) for each in types))


class AttentionDecision(FusionDecision):
    """Whether an attention is one kernel, so that its scores never exist whole."""

    name = "attention"


def _whatever_may(subject: OperatorGroup, target: Target) -> Sequence[Candidate[str]]:
    """One kernel: what passes between its operators costs no pass over memory."""
    return [Candidate(lambda name=name: name, name) for name in (TOGETHER, APART)]
