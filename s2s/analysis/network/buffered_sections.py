"""Find sections of a network that can run row by row in line buffers, within a run on a whole image.

    0  a = conv(x)      expands to six times as many channels
    1  b = conv(a)      depthwise, three taps
    2  c = conv(b)      back to the channels of x
    3  d = add(c, x)

Section 0-3 reads one tensor from outside, `x`, and its result that is read outside is kept whole: `d`. Rows of `x` and
`a` are kept in rings, as many as later rows read. Operators are counted without constants.
"""

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator

from s2s.analysis.network.line_buffers import LineBuffers, line_buffers
from s2s.analysis.network.row_clocks import RowClock, clocked
from s2s.analysis.numbers.known_values import is_known
from s2s.dialects import graph
from s2s.dialects.graph.base import type_of


def operations(network: FuncOp) -> list[Operation]:
    """Return the operations of a network that compute something, in the numbering of sections."""
    ops = network.body.block.ops
    return [op for op in ops if not isinstance(op, graph.ConstantInterface) and not op.has_trait(IsTerminator)]


def section(ops: Sequence[Operation], first: int, last: int) -> LineBuffers | None:
    """Return the rings with which operators `first` to `last` run row by row; None if they cannot."""
    inside = list(ops[first : last + 1]) if 0 <= first <= last < len(ops) else []
    computed = {result for op in inside for result in op.results}
    read = {operand for op in inside for operand in op.operands if operand not in computed and not is_known(operand)}
    if len(read) != 1:
        return None
    [x] = read
    axis = rows_of(x)
    if axis is None:
        return None
    clock = RowClock(axis, type_of(x).get_shape()[axis])
    rows = list(clocked(inside, x, clock))
    if len(rows) < len(inside):
        return None
    plan = line_buffers(x, clock, rows)
    tensors = [*plan.rings, *plan.wholes]
    return plan if all(ring.is_in_place for ring in tensors) and plan.wholes else None


def rows_of(x: SSAValue) -> int | None:
    """Return the axis of the rows of an image: the first one with several elements, in front of another such axis."""
    shape = type_of(x).get_shape()
    axes = [axis for axis, size in enumerate(shape) if size != 1]
    return axes[0] if len(axes) > 1 else None
