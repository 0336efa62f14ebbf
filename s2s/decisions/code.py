"""Decide which memory pool holds the function of a kernel.

The subject is a kernel of a network with pools of code, by its name. By default it is `planned` together with all
others: those with most work for a byte of code go first, into the fastest pool that has room. The name of a pool puts
it there, and the others are planned around it; `default` leaves it where code is by default.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from s2s.decisions.kind import Candidate, Heuristic, NamedKind, Refused
from s2s.targets import Target
from s2s.types.pools import Pools

PLANNED = "planned"
DEFAULT = "default"


class PlacedKernel(NamedTuple):
    """A kernel, and the pools of code."""

    kernel: FuncOp
    pools: Pools
    size: int
    """An estimate of the bytes of its code."""
    work: int
    """Operations of a run in it."""


class CodeKind(NamedKind[PlacedKernel]):
    """The pools of functions."""

    name = "code"

    def heuristics(self) -> Sequence[tuple[str, Heuristic[PlacedKernel, str]]]:
        return (("most work for a byte first", _planned),)

    def key(self, subject: PlacedKernel) -> str:
        return subject.kernel.sym_name.data

    def home(self, subject: PlacedKernel) -> Operation:
        return subject.kernel

    def about(self, subject: PlacedKernel) -> str:
        return f"about {subject.size:,} bytes, {subject.work:,} operations"

    def legal(self, subject: PlacedKernel, choice: str) -> str | None:
        names = (PLANNED, *(pool.name for pool in subject.pools), DEFAULT)
        return None if choice in names else f"it is none of {', '.join(names)}"


def _planned(subject: PlacedKernel, target: Target) -> Sequence[Candidate[str] | Refused]:
    return [Candidate(lambda: PLANNED, PLANNED)]


__all__ = ["DEFAULT", "PLANNED", "CodeKind", "PlacedKernel"]
