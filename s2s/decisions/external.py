"""Decide who computes an operator: the kernels of s2s, or an external code generator.

The subject is a group of operators that a pattern of a generator matches, or a single operator that none does.
"""

from collections.abc import Sequence
from typing import NamedTuple

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused
from s2s.decisions.names import EXTERNAL
from s2s.decisions.operators import OperatorGroup, OperatorKind
from s2s.dialects import graph
from s2s.external.modes import Mode
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.devices import MAIN

KIND = EXTERNAL
OURS = "s2s"


class Offer(NamedTuple):
    """The answer of a generator about a group of operators."""

    generator: str
    mode: Mode
    refusal: str | None = None
    """Why it cannot compute them; None where it can."""
    cycles: float | None = None
    """What they take it; None where it has no figure."""
    ours: float | None = None
    """What they take our kernels, in the same unit."""


@frozen
class OfferedGroup(OperatorGroup):
    """Operators that one generator may compute as a whole."""

    offers: tuple[Offer, ...] = ()
    device: str = MAIN
    """The device that runs them: equal groups may be computed by another generator on another device."""

    @property
    def ours(self) -> float | None:
        """The cycles of our kernels, by the first generator that has a figure to hold against its own."""
        return next((each.ours for each in self.offers if each.ours is not None), None)


class ExternalKind(OperatorKind[OfferedGroup, str], NamedKind[OfferedGroup]):
    """Who computes operators."""

    name = KIND

    def heuristics(self) -> Sequence[tuple[str, Heuristic[OfferedGroup, str]]]:
        return (("--external always", _wished), ("the fewest cycles", _cheapest))

    def key(self, subject: OfferedGroup) -> str:
        key = super().key(subject)
        return key if subject.device == MAIN else f"{key}/{subject.device}"

    def about(self, subject: OfferedGroup) -> str:
        """The operators without constants, each once: a softmax of integers has dozens."""
        computing = (op for op in subject.ops if not isinstance(op, graph.ConstantInterface))
        return ", ".join(dict.fromkeys(op.name.removeprefix("graph.") for op in computing))

    def legal(self, subject: OfferedGroup, choice: str) -> str | None:
        if choice == OURS:
            return None
        offers = {each.generator: each for each in subject.offers}
        if choice not in offers:
            names = ", ".join([OURS, *offers])
            return f"no pattern of {choice} matches, or it is not named by --external; there are {names}"
        return offers[choice].refusal


def _wished(subject: OfferedGroup, target: Target) -> Sequence[Candidate[str] | Refused]:
    wished = [each for each in subject.offers if each.mode == "always" and each.refusal is None]
    if not wished:
        return []
    first = wished[0]
    reason = f"--external {first.generator}=always"
    others = [Refused(each.generator, each.refusal or reason) for each in subject.offers if each is not first]
    return [_candidate(first), Refused(OURS, reason), *others]


def _cheapest(subject: OfferedGroup, target: Target) -> Sequence[Candidate[str] | Refused]:
    return [_us(subject), *_others(subject)]


def _us(subject: OfferedGroup) -> Candidate[str]:
    return Candidate(lambda: OURS, OURS, None if subject.ours is None else Cost(cycles=subject.ours))


def _others(subject: OfferedGroup) -> list[Candidate[str] | Refused]:
    """Return the offers of all generators; offers that may not be chosen for their costs are refused."""
    found: list[Candidate[str] | Refused] = []
    for each in subject.offers:
        if each.refusal is not None:
            found.append(Refused(each.generator, each.refusal))
        elif each.mode == "never":
            found.append(Refused(each.generator, f"--external {each.generator}=never"))
        elif each.cycles is None or each.ours is None:
            found.append(Refused(each.generator, "it has no estimate for this target"))
        else:
            found.append(_candidate(each))
    return found


def _candidate(offer: Offer) -> Candidate[str]:
    name = offer.generator
    return Candidate(lambda: name, name, None if offer.cycles is None else Cost(cycles=offer.cycles))
