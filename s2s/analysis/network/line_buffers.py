"""Plan rings of rows, called line buffers, for operators that run row by row.

    %a = graph.conv %x    three taps          group 0, in every tick: the row of x, put into a ring of 3 rows
    %b = graph.relu %a                        group 1, from tick 1 on: a and b of the ring of x; b into a ring of 2 rows
    %c = graph.max_pool %b    two taps, stride 2, read by what reads all rows
                                              group 2, in every other tick from 2 on: c, put into a ring of all its rows

Operators whose rows are computed in the same ticks are a group, which is one network. A row that another group reads is
put into a ring, which holds as many rows as its oldest reader needs; what lies outside of a tensor is padding. Rings
of one tensor with different padding are apart.
"""

from collections.abc import Sequence
from dataclasses import field
from math import prod

from xdsl.ir import Operation, SSAValue

from s2s.analysis.network.row_clocks import RowClock, RowRead, reads_of
from s2s.dialects.graph.base import type_of
from s2s.support.mutable import mutable
from s2s.types.dtypes import AnyTensor, size_in_bytes, tensor_type

Clocked = Sequence[tuple[Operation, RowClock]]


@mutable
class Ring:
    """The last rows of a tensor."""

    value: SSAValue
    clock: RowClock
    padding: int | float | None = None
    """What rows in front of the first one hold, and behind the last one; None if nobody reads them."""
    size: int = 1
    """How many rows it holds."""
    last: int = 0
    """The last row that has to be put into it, which may lie behind the end of the tensor."""
    is_whole: bool = False
    """Whether it ends as the tensor."""

    @property
    def is_in_place(self) -> bool:
        """Return whether rows of the tensor lie one after the other; else a ring has them in front of other axes."""
        return prod(type_of(self.value).get_shape()[: self.clock.axis]) == 1

    @property
    def axis(self) -> int:
        """The axis of rows in the ring."""
        return self.clock.axis if self.is_in_place else 0

    @property
    def type(self) -> AnyTensor:
        """The type of the ring."""
        return self.rows(self.size)

    def rows(self, count: int) -> AnyTensor:
        """Return the type of `count` rows."""
        type = type_of(self.value)
        shape = list(type.get_shape())
        del shape[self.clock.axis]
        shape.insert(self.axis, count)
        return tensor_type(type.element_type, tuple(shape))

    @property
    def bytes(self) -> int:
        """Bytes of its rows."""
        return self.size * row_bytes(self.value, self.clock)

    @property
    def fills(self) -> int:
        """How many rows of padding are put behind the last row."""
        return max(0, self.last - (self.clock.size - 1))


@mutable
class Group:
    """Operators whose rows are computed in the same ticks, one after the other."""

    clock: RowClock
    ops: list[Operation] = field(default_factory=list[Operation])
    rings: list[Ring] = field(default_factory=list[Ring])
    """The rings of rows that the group computes."""


@mutable
class LineBuffers:
    """Groups in the order in which they run within a tick, and which ring an operator reads."""

    x: SSAValue
    clocks: dict[SSAValue, RowClock]
    groups: list[Group]
    reads: dict[tuple[Operation, int], tuple[RowRead, Ring | None]]
    """By operator and number of the operand: what is read, and the ring; None for the row just computed."""

    @property
    def rings(self) -> list[Ring]:
        """The rings that operators read, in the order of the groups."""
        return [ring for group in self.groups for ring in group.rings if not ring.is_whole]

    @property
    def wholes(self) -> list[Ring]:
        """The tensors of which all rows are kept, in the order of the groups."""
        return [ring for group in self.groups for ring in group.rings if ring.is_whole]


def row_bytes(value: SSAValue, clock: RowClock) -> int:
    """Return the bytes of one row."""
    type = type_of(value)
    return prod(type.get_shape()) // clock.size * size_in_bytes(type.element_type)


def line_buffers(x: SSAValue, clock: RowClock, ops: Clocked) -> LineBuffers:
    """Plan the rings with which `ops`, in order, run as the rows of `x` arrive; others read their results whole."""
    return _Planner(x, clock, ops).plan


class _Planner:
    """Builds a plan operator by operator."""

    def __init__(self, x: SSAValue, clock: RowClock, ops: Clocked) -> None:
        self.plan = LineBuffers(x, {x: clock}, [Group(clock)], {})
        self.makers = {x: 0}
        """The group that computes each tensor."""
        for op, op_clock in ops:
            self._add(op, op_clock)
        inside = {op for op, _ in ops}
        for value, rows in self.plan.clocks.items():
            if any(use.operation not in inside for use in value.uses):
                kept = Ring(value, rows, size=rows.size, last=rows.size - 1, is_whole=True)
                self.plan.groups[self.makers[value]].rings.append(kept)

    def _add(self, op: Operation, clock: RowClock) -> None:
        reads = reads_of(op, clock, self.plan.clocks)
        number = self._group(clock, list(reads.values()))
        self.plan.groups[number].ops.append(op)
        self.plan.clocks[op.results[0]], self.makers[op.results[0]] = clock, number
        for at, read in reads.items():
            ring = None if self.makers[read.value] == number else self._ring(read, clock)
            self.plan.reads[op, at] = read, ring

    def _group(self, clock: RowClock, reads: Sequence[RowRead]) -> int:
        """Return the first group that an operator may join, behind all that it reads; open one if there is none."""
        earliest = max(self.makers[read.value] for read in reads)
        for number in range(earliest, len(self.plan.groups)):
            mine = [read for read in reads if self.makers[read.value] == number]
            if self.plan.groups[number].clock.key == clock.key and all(read.is_newest for read in mine):
                return number
        self.plan.groups.append(Group(clock))
        return len(self.plan.groups) - 1

    def _ring(self, read: RowRead, clock: RowClock) -> Ring:
        """Return the ring of a tensor for a reader that runs by `clock`, which is made deep enough."""
        mine = [ring for ring in self.plan.groups[self.makers[read.value]].rings if ring.value is read.value]
        fits = [ring for ring in mine if None in (ring.padding, read.padding) or ring.padding == read.padding]
        if not fits:
            fits = [Ring(read.value, self.plan.clocks[read.value])]
            self.plan.groups[self.makers[read.value]].rings += fits
        ring = fits[0]
        ring.padding = read.padding if ring.padding is None else ring.padding
        ring.size = max(ring.size, read.depth)
        ring.last = max(ring.last, ring.clock.newest(clock.last))
        return ring
