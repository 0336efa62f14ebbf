"""Vectors of two registers for functions of many operations, each of which waits for the one before."""

from s2s.analysis.affine.strides import FUNCTIONS, moves
from s2s.analysis.structure.compute import body_ops
from s2s.dialects import tensor
from s2s.dialects.loop import LANES
from s2s.targets import Target

REGISTERS = 16
"""With fewer registers, two vectors and the coefficients of a polynomial do not fit."""
VECTORS = 8
"""With fewer vectors along a dimension, two at a time have to divide them: what is left runs in a pair too, in part."""


def paired_lanes(op: tensor.ComputeOp, dim: int, lanes: int, target: Target) -> int:
    """Return twice `lanes` where vectors along `dim` compute such a function element by element, else `lanes`.

    A vector of twice the lanes of the target is a pair of registers: each of its operations stands in the C twice, side
    by side. With AVX2, Zen 4 takes 0.75 (sin) to 0.91 (exp) of the time for it: the chain of one vector fills the
    scheduler of the core, and the next vector comes into it too late to fill the pipes.
    """
    pair, size = 2 * lanes, op.sizes[dim]
    if op.reduce is not None or lanes != target.lanes or pair not in LANES or target.registers < REGISTERS:
        return lanes
    if size % pair and size < VECTORS * lanes:
        return lanes
    along = moves(op, dim)
    is_chain = any(isinstance(inner, FUNCTIONS) for inner in body_ops(op))
    return pair if is_chain and along.result == 1 and set(along.epilogue) <= {0, 1} else lanes
