"""Decide how a strided transposed convolution is computed: directly, or by ordinary convolutions for the phases of its
result.

The subject is named by a hash over the operator and its types.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import StringAttr

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused, named
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.support.frozen import frozen
from s2s.targets import Target

SPLIT = "split"
"""Discardable attribute of a transposed convolution: how it is to be computed."""
AS_IT_IS, AT_ONCE, APART = "as it is", "one convolution", "a convolution for each phase"
MAX_WORK_SHARE = 0.8
"""Maximum share of the combined convolution's work for which separate convolutions are worth more kernels."""


@frozen
class TransposedConvolution(OperatorGroup):
    """A strided transposed convolution with constant weights."""

    work: Mapping[str, int]
    """Products that the loops of each way visit; a way that is not there is not possible."""


class TransposedConvolutionKind(OperatorKind[TransposedConvolution, str], NamedKind[TransposedConvolution]):
    """Ways to compute transposed convolutions."""

    name = "transposed convolution"
    names = (AS_IT_IS, AT_ONCE, APART)

    def heuristics(self) -> Sequence[tuple[str, Heuristic[TransposedConvolution, str]]]:
        return (("multiply-adds", _least_work),)

    def legal(self, subject: TransposedConvolution, choice: str) -> str | None:
        if choice == APART and APART not in subject.work:
            return "it has groups, or a phase without taps, or one that does not read all of the input"
        return super().legal(subject, choice)

    def apply(self, subject: TransposedConvolution, choice: str) -> None:
        if choice != AS_IT_IS:
            subject.ops[0].attributes[SPLIT] = StringAttr(choice)

    def estimate(self, subject: TransposedConvolution, choice: str, target: Target) -> Cost | None:
        return Cost(cycles=subject.work[choice] / target.lanes) if choice in subject.work else None


def _least_work(subject: TransposedConvolution, target: Target) -> Sequence[Candidate[str] | Refused]:
    """Propose one convolution, unless separate ones save much of its work."""
    if APART not in subject.work:
        reason = TransposedConvolutionKind().legal(subject, APART) or ""
        return [*named(AT_ONCE), Refused(APART, reason), *named(AS_IT_IS)]
    saves = subject.work[APART] <= MAX_WORK_SHARE * subject.work[AT_ONCE]
    return named(APART, AT_ONCE, AS_IT_IS) if saves else named(AT_ONCE, APART, AS_IT_IS)
