"""One directive of a schedule: what every kind of them can be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, Self

from xdsl.ir import ParametrizedAttribute
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.tensor.renumbering import Renumbering
from s2s.dialects.tensor.schedule_state import ScheduleState

PREFIX = "schedule."
"""Names of our own directives begin so; a schedule prints them without."""


class Scheduled(Protocol):
    """What has a schedule: `tensor.compute` or `tensor.transform`."""

    @property
    def name(self) -> str:
        """The name of the operation."""
        ...

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of its domain, parallel dimensions first."""
        ...

    @property
    def rank(self) -> int:
        """Number of parallel dimensions."""
        ...


class Machine(Protocol):
    """What values are worth trying depends on."""

    @property
    def lanes(self) -> int:
        """Floats of a vector; 1 without vectors."""
        ...


class Lowering(Protocol):
    """The lowering of one computation (`Nest` of `tensor-lower-to-loop`), as far as directives add to it."""

    @property
    def before_step(self) -> list[Callable[[], None]]:
        """What is called where a step of the reduction is written, with the loops around it open."""
        ...


class Directive(ParametrizedAttribute):
    """One decision about how a computation is carried out.

    A subclass is an xDSL attribute in a file of its own. `ScheduleAttr` asks its directives in their order; each sees
    in the state what those before it have decided.
    """

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        """Refuse the directive where it does not fit `op` and what was decided before."""

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        """Refuse the directive where it does not go with what all of them decide."""

    def decide(self, state: ScheduleState) -> None:
        """Note in `state` what the directive decides."""

    def renumber(self, mapping: Renumbering) -> Directive | None:
        """The directive after its dimensions got new numbers; None where nothing is left to say."""
        return self

    def inside_tile(self) -> Self | None:
        """The directive for the part of a computation that one fused tile does; None where it speaks of the tiles."""
        return self

    def lower(self, loops: Lowering) -> None:
        """Add to the lowering of a computation, before its loops are written, what the state does not tell it."""

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        """Directives of this kind that are worth trying for `op`, legal or not."""
        return iter(())

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        """Words for the comment above a kernel, with `names` for the dimensions; `state` is that of all directives."""
        return []


def check_dims(what: str, dims: Sequence[int], op: Scheduled, *, parallel: bool = False) -> None:
    """Refuse dimensions that the domain of `op`, or its parallel part, does not have, and repeated ones."""
    count = op.rank if parallel else len(op.sizes)
    wrong = [dim for dim in dims if not 0 <= dim < count]
    if wrong:
        kind = "parallel dimensions" if parallel else "dimensions"
        raise VerifyException(
            f"{op.name}: {what} names dimension {wrong[0]}; there are {count} {kind} of {list(op.sizes)}"
        )
    if len(set(dims)) < len(dims):
        raise VerifyException(f"{op.name}: {what} names a dimension twice in {list(dims)}; name it once")
