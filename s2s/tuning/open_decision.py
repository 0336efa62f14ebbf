"""Decisions that leave a choice, and decisions as the texts of points."""

import json
from collections.abc import Collection, Iterable

from s2s.decisions.decision import Decision, Table
from s2s.support.frozen import frozen
from s2s.tuning.records import Decided


@frozen
class OpenDecision:
    """A decision with several legal choices, of which the first one is the compiler's own."""

    kind: str
    subject: str
    choices: tuple[str, ...]
    about: str
    nodes: frozenset[str] = frozenset()
    """The nodes of the model that it concerns."""

    def place(self, chosen: str | None) -> int | None:
        """The index of a choice, of the compiler's own for None; None where it is no candidate."""
        if chosen is None:
            return 0
        return self.choices.index(chosen) if chosen in self.choices else None


def open_decisions(made: Iterable[Decision], kinds: Collection[str]) -> tuple[OpenDecision, ...]:
    """Return the decisions of some kinds that leave a choice, from a compilation that records all candidates."""
    found = [
        OpenDecision(each.kind, each.subject, _choices(each), each.about, frozenset(each.nodes.split(", ")))
        for each in made
        if each.kind in kinds and each.by != "user"
    ]
    return tuple(each for each in found if len(each.choices) > 1)


def _choices(decision: Decision) -> tuple[str, ...]:
    legal = (each.choice for each in decision.candidates if each.choice is not None and each.refused is None)
    return tuple(dict.fromkeys((decision.chosen, *legal)))


def text_of(decided: Decided) -> str:
    """Return decisions as the text of a point."""
    return json.dumps(sorted(decided), ensure_ascii=False)


def decided_of(text: str) -> Decided:
    """Return the decisions of the text of a point."""
    return tuple((kind, subject, chosen) for kind, subject, chosen in json.loads(text))


def table_of(decided: Decided) -> Table:
    """Return decisions by kind and subject."""
    found: dict[str, dict[str, str]] = {}
    for kind, subject, chosen in decided:
        found.setdefault(kind, {})[subject] = chosen
    return found
