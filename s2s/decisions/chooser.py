"""The only place where the compiler chooses: what the user says, else a record, else the cheapest estimate.

Heuristics are asked in order; of the candidates of the first one that has any, the cheapest legal one is taken, the
first of equal ones. Without costs their order decides.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from math import inf
from types import TracebackType
from typing import Any, Generic, NamedTuple, Self

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from s2s.decisions.decision import Alternative, By, Cost, Decision
from s2s.decisions.given import Given, Measured, Modelled, look_up
from s2s.decisions.kind import Candidate, Choice, Kind, Refused, Subject
from s2s.decisions.names import Prefer
from s2s.decisions.recorded import decisions_of, record
from s2s.decisions.registry import candidates, heuristics_of
from s2s.errors import CompilerBug, InputError
from s2s.targets import Target

MEASURED = "measured"
"""Why a record's choice is taken."""
DIRECTIVE = "a directive of its schedule"
"""Why a choice is taken that the IR asks for."""
SHOWN = 8
"""Legal choices that an error lists."""


class _Ranked(NamedTuple, Generic[Choice]):
    """The candidates of a subject in the order of the heuristics."""

    choice: Choice
    why: str
    compared: Sequence[Candidate[Choice] | Refused]
    """What the heuristic that decided has looked at."""
    later: int
    """The heuristics that were not asked, from this one on."""


class Chooser:
    """Makes the decisions of one pass; the pass runs inside of this context manager."""

    def __init__(self, given: Given, target: Target) -> None:
        self.given, self.target = given, target
        self._met: Counter[tuple[str, str]] = Counter()
        self._made: dict[Operation, list[tuple[Decision, int]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for op, made in self._made.items():
            record(op, made)

    def choose(self, kind: Kind[Subject, Choice], subject: Subject) -> Choice:
        """Decide, apply the choice, and record the decision, which is written into the IR at the end of the pass."""
        if self.given.kinds is not None and kind.name not in self.given.kinds:
            raise CompilerBug(f"{kind.name}: the stage of this pass does not decide it; name it in s2s/stages/order.py")
        key = kind.key(subject)
        self._met[kind.name, key] += 1
        occurrence = self._met[kind.name, key]
        ranked = self._ranked(kind, subject)
        chosen, by, why = self._overruled(kind, subject, key, occurrence, ranked)
        decision = Decision(
            kind=kind.name,
            subject=key,
            chosen=kind.text(chosen),
            by=by,
            why=why,
            about=kind.about(subject),
            nodes=kind.nodes(subject),
            candidates=tuple(self._alternatives(kind, subject, ranked)),
        )
        self._made.setdefault(kind.home(subject), []).append((decision, occurrence))
        kind.apply(subject, chosen)
        return chosen

    def _overruled(
        self, kind: Kind[Subject, Choice], subject: Subject, key: str, occurrence: int, ranked: _Ranked[Choice]
    ) -> tuple[Choice, By, str]:
        """Return the choice, who made it and why; a choice that equals the model's counts as the model's."""
        found = look_up(self.given.user, kind.name, key, occurrence)
        asked = kind.asked(subject)
        if asked is not None and (found is None or isinstance(found[1], Modelled) or found[1] == kind.text(asked)):
            return asked, "user", DIRECTIVE
        if found is not None:
            chosen, reason = _read(kind, subject, found[1])
            if chosen is not None and kind.text(chosen) == kind.text(ranked.choice):
                return _by_model(ranked)
            if chosen is not None:
                return (chosen, "record", MEASURED) if isinstance(found[1], Measured) else (chosen, "user", "given")
            if not isinstance(found[1], Modelled | Measured) or not self._differs_before(kind.home(subject)):
                raise InputError(self._illegal(kind, subject, found, reason))
        recorded = look_up(self.given.records, kind.name, key, occurrence)
        if recorded is not None:
            chosen, _ = _read(kind, subject, recorded[1])
            if chosen is not None and kind.text(chosen) != kind.text(ranked.choice):
                return chosen, "record", MEASURED
        return _by_model(ranked)

    def _differs_before(self, home: Operation) -> bool:
        """Return whether an earlier decision differs from the choice of the compiler's own models: later choices of
        these models, written down before, may then be illegal."""
        while (parent := home.parent_op()) is not None:
            home = parent
        noted = [decision for made in self._made.values() for decision, _ in made]
        earlier = decisions_of(home) if isinstance(home, ModuleOp) else ()
        return any(each.by != "model" for each in (*earlier, *noted))

    def _ranked(self, kind: Kind[Subject, Choice], subject: Subject) -> _Ranked[Choice]:
        asked, own = heuristics_of(kind), kind.heuristics()
        for number, (name, heuristic) in enumerate(asked, 1):
            compared = heuristic(subject, self.target)
            allowed = (None, self.given.prefer)
            proposed = [each for each in compared if isinstance(each, Candidate) and each.wanted in allowed]
            prefer = self.given.prefer if kind.trades_memory else None
            for each in sorted(self._sorted(kind, subject, proposed, prefer), key=lambda each: each.wanted is None):
                choice = each.make()
                legal = kind.legal if (name, heuristic) in own else kind.legal_from_outside
                if legal(subject, choice) is None:
                    decisive = each.wanted or prefer
                    why = name if decisive is None else f"{name}; --prefer {decisive}"
                    return _Ranked(choice, why, compared, number)
        raise CompilerBug(f"no heuristic has a legal candidate for the {kind.name} of {kind.key(subject)}")

    def _sorted(
        self,
        kind: Kind[Subject, Choice],
        subject: Subject,
        proposed: Sequence[Candidate[Choice]],
        prefer: Prefer | None,
    ) -> list[Candidate[Choice]]:
        """Return the candidates, the best one first: by the figure that is preferred, else by cycles where they have
        costs."""
        if prefer is None:
            return sorted(proposed, key=_cycles)
        costs = [each.cost or kind.estimate(subject, each.make(), self.target) or Cost() for each in proposed]
        ranked = sorted(enumerate(proposed), key=lambda pair: costs[pair[0]].preferred(prefer))
        return [each for _, each in ranked]

    def _alternatives(
        self, kind: Kind[Subject, Choice], subject: Subject, ranked: _Ranked[Choice]
    ) -> list[Alternative]:
        every = list(ranked.compared)
        if self.given.detailed:
            for _, heuristic in heuristics_of(kind)[ranked.later :]:
                every += heuristic(subject, self.target)
        return [self._told(kind, subject, each) for each in every]

    def _told(self, kind: Kind[Subject, Choice], subject: Subject, each: Candidate[Choice] | Refused) -> Alternative:
        if isinstance(each, Refused):
            return Alternative(each.note, refused=each.reason)
        if not self.given.detailed:
            return Alternative(each.note, cost=each.cost)
        choice = each.make()
        cost = each.cost if each.cost is not None else kind.estimate(subject, choice, self.target)
        return Alternative(each.note, kind.text(choice), cost, kind.legal(subject, choice))

    def _illegal(self, kind: Kind[Subject, Choice], subject: Subject, entry: tuple[str, str], reason: str) -> str:
        made = (candidate.make() for candidate in candidates(kind, subject, self.target))
        legal = (kind.text(choice) for choice in made if kind.legal(subject, choice) is None)
        shown = list(dict.fromkeys(islice(legal, SHOWN)))
        where = f"{kind.name} of {entry[0]}" + (f" ({about})" if (about := kind.about(subject)) else "")
        return f"--decisions: {where}: {entry[1]} is not legal: {reason}; legal are for example {', '.join(shown)}"


def _by_model(ranked: _Ranked[Choice]) -> tuple[Choice, By, str]:
    return ranked.choice, "model", ranked.why


def _read(kind: Kind[Subject, Choice], subject: Subject, text: str) -> tuple[Choice | None, str]:
    """Return the legal choice that `text` stands for, or None and the reason against it."""
    try:
        choice = kind.parse(subject, text)
    except ValueError as error:
        return None, str(error)
    reason = kind.legal_from_outside(subject, choice)
    return (choice, "") if reason is None else (None, reason)


def _cycles(candidate: Candidate[Any]) -> float:
    return inf if candidate.cost is None or candidate.cost.cycles is None else candidate.cost.cycles
