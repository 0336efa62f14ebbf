"""The interface of a kind of decisions, and the ranking of candidates by heuristics."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.names import Prefer
from s2s.targets import Target

Subject = TypeVar("Subject")
Choice = TypeVar("Choice")


class Candidate(NamedTuple, Generic[Choice]):
    """An alternative that a heuristic proposes."""

    make: Callable[[], Choice]
    """The choice, worked out only if it is taken or shown."""
    note: str
    """The choice in words."""
    cost: Cost | None = None
    """The estimate that the heuristic ranks by; None for its only proposal, or where order alone ranks."""
    wanted: Prefer | None = None
    """What a user must prefer for it to be chosen, before all others; None for one that is chosen by default."""


class Refused(NamedTuple):
    """An alternative that a heuristic has examined and that is illegal."""

    note: str
    reason: str


Heuristic = Callable[[Subject, Target], Sequence[Candidate[Choice] | Refused]]
"""Proposes candidates for a subject, best guesses first; none where it is not made for the subject."""


class Kind(ABC, Generic[Subject, Choice]):
    """One kind of decisions: its subjects, candidates, legality, estimates, and how a choice is applied."""

    name: ClassVar[str]
    trades_memory: ClassVar[bool] = False
    """Whether alternatives trade memory for time, so that what the user prefers decides; all of them have estimates."""

    @abstractmethod
    def heuristics(self) -> Sequence[tuple[str, Heuristic[Subject, Choice]]]:
        """Return the compiler's own heuristics by name, in the order in which they are asked."""

    @abstractmethod
    def key(self, subject: Subject) -> str:
        """Return the name of `subject` in files of decisions: the same in every compilation of the same model."""

    @abstractmethod
    def home(self, subject: Subject) -> Operation:
        """Return the operation of the IR that the decision is recorded on."""

    @abstractmethod
    def legal(self, subject: Subject, choice: Choice) -> str | None:
        """Return why `choice` is illegal; None if it is legal."""

    def legal_from_outside(self, subject: Subject, choice: Choice) -> str | None:
        """Return why `choice` of a user, a record or a registered heuristic is illegal; None if it is legal. May take
        longer than `legal`, which the compiler's own heuristics are held to."""
        return self.legal(subject, choice)

    def asked(self, subject: Subject) -> Choice | None:
        """The choice that a directive in the IR asks for, which a user has written; None where it leaves this open."""
        return None

    @abstractmethod
    def apply(self, subject: Subject, choice: Choice) -> None:
        """Write `choice` to the attribute that passes obey."""

    @abstractmethod
    def text(self, choice: Choice) -> str:
        """Return `choice` as files of decisions state it."""

    @abstractmethod
    def parse(self, subject: Subject, text: str) -> Choice:
        """Parse a choice; raise a `ValueError` with the reason if `text` is none."""

    def estimate(self, subject: Subject, choice: Choice, target: Target) -> Cost | None:
        """Estimate the cost of `choice`, for heuristics that propose it without one."""
        return None

    def about(self, subject: Subject) -> str:
        """Describe the subject for people."""
        return ""

    def nodes(self, subject: Subject) -> str:
        """Return the nodes of the model that the subject computes."""
        return ""


class NamedKind(Kind[Subject, str]):
    """A kind whose choices are a few names."""

    names: ClassVar[tuple[str, ...]]

    def legal(self, subject: Subject, choice: str) -> str | None:
        return None if choice in self.names else f"it is none of {', '.join(self.names)}"

    def apply(self, subject: Subject, choice: str) -> None:
        """Do nothing: the pass that asked obeys at once."""

    def text(self, choice: str) -> str:
        return choice

    def parse(self, subject: Subject, text: str) -> str:
        return text


def named(*names: str) -> list[Candidate[str]]:
    """Return candidates of a `NamedKind`, ranked by their order."""
    return [Candidate(lambda name=name: name, name) for name in names]
