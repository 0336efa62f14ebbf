"""Find the bias that integer sums may start from.

    acc = 0                          acc = bias[o]
    acc = acc + x[k] * w[o][k]  ->   acc = acc + x[k] * w[o][k]
    y = rescale(acc + bias[o])       y = rescale(acc)

Integers wrap around, so that the order of additions does not matter; an addition for each result is saved.
"""

from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Operation, SSAValue

from s2s.analysis.structure.roles import roles_of
from s2s.dialects import tensor


class Bias(NamedTuple):
    """An operand of the epilogue that is added to the sum and used for nothing else."""

    number: int
    """Its number among the operands of the epilogue."""
    addition: Operation
    """The addition in the apply region, which is left out."""


def bias_of(op: tensor.ComputeOp) -> Bias | None:
    """Return the bias that the only sum of `op` may start from; None if there is none."""
    if len(op.inits) != 1 or op.inits.data[0] != IntegerAttr(0, i32):
        return None
    acc, *others = op.apply.block.args
    users = [use.operation for use in acc.uses]
    if len(users) != 1 or not isinstance(users[0], arith.AddiOp):
        return None
    addition = users[0]
    (other,) = [operand for operand in addition.operands if operand is not acc] or [None]
    for number, argument in enumerate(others[: len(op.epilogue)]):
        if argument is other and argument.type == i32 and not op.epilogue_accesses[number].is_guarded:
            return Bias(number, addition)
    return None


def fault_of_pairs(op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> str | None:
    """Return why the constants of `op` cannot be taken as pairs of bytes; None if they can: its sums start from a bias
    of their own, which is a constant."""
    bias = bias_of(op)
    if bias is not None and roles_of(op, constants) is not None:
        operand = op.epilogue[bias.number]
        if operand in constants and operand.has_one_use():
            return None
    return (
        "constants in pairs want sums of products that start from a bias of their own; leave them to "
        "tensor-shorten-products"
    )
