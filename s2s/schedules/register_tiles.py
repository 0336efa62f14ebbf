"""How many rows and vectors a register tile may have, by the values that are alive in one step of its reduction.

A step multiplies each of the `wide` vectors of one operand by the element of each row of the other: accumulators, these
vectors and one element in all lanes are alive at once. Where a window slides along the rows, and its taps are written
out one behind the other, elements wait for the next tap: a quarter of the registers is left to them. Scalar code keeps
as much for addresses and elements.
"""

from s2s.analysis.affine.strides import WINDOW
from s2s.dialects import tensor
from s2s.targets import Target

MOST_ROWS = 14
"""Rows beyond these are not worth the code."""


def most_rows(op: tensor.ComputeOp, rows: int, inner: int, wide: int, lanes: int, target: Target) -> int:
    """Positions of dimension `rows` in a tile of `wide` vectors, whose innermost reduction is `inner`."""
    free = target.registers - wide - 1
    if lanes == 1 or _slides(op, rows, inner):
        free = target.registers * 3 // 4
    return max(1, min(free // wide, MOST_ROWS))


def _slides(op: tensor.ComputeOp, rows: int, inner: int) -> bool:
    """Whether steps of reduction `inner`, few enough to be written out, read what other rows read at other steps."""
    exprs = [expr for access in op.read_accesses for expr in access.map.data.results]
    return op.sizes[inner] <= WINDOW and any({rows, inner} <= set(expr.used_dims()) for expr in exprs)


def vectors_abreast(rows: int, target: Target) -> int:
    """Vectors side by side in a tile of at most `rows` rows: two, or more where rows are too few to keep the
    multiply-adds going until the first of them is done."""
    busy = target.fma_latency * target.fma_ports
    return busy if rows <= 1 else max(2, min(busy, target.registers * 3 // 4 // (rows + 1)))
