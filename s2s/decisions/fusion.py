"""Decide which operators share a kernel: one kernel for a group that the fusion rules allow, or a kernel for each
operator.

Attentions are a kind of their own, as other rules form their kernels.
"""

from collections.abc import Sequence
from math import prod

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, named
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.targets import Target
from s2s.types.dtypes import as_tensor_type, size_in_bytes

TOGETHER, APART = "one kernel", "a kernel each"


class FusionDecision(OperatorKind[OperatorGroup, str], NamedKind[OperatorGroup]):
    """The decision whether operators share a kernel."""

    name = "fusion"
    names = (TOGETHER, APART)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[OperatorGroup, str]]]:
        return (("the rules of fusion", _whatever_may),)

    def estimate(self, subject: OperatorGroup, choice: str, target: Target) -> Cost | None:
        between = [result for op in subject.ops[:-1] for result in op.results] if choice == APART else []
        types = [as_tensor_type(value.type) for value in between]
        return Cost(ram=sum(prod(each.get_shape()) * size_in_bytes(each.element_type) for each in types))


class AttentionDecision(FusionDecision):
    """The decision whether an attention is one kernel, so that its scores never exist as a whole."""

    name = "attention"


def _whatever_may(subject: OperatorGroup, target: Target) -> Sequence[Candidate[str]]:
    """Propose one kernel, so that intermediate tensors cost no pass over memory."""
    return named(TOGETHER, APART)
