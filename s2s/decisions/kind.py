"""What a kind of decisions has to say, and how heuristics rank its candidates."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.support.dataclass import dataclass
from s2s.targets import Target

Subject = TypeVar("Subject")
Choice = TypeVar("Choice")


@dataclass(frozen=True)
class Candidate(Generic[Choice]):
    """An alternative that a heuristic proposes."""

    make: Callable[[], Choice]
    """The choice, worked out only if it is taken or shown."""
    note: str
    """The choice in words."""
    cost: Cost | None = None
    """The estimate that the heuristic ranks by; None for its only proposal, or where order alone ranks."""


@dataclass(frozen=True)
class Refused:
    """An alternative that a heuristic has looked at and that cannot be."""

    note: str
    reason: str


Heuristic = Callable[[Subject, Target], Sequence[Candidate[Choice] | Refused]]
"""Proposes candidates for a subject, best guesses first; none where it is not made for the subject."""


class Kind(ABC, Generic[Subject, Choice]):
    """One kind of decisions."""

    name: ClassVar[str]

    @abstractmethod
    def heuristics(self) -> Sequence[tuple[str, Heuristic[Subject, Choice]]]:
        """The compiler's own heuristics by name, in the order in which they are asked."""

    @abstractmethod
    def key(self, subject: Subject) -> str:
        """The name of `subject` in files of decisions: the same in every compilation of the same model."""

    @abstractmethod
    def home(self, subject: Subject) -> Operation:
        """The operation of the IR that the decision is written on."""

    @abstractmethod
    def legal(self, subject: Subject, choice: Choice) -> str | None:
        """Why `choice` cannot be; None where it can."""

    def legal_from_outside(self, subject: Subject, choice: Choice) -> str | None:
        """Why `choice` of a user, a record or a registered heuristic cannot be; None where it can. May take longer than
        `legal`, which the compiler's own heuristics are held to."""
        return self.legal(subject, choice)

    def asked(self, subject: Subject) -> Choice | None:
        """The choice that a directive in the IR asks for, which a user has written; None where it leaves this open."""
        return None

    @abstractmethod
    def apply(self, subject: Subject, choice: Choice) -> None:
        """Write `choice` where passes obey it."""

    @abstractmethod
    def text(self, choice: Choice) -> str:
        """`choice` as files of decisions have it."""

    @abstractmethod
    def parse(self, subject: Subject, text: str) -> Choice:
        """The choice that `text` stands for; a `ValueError` says why it stands for none."""

    def estimate(self, subject: Subject, choice: Choice, target: Target) -> Cost | None:
        """What `choice` costs, where a heuristic that proposes it has not said so."""
        return None

    def about(self, subject: Subject) -> str:
        """The subject for people."""
        return ""

    def nodes(self, subject: Subject) -> str:
        """The nodes of the model that the subject computes."""
        return ""


class NamedKind(Kind[Subject, str]):
    """A kind whose choices are a few names."""

    names: ClassVar[tuple[str, ...]]

    def legal(self, subject: Subject, choice: str) -> str | None:
        return None if choice in self.names else f"it is none of {', '.join(self.names)}"

    def apply(self, subject: Subject, choice: str) -> None:
        """Leave it to the pass that asked, which obeys at once."""

    def text(self, choice: str) -> str:
        return choice

    def parse(self, subject: Subject, text: str) -> str:
        return text


def named(*names: str) -> list[Candidate[str]]:
    """Candidates of a `NamedKind` that their order ranks."""
    return [Candidate(lambda name=name: name, name) for name in names]
