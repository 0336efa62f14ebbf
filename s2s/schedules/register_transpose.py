"""Cost of accessing memory across its contiguous dimension: lane by lane, or by a transpose in registers."""

from math import log2

from s2s.analysis.affine.strides import interior, moves, vectorizable
from s2s.analysis.structure.folds import folds_of
from s2s.dialects import loop, tensor

STRIDED_LOAD = 4.0
STRIDED_STORE = 12.0
"""Cost of loading or storing a vector of bytes lane by lane, in multiply-adds; vectors of floats cost two per lane."""
EVEN_LOAD = 2.0
"""Cost of loading every other float: another load and a choice from both vectors."""
MIN_SHARE = 4
"""Transpose in registers only if a tile has more than `lanes / MIN_SHARE` vectors."""
PAIRED_STORE = 2.0
"""Cost of storing one vector of a pair that interleaves: a shuffle, which has half the throughput of a multiply-add."""


def strided_load(op: tensor.ComputeOp, lanes: int, stride: int | None) -> float:
    """Return the cost of a load with lanes at distance `stride`, 0 where they are neighbours or the same element."""
    if stride in (0, 1):
        return 0.0
    if not vectorizable(op) and folds_of(op) is None:
        return STRIDED_LOAD
    return EVEN_LOAD if stride == 2 else 2.0 * lanes


def strided_store(op: tensor.ComputeOp, dim: int, lanes: int) -> float:
    """Return the cost of storing a vector along `dim`: 0 if `dim` is contiguous in the result."""
    if moves(op, dim).result == 1:
        return 0.0
    if paired_dim(op, dim) is not None:
        return PAIRED_STORE
    if transposed_dim(op, dim, lanes) is not None:
        return transpose_cost(lanes)
    return 2.0 * lanes if vectorizable(op) else STRIDED_STORE


def transpose_cost(lanes: int) -> float:
    """Return the cost per vector of transposing and storing `lanes` vectors.

    Each of the `log2(lanes)` stages takes a shuffle, which has half the throughput of a multiply-add; tiles are seldom
    full.
    """
    return 2.0 * (log2(lanes) + 2.0)


def paired_dim(op: tensor.ComputeOp, dim: int) -> int | None:
    """Return the contiguous dimension of the result, if it has two elements and lies between the lanes of vectors along
    `dim`; else None. In a result `[n, 2]`, such as points of a plane or complex numbers, it is dimension 1 for `n`."""
    if not vectorizable(op) or moves(op, dim).result != loop.INTERLEAVED_PAIR:
        return None
    pairs = [other for other in range(op.rank) if op.sizes[other] == interior(op, other) == loop.INTERLEAVED_PAIR]
    return next((other for other in pairs if moves(op, other).result == 1), None)


def transposed_dim(op: tensor.ComputeOp, dim: int, lanes: int) -> int | None:
    """Return the contiguous dimension of the result, if a tile of vectors along `dim` can be transposed to it, or its
    vectors interleave in pairs; else None."""
    if not vectorizable(op):
        return None
    if (pair := paired_dim(op, dim)) is not None:
        return pair
    found = [other for other in range(op.rank) if op.sizes[other] > 1 and moves(op, other).result == 1]
    along = found[-1] if found else dim
    return along if along != dim and interior(op, along) > lanes // MIN_SHARE else None
