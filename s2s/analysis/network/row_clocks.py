"""Find when the rows of tensors can be computed, if the rows of an input arrive one after the other.

Tick `t` brings row `t` of the input. Row `r` of a tensor is computed in tick `first + every * r`:

    x             every 1, first 0
    a = conv(x)   three taps, one row of padding on each side, stride 1: row 0 reads rows -1 to 1, so first is 1
    b = conv(a)   three taps, no padding in front, stride 2: row 0 reads rows 0 to 2 of a, the last in tick 3:
                  every 2, first 3
    c = add(a, b) of a cut to the rows of b: as late as its later operand

Rows in front of the first one, and behind the last one, are padding.
"""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.analysis.network.frame_rules import Frames, Taps, rule_of
from s2s.analysis.numbers.known_values import is_known
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp, number, type_of, zero_point
from s2s.dialects.graph.run_sizes import SizedOp
from s2s.support.frozen import frozen
from s2s.types.dtypes import to_numpy
from s2s.types.shapes.window import spatial_axes


@frozen
class RowClock:
    """The ticks in which the rows of a tensor along `axis` are computed."""

    axis: int
    size: int
    """How many rows there are."""
    every: int = 1
    first: int = 0

    @property
    def key(self) -> tuple[int, int, int]:
        """Equal for tensors whose rows are computed in the same ticks."""
        return self.every, self.first, self.size

    @property
    def last(self) -> int:
        """The tick of the last row."""
        return self.first + self.every * (self.size - 1)

    def newest(self, tick: int) -> int:
        """Return the last row that has been computed by `tick`; one behind the end is padding."""
        return (tick - self.first) // self.every


Clocks = Mapping[SSAValue, RowClock]


@frozen
class RowRead:
    """What row 0 of an operator's result reads of an operand: `extent` rows, of which the last one is `lag` rows older
    than the newest."""

    value: SSAValue
    extent: int
    lag: int
    padding: int | float | None
    """The value of rows outside of the operand; None where none is read."""

    @property
    def is_newest(self) -> bool:
        """Return whether the row that has just been computed is all that is read."""
        return self.extent == 1 and self.lag == 0 and self.padding is None

    @property
    def depth(self) -> int:
        """The rows that have to be kept."""
        return self.extent + self.lag


def clocked(ops: Iterable[Operation], x: SSAValue, clock: RowClock) -> Iterator[tuple[Operation, RowClock]]:
    """Yield the operators among `ops` that can run row by row with the rows of `x`, in order."""
    clocks = {x: clock}
    for op in ops:
        if (mine := clock_of(op, clocks)) is not None:
            clocks[op.results[0]] = mine
            yield op, mine


def clock_of(op: Operation, clocks: Clocks) -> RowClock | None:
    """Return when the rows of the result of `op` can be computed; None if it cannot run row by row."""
    taps = taps_of(op, clocks)
    if taps is None:
        return None
    axis, read = taps
    every = {clocks[op.operands[at]].every * one.stride for at, one in read.items()}
    if len(every) != 1 or not all(_may_read(op, at, one, clocks) for at, one in read.items()):
        return None
    first = max(
        clock.first + clock.every * max(0, one.offset + one.extent - 1)
        for clock, one in ((clocks[op.operands[at]], one) for at, one in read.items())
    )
    return RowClock(axis, type_of(op.results[0]).get_shape()[axis], every.pop(), first)


def taps_of(op: Operation, clocks: Clocks) -> tuple[int, Mapping[int, Taps]] | None:
    """Return the axis of the rows of the result of `op`, and what these read of each operand with rows."""
    if not isinstance(op, GraphOp) or isinstance(op, SizedOp) or len(op.results) != 1:
        return None
    rows = {at: clocks[operand] for at, operand in enumerate(op.operands) if operand in clocks}
    if not all(at in rows or is_known(operand) for at, operand in enumerate(op.operands)):
        return None
    rule = rule_of(op, {at: Frames(clock.axis, 0, clock.size) for at, clock in rows.items()})
    return None if rule is None or rule.taps.keys() != rows.keys() else (rule.axis, rule.taps)


def reads_of(op: Operation, clock: RowClock, clocks: Clocks) -> dict[int, RowRead]:
    """Return what an operator that runs by `clock` reads of its operands with rows, by number."""
    taps = taps_of(op, clocks)
    assert taps is not None
    reads: dict[int, RowRead] = {}
    for at, one in taps[1].items():
        value = op.operands[at]
        lag = clocks[value].newest(clock.first) - (one.offset + one.extent - 1)
        padding = padding_of(op, taps[0]) if _reads_padding(op, one, clock.size, clocks[value].size) else None
        reads[at] = RowRead(value, one.extent, lag, padding)
    return reads


def _may_read(op: Operation, at: int, taps: Taps, clocks: Clocks) -> bool:
    """Return whether rows of padding can stand for the padding that `op` reads of an operand, if it reads any."""
    before, after = clocks[op.operands[at]], type_of(op.results[0]).get_shape()
    taken = taps_of(op, clocks)
    assert taken is not None
    return not _reads_padding(op, taps, after[taken[0]], before.size) or padding_of(op, taken[0]) is not None


def _reads_padding(op: Operation, taps: Taps, rows: int, size: int) -> bool:
    begin, end = taps.range(0, rows)
    return begin < 0 or end > size


def padding_of(op: Operation, axis: int) -> int | float | None:
    """Return the value of elements that can stand for the padding of `op` along `axis`; None if there is none."""
    match op:
        case graph.ConvOp():
            return zero_point(op.input_zp)
        case graph.MaxPoolOp():
            return _lowest(type_of(op.x).element_type)
        case graph.AvgPoolOp():
            return 0 if _counts(op, axis) else None
        case graph.PadOp() if op.mode.data == "constant":
            return number(op.value) or 0
        case _:
            return None


def _lowest(element: Attribute) -> int | float:
    dtype = to_numpy(element)
    return int(np.iinfo(dtype).min) if dtype.kind in "iu" else -np.inf


def _counts(op: graph.AvgPoolOp, axis: int) -> bool:
    """Return whether all padding along `axis` counts as elements."""
    place = axis - spatial_axes(op.data_layout, type_of(op.x).get_num_dims()).start
    return op.counted_pads.get_values()[place :: op.window().rank] == op.pads.get_values()[place :: op.window().rank]
