"""Recognise reductions whose order is free within the tolerance of floats: sums, products, maxima and minima."""

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue

from s2s.dialects import tensor


class Fold(NamedTuple):
    """The combining operation of a reduction, by the name of its kind in `loop.reduce`, and its neutral element."""

    kind: str
    identity: float


FOLDS: Mapping[type[Operation], Fold] = {
    arith.AddfOp: Fold("add", 0.0),
    arith.MulfOp: Fold("mul", 1.0),
    arith.MaximumfOp: Fold("max", -inf),
    arith.MinimumfOp: Fold("min", inf),
}


def combining(fold: Fold, left: SSAValue, right: SSAValue) -> Operation:
    """Create the operation that combines two partial results."""
    match fold.kind:
        case "add":
            return arith.AddfOp(left, right)
        case "mul":
            return arith.MulfOp(left, right)
        case "max":
            return arith.MaximumfOp(left, right)
        case _:
            return arith.MinimumfOp(left, right)


def folds_of(op: tensor.ComputeOp) -> list[Fold] | None:
    """Return how each accumulator of `op` is combined; None if one is not such a reduction, or starts from another
    value."""
    if op.reduce is None:
        return None
    last = op.reduce.block.last_op
    assert isinstance(last, tensor.YieldOp)
    accumulators = op.reduce.block.args[len(op.reads) : len(op.reads) + len(op.inits)]
    found: list[Fold] = []
    for value, accumulator, init in zip(last.arguments, accumulators, op.inits, strict=True):
        step = value.owner
        fold = FOLDS.get(type(step)) if isinstance(step, Operation) else None
        if fold is None or not isinstance(init, FloatAttr) or init.value.data != fold.identity:
            return None
        if accumulator.get_user_of_unique_use() is not step:
            return None
        found.append(fold)
    return found


ORDER_FREE = (
    *FOLDS,
    arith.AddiOp,
    arith.AndIOp,
    arith.MaxSIOp,
    arith.MaxUIOp,
    arith.MinSIOp,
    arith.MinUIOp,
    arith.MuliOp,
    arith.OrIOp,
    arith.XOrIOp,
)
"""Operations that combine numbers in any order; floats within their tolerance."""


def is_order_free(op: tensor.ComputeOp) -> bool:
    """Return whether the steps of the reduction of `op` may be done in any order: each combines its accumulator with
    something that no accumulator influences."""
    if op.reduce is None:
        return True
    last = op.reduce.block.last_op
    assert isinstance(last, tensor.YieldOp)
    accumulators = op.reduce.block.args[len(op.reads) : len(op.reads) + len(op.inits)]
    return all(
        isinstance(value.owner, ORDER_FREE) and accumulator.get_user_of_unique_use() is value.owner
        for value, accumulator in zip(last.arguments, accumulators, strict=True)
    )
