"""Decide the maximum size of the windows that kernels copy to scratch; smaller copies take less memory.

A budget of RAM asks for it. The subject is `main`: one limit holds for all kernels, because the largest scratch of all
counts. A kernel by itself is changed by its schedule, whose `cache_read` says at which loop it copies.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from s2s.decisions.kind import Candidate, Heuristic, Kind
from s2s.targets import Target

KIND = "scratch"
AS_SCHEDULED = "as scheduled"
_ELEMENTS = " elements"
LIMITS = (1024, 512, 256, 128, 0)
"""Elements that a window copied to scratch may take, the cheapest limit first."""

UNLIMITED = -1


class ScratchOfNetwork(NamedTuple):
    """The kernels of a network."""

    module: ModuleOp
    wished: int
    """What a budget of RAM asks for."""


class ScratchKind(Kind[ScratchOfNetwork, int]):
    """Limits of scratch."""

    name = KIND

    def heuristics(self) -> Sequence[tuple[str, Heuristic[ScratchOfNetwork, int]]]:
        return (("the budget of RAM", _wished), ("no budget of RAM", _every))

    def key(self, subject: ScratchOfNetwork) -> str:
        return "main"

    def home(self, subject: ScratchOfNetwork) -> Operation:
        return subject.module

    def legal(self, subject: ScratchOfNetwork, choice: int) -> str | None:
        return None if choice >= UNLIMITED else "a window has no negative number of elements"

    def apply(self, subject: ScratchOfNetwork, choice: int) -> None:
        """Do nothing: the pass that asked changes the schedules at once."""

    def text(self, choice: int) -> str:
        return AS_SCHEDULED if choice == UNLIMITED else f"{choice}{_ELEMENTS}"

    def parse(self, subject: ScratchOfNetwork, text: str) -> int:
        return parse_limit(text)


def parse_limit(text: str) -> int:
    """Parse a limit; raise a `ValueError` with the reason if `text` is none."""
    count = text.removesuffix(_ELEMENTS)
    if text != AS_SCHEDULED and not (text.endswith(_ELEMENTS) and count.isdecimal()):
        raise ValueError(f"give `{AS_SCHEDULED}`, or a number as `128 elements`")
    return UNLIMITED if text == AS_SCHEDULED else int(count)


def _candidate(limit: int) -> Candidate[int]:
    return Candidate(lambda: limit, ScratchKind().text(limit))


def _wished(subject: ScratchOfNetwork, target: Target) -> Sequence[Candidate[int]]:
    return [] if subject.wished == UNLIMITED else [_candidate(subject.wished)]


def _every(subject: ScratchOfNetwork, target: Target) -> Sequence[Candidate[int]]:
    return [_candidate(limit) for limit in (UNLIMITED, *LIMITS)]
