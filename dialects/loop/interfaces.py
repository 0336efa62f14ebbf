"""Interfaces of loop operations: which elements of buffers they read and write, and how much work they are.

An operation that accesses memory derives from `AccessInterface` and lists its accesses. Its memory effects, the memory
plan, the passes that reorder or divide loops and the `const` of pointers in C all follow from that one list.
"""

from abc import abstractmethod
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import traits_def
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind, Resource

from s2s.dialects.operation import OpMeta
from s2s.support.frozen import frozen


@frozen
class Extent:
    """One direction in which an access extends: `i * stride` for `max(0, low) <= i < min(count, high)`.

    `low` and `high` are expressions over the indices of the access.
    """

    count: int
    stride: int = 1
    low: AffineExpr | None = None
    high: AffineExpr | None = None


class Access(NamedTuple):
    """The elements of `buffer` that an operation reads or writes.

    They are at `start(indices) + i * stride + j * stride' + …`, with one term for each extent. A vector load of 16
    lanes at distance 3 has the extent `Extent(16, 3)`, a scalar load has none. An access without `start` may touch any
    element of the buffer.
    """

    buffer: SSAValue
    kind: MemoryEffectKind
    start: AffineExpr | None = None
    indices: Sequence[SSAValue] = ()
    extents: tuple[Extent, ...] = ()


class AccessEffects(MemoryEffect):
    """The memory effects of an operation that lists its accesses: one for each, on its buffer."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        assert isinstance(op, AccessInterface)
        return {EffectInstance(access.kind, access.buffer) for access in op.accesses()}


@frozen
class _Run(Resource):
    """The course of a run: whether it goes on, and with which sizes."""

    def name(self) -> str:
        return "run"


class RunEffect(MemoryEffect):
    """The effect of an operation that decides how the run goes on: it is never unused, and writes no buffer."""

    @classmethod
    def get_effects(cls, op: Operation) -> AbstractSet[EffectInstance]:
        return {EffectInstance(MemoryEffectKind.WRITE, resource=_Run())}


class AccessInterface(Operation, metaclass=OpMeta):
    """An operation that reads or writes elements of buffers, and touches no other memory."""

    traits = traits_def(AccessEffects())

    @abstractmethod
    def accesses(self) -> Sequence[Access]:
        """All accesses to buffers; accesses of one operation may happen in any order."""


class WorkInterface(Operation, metaclass=OpMeta):
    """An operation that does the work of many: a copy of a row, a whole dot product. All others count as one."""

    @property
    @abstractmethod
    def work(self) -> int:
        """How many operations on registers it is worth, for decisions about dividing and splitting kernels."""


def read(buffer: SSAValue, start: AffineExpr, indices: Sequence[SSAValue], *extents: Extent) -> Access:
    """A read of the elements at `start(indices)` and along `extents`."""
    return Access(buffer, MemoryEffectKind.READ, start, indices, extents)


def write(buffer: SSAValue, start: AffineExpr, indices: Sequence[SSAValue], *extents: Extent) -> Access:
    """A write of the elements at `start(indices)` and along `extents`."""
    return Access(buffer, MemoryEffectKind.WRITE, start, indices, extents)


def read_any(buffer: SSAValue) -> Access:
    """A read of elements that cannot be told before the operation runs, or of all elements."""
    return Access(buffer, MemoryEffectKind.READ)


def write_any(buffer: SSAValue) -> Access:
    """A write of elements that cannot be told before the operation runs, or of all elements."""
    return Access(buffer, MemoryEffectKind.WRITE)


__all__ = ["Access", "AccessInterface", "Extent", "WorkInterface", "read", "read_any", "write", "write_any"]
