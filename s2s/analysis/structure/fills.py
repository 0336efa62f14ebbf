"""Find the number that makes a guarded access beyond the end of a tensor harmless, if it is stored there.

A maximum skips what its window reads out of bounds. It has the same result if it reads -inf there; a sum of products if
it reads 0, or the zero point that it subtracts. `select(in_bounds(%x), %x, 1.5)` reads 1.5.
"""

from math import inf

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.dialects import tensor
from s2s.types.hints import isa

_WIDENING = (arith.ExtSIOp, arith.ExtUIOp, arith.ExtFOp, arith.SIToFPOp, arith.UIToFPOp)


def fill_of(op: tensor.ComputeOp, operand: int) -> Attribute | None:
    """Return the number that may stand behind the end of an operand without a change of the results, such as 0 in a
    sum; None if there is none. `operand` counts the reads of `op`, then the operands of its epilogue."""
    element = tensor.element_type([*op.reads, *op.epilogue][operand])
    found = _of_reduction(op, operand) if operand < len(op.reads) else _of_epilogue(op, operand - len(op.reads))
    if found is None:
        return None
    if isa(element, AnyFloat):
        return FloatAttr(found, element)
    if not isa(element, IntegerType) or found in (inf, -inf):
        return None
    return IntegerAttr(int(found), element)


def _of_reduction(op: tensor.ComputeOp, number: int) -> float | None:
    assert op.reduce is not None
    block, last = op.reduce.block, op.reduce.block.last_op
    assert isinstance(last, tensor.YieldOp)
    accumulators = block.args[len(op.reads) : len(op.reads) + len(op.inits)]
    found = {
        _neutral(value, accumulator, block.args[number])
        for value, accumulator in zip(last.arguments, accumulators, strict=True)
    }
    return found.pop() if len(found) == 1 else None


def _neutral(value: SSAValue, accumulator: SSAValue, x: SSAValue) -> float | None:
    """Return the `x` for which `value` is `accumulator`."""
    step = value.owner
    if not isinstance(step, Operation) or accumulator not in step.operands or len(step.operands) != 2:
        return None
    other = step.operands[1 - list(step.operands).index(accumulator)]
    match step:
        case arith.AddfOp() | arith.AddiOp():
            return _root(other, x)
        case arith.MaximumfOp() if other is x:
            return -inf
        case arith.MinimumfOp() if other is x:
            return inf
        case arith.MaxSIOp() | arith.MinSIOp() if other is x and isa(x.type, IntegerType):
            half = 1 << (x.type.width.data - 1)
            return -half if isinstance(step, arith.MaxSIOp) else half - 1
        case _:
            return None


def _root(value: SSAValue, x: SSAValue) -> float | None:
    """Return the `x` for which `value` is 0."""
    if value is x:
        return 0
    match value.owner:
        case arith.MulfOp() | arith.MuliOp() as product:
            roots = [_root(factor, x) for factor in product.operands]
            return next((root for root in roots if root is not None), None)
        case arith.SubiOp() as difference:
            inner, taken = _root(difference.lhs, x), difference.rhs.owner
            if inner == 0 and isinstance(taken, arith.ConstantOp) and isa(taken.value, IntegerAttr):
                return taken.value.value.data
            return None
        case Operation() as cast if isinstance(cast, _WIDENING):
            return _root(cast.operands[0], x)
        case _:
            return None


def _of_epilogue(op: tensor.ComputeOp, number: int) -> float | None:
    x = op.apply.block.args[len(op.inits) + number]
    found = set[float]()
    for use in x.uses:
        match use.operation:
            case tensor.InBoundsOp():
                continue
            case arith.SelectOp() as select if select.lhs is x and _asks_for(select.cond, x):
                constant = select.rhs.owner
                if not isinstance(constant, arith.ConstantOp) or not isa(constant.value, IntegerAttr | FloatAttr):
                    return None
                found.add(constant.value.value.data)
            case _:
                return None
    return found.pop() if len(found) == 1 else None


def _asks_for(condition: SSAValue, x: SSAValue) -> bool:
    """Return whether `condition` says whether `x` is in bounds."""
    return isinstance(condition.owner, tensor.InBoundsOp) and condition.owner.operands[0] is x
