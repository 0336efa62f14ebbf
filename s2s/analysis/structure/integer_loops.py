"""Find loops of integers that C compilers vectorise by themselves, better than lanes of 32 bits do.

Two kinds: `y[i] = max(x[i], 5)` of bytes, of which a register holds four times as many as lanes of 32 bits, and
`y[i] = sum(r: x[i][r])` of neighbours, which may be added in any order, as integers wrap around.
"""

from xdsl.dialects import arith
from xdsl.dialects.builtin import i8, i32
from xdsl.ir import SSAValue

from s2s.analysis.affine.strides import moves
from s2s.analysis.structure.compute import body_ops
from s2s.analysis.structure.folds import is_order_free
from s2s.dialects import tensor

ON_BYTES = (
    arith.AndIOp,
    arith.ConstantOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.OrIOp,
    arith.TruncIOp,
    arith.XOrIOp,
    tensor.YieldOp,
)
"""Operations on bytes that vectors of bytes have."""
STEPS = (arith.AddiOp, arith.MaxSIOp, arith.MinSIOp)
"""Steps of reductions that compilers vectorise."""
ROUNDS = 4
"""Vectors of a row from which on its steps outweigh what comes before and after them."""


def is_left_to_compilers(op: tensor.ComputeOp, lanes: int) -> bool:
    """Return whether C compilers vectorise the plain loop of `op`, on a target whose vectors have `lanes` lanes."""
    if any(access.is_guarded for access in op.accesses) or op.tables:
        return False
    if op.sizes[-1] < ROUNDS * lanes:
        return False
    return _is_of_bytes(op) if op.reduce is None else _is_row_reduction(op)


def _is_of_bytes(op: tensor.ComputeOp) -> bool:
    """Return whether all values of `op` are bytes, each operand contiguous, or the same, along its last dimension."""
    last = moves(op, op.rank - 1)
    even = last.result == 1 and set(last.epilogue) <= {0, 1}
    return (
        even
        and all(
            isinstance(inner, ON_BYTES) and all(_is_byte(result) for result in inner.results) for inner in body_ops(op)
        )
        and all(_is_byte(each) for each in op.apply.block.args)
    )


def _is_byte(value: SSAValue) -> bool:
    return value.type == i8


def _is_row_reduction(op: tensor.ComputeOp) -> bool:
    """Return whether `op` combines neighbouring integers, which may be widened bytes, and does nothing else in a
    step."""
    assert op.reduce is not None
    steps = [each for each in op.reduce.block.ops if not isinstance(each, arith.ExtSIOp)]
    if len(steps) != 2 or not isinstance(steps[0], STEPS) or not is_order_free(op):
        return False
    return steps[0].results[0].type in (i8, i32) and moves(op, len(op.sizes) - 1).reads == (1,)
