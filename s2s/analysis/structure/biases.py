"""Find the bias that integer sums may start from.

    acc = 0                          acc = bias[o]
    acc = acc + x[k] * w[o][k]  ->   acc = acc + x[k] * w[o][k]
    y = rescale(acc + bias[o])       y = rescale(acc)

Integers wrap around, so that the order of additions does not matter; an addition for each result is saved.
"""

from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import BlockArgument, Operation, SSAValue

from s2s.analysis.structure.roles import roles_of
from s2s.dialects import tensor


class Bias(NamedTuple):
    """An operand of the epilogue that is added to the sum and used for nothing else."""

    number: int
    """Its number among the operands of the epilogue."""
    addition: Operation
    """The addition in the apply region, which is left out."""


class BiasWithStart(NamedTuple):
    """A bias, and the number of the initial value among the operands of the epilogue."""

    bias: Bias
    start: int


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


def bias_with_start(op: tensor.ComputeOp, constants: frozenset[SSAValue]) -> BiasWithStart | None:
    """Return the bias that an addition on the host merges with the initial value `init_from` of the sum; None unless
    there are both, as constants that depend on the same dimension and that nothing else uses."""
    start = None if op.schedule is None else op.schedule.on(op).init_from
    bias = None if start is None else bias_of(op)
    if start is None or bias is None or op.epilogue_accesses[start] != op.epilogue_accesses[bias.number]:
        return None
    both = [op.epilogue[start], op.epilogue[bias.number]]
    alone = all(isinstance(each, BlockArgument) and each in constants and each.has_one_use() for each in both)
    return BiasWithStart(bias, start) if alone and both[0].type == both[1].type else None


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
