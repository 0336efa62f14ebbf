"""The heuristics of each kind of decisions: the compiler's, and the ones that programs register.

def narrow(subject: Computation, target: Target) -> list[Candidate[tensor.ScheduleAttr]]: …

register_heuristic("schedule", "narrow tiles", narrow)
"""

from collections.abc import Iterator
from typing import Any

from s2s.decisions.kind import Candidate, Choice, Heuristic, Kind, Subject
from s2s.decisions.names import KINDS
from s2s.errors import InputError
from s2s.targets import Target

_REGISTERED: dict[str, dict[str, Heuristic[Any, Any]]] = {}


def register_heuristic(kind: str, name: str, heuristic: Heuristic[Any, Any]) -> None:
    """Ask `heuristic` for candidates of `kind` before the compiler's own ones; the last registered one is asked
    first."""
    if kind not in KINDS:
        raise InputError(f"register_heuristic: {kind}: there is no such kind; the kinds are {', '.join(KINDS)}")
    _REGISTERED.setdefault(kind, {})[name] = heuristic


def remove_heuristic(kind: str, name: str) -> None:
    """Remove a registered heuristic."""
    if _REGISTERED.get(kind, {}).pop(name, None) is None:
        raise InputError(
            f"remove_heuristic: {name}: no heuristic of that name is registered for {kind}; name one that is"
        )


def heuristics_of(kind: Kind[Subject, Choice]) -> list[tuple[str, Heuristic[Subject, Choice]]]:
    """The heuristics of `kind` in the order in which they are asked."""
    return [*reversed(_REGISTERED.get(kind.name, {}).items()), *kind.heuristics()]


def candidates(kind: Kind[Subject, Choice], subject: Subject, target: Target) -> Iterator[Candidate[Choice]]:
    """The alternatives that all heuristics propose, lazily, best guesses first."""
    for _, heuristic in heuristics_of(kind):
        yield from (each for each in heuristic(subject, target) if isinstance(each, Candidate))
