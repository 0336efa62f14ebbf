"""The interface of one directive of a schedule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, Self

from xdsl.ir import ParametrizedAttribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from s2s.dialects.tensor.renumbering import Renumbering
from s2s.dialects.tensor.schedule_state import ScheduleState

PREFIX = "schedule."
"""The prefix of the names of built-in directives; a schedule prints them without it."""


class Scheduled(Protocol):
    """An operation with a schedule: `tensor.compute` or `tensor.transform`."""

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


class Kernel(Protocol):
    """The kernel around a computation, as far as its own verifier cannot see it (`ScheduledKernel` of
    `s2s.analysis`)."""

    @property
    def constants(self) -> frozenset[SSAValue]:
        """The arguments of the kernel that are constants, which the host may lay out otherwise."""
        ...


class Machine(Protocol):
    """The properties of a target on which candidate values depend."""

    @property
    def lanes(self) -> int:
        """The lanes of a vector of floats; 1 without vectors."""
        ...

    @property
    def scalable_bits(self) -> int:
        """The bits of vectors whose length is known at run time only; 0 without such."""
        ...


class Lowering(Protocol):
    """The lowering of one computation (`Nest` of `tensor-lower-to-loop`), as far as directives extend it."""

    @property
    def before_step(self) -> list[Callable[[], None]]:
        """Callbacks at the point where a reduction step is written, inside all its loops."""
        ...


class Directive(ParametrizedAttribute):
    """One scheduling decision about a computation.

    A subclass is an xDSL attribute in a file of its own. `ScheduleAttr` applies its directives in order; each sees in
    the state what the previous ones have decided.
    """

    def verify_for(self, op: Scheduled, state: ScheduleState) -> None:
        """Raise an error if the directive does not fit `op` or the previous directives."""

    def verify_together(self, op: Scheduled, state: ScheduleState) -> None:
        """Raise an error if the directive does not fit the decisions of all directives."""

    def verify_in_kernel(self, op: Scheduled, state: ScheduleState, kernel: Kernel) -> None:
        """Raise an error if the directive does not fit the kernel around `op`: its constants, and the computations that
        are fused with it."""

    def decide(self, state: ScheduleState) -> None:
        """Record the directive's decision in `state`."""

    def renumber(self, mapping: Renumbering) -> Directive | None:
        """Return the directive over renumbered dimensions; None if it becomes empty."""
        return self

    def inside_tile(self) -> Self | None:
        """Return the directive for the tile of a fused computation; None if it describes the tiling itself."""
        return self

    def lower(self, loops: Lowering) -> None:
        """Extend the lowering of a computation, before its loops are written, by what the state does not express."""

    @classmethod
    def values(cls, op: Scheduled, machine: Machine) -> Iterator[Directive]:
        """Yield candidate directives of this kind for `op`, legal or not."""
        return iter(())

    def describe(self, op: Scheduled, state: ScheduleState, names: Sequence[str]) -> list[str]:
        """Describe the directive for the comment above a kernel; `names` are names of dimensions, `state` is the state
        of all directives."""
        return []


def check_dims(what: str, dims: Sequence[int], op: Scheduled, *, parallel: bool = False) -> None:
    """Raise an error for repeated dimensions, or ones outside of the domain of `op` or its parallel part."""
    count = op.rank if parallel else len(op.sizes)
    wrong = [dim for dim in dims if not 0 <= dim < count]
    if wrong:
        kind = "parallel dimensions" if parallel else "dimensions"
        raise VerifyException(
            f"{op.name}: {what} names dimension {wrong[0]}; there are {count} {kind} of {list(op.sizes)}"
        )
    if len(set(dims)) < len(dims):
        raise VerifyException(f"{op.name}: {what} names a dimension twice in {list(dims)}; name it once")
