"""What it costs a vector to run across memory: lane by lane, or turned in registers together with its neighbours."""

from math import log2

from s2s.analysis.affine.strides import interior, moves, vectorizable
from s2s.dialects import tensor

STRIDED_LOAD = 4.0
STRIDED_STORE = 12.0
"""Cost of a vector of bytes that comes or goes lane by lane, against one multiply-add; of floats each lane counts."""
FEW = 4
"""So many times fewer vectors than lanes are not worth a turn."""


def strided_load(op: tensor.ComputeOp, lanes: int) -> float:
    """Cost of a load whose lanes do not lie side by side."""
    return 2.0 * lanes if vectorizable(op) else STRIDED_LOAD


def strided_store(op: tensor.ComputeOp, dim: int, lanes: int) -> float:
    """Cost of storing a vector along `dim`: nothing more where that is how results lie."""
    if moves(op, dim).result == 1:
        return 0.0
    if turning_dim(op, dim, lanes) is not None:
        return turn(lanes)
    return 2.0 * lanes if vectorizable(op) else STRIDED_STORE


def turn(lanes: int) -> float:
    """Cost, for each of them, of turning and storing as many vectors as they have lanes.

    A halving takes a shuffle, of which one starts where two multiply-adds do; tiles are seldom full.
    """
    return 2.0 * (log2(lanes) + 2.0)


def turning_dim(op: tensor.ComputeOp, dim: int, lanes: int) -> int | None:
    """The dimension along which results lie side by side, if a tile of vectors along `dim` has room to be turned."""
    if not vectorizable(op):
        return None
    found = [other for other in range(op.rank) if op.sizes[other] > 1 and moves(op, other).result == 1]
    along = found[-1] if found else dim
    return along if along != dim and interior(op, along) > lanes // FEW else None
