"""Decide the order in which a network calls its kernels, which determines the buffers that are live at the same time.

The subject is a function of calls, by its name. A choice lists the calls by their numbers in the order of the model:
`0 2 1`, or `as given`.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import Operation

from s2s.decisions.decision import Cost
from s2s.decisions.kind import Candidate, Heuristic, Kind
from s2s.memory.order import order_steps, peak_of
from s2s.memory.steps import Step
from s2s.targets import Target

GIVEN = "as given"
Order = tuple[int, ...]


class Calls(NamedTuple):
    """The calls of one function, as steps over values of known sizes."""

    home: Operation
    function: str
    steps: tuple[Step, ...]
    sizes: tuple[int, ...]
    arrange: Callable[[Order], None]
    """Puts the calls into an order."""


class OrderKind(Kind[Calls, Order]):
    """Orders of calls."""

    name = "order"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[Calls, Order]]]:
        return (("the smallest peak of live bytes", _smallest),)

    def key(self, subject: Calls) -> str:
        return subject.function

    def home(self, subject: Calls) -> Operation:
        return subject.home

    def about(self, subject: Calls) -> str:
        return subject.function

    def legal(self, subject: Calls, choice: Order) -> str | None:
        count = len(subject.steps)
        if sorted(choice) != list(range(count)):
            return f"an order names each of the calls 0 … {count - 1} once"
        made = {value: number for number, step in enumerate(subject.steps) for value in step.writes}
        places = {number: place for place, number in enumerate(choice)}
        for number, step in enumerate(subject.steps):
            for read in step.reads:
                if read in made and places[made[read]] > places[number]:
                    return f"call {number} reads what call {made[read]} writes, which comes later"
        return None

    def apply(self, subject: Calls, choice: Order) -> None:
        subject.arrange(choice)

    def text(self, choice: Order) -> str:
        return GIVEN if choice == tuple(range(len(choice))) else " ".join(map(str, choice))

    def parse(self, subject: Calls, text: str) -> Order:
        if text == GIVEN:
            return tuple(range(len(subject.steps)))
        if not all(word.isdecimal() for word in text.split()):
            raise ValueError(f"give numbers of calls, or `{GIVEN}`")
        return tuple(map(int, text.split()))

    def estimate(self, subject: Calls, choice: Order, target: Target) -> Cost | None:
        return Cost(ram=peak_of([subject.steps[number] for number in choice], subject.sizes))


def _smallest(subject: Calls, target: Target) -> Sequence[Candidate[Order]]:
    found, given = tuple(order_steps(subject.steps, subject.sizes)), tuple(range(len(subject.steps)))
    others = [] if found == given else [Candidate(lambda: given, "the order of the model")]
    return [Candidate(lambda: found, "the smallest peak that was found"), *others]
