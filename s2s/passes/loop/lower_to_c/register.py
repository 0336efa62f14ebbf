"""Lower register operations: broadcasts, multiply-adds, reductions and comparisons of lanes."""

from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import SSAValue

from s2s.dialects import loop
from s2s.passes.loop.lower_to_c.builder import Builder, value_type
from s2s.passes.loop.lower_to_c.floats import rounded
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.passes.loop.lower_to_c.vectors import splat


@LOWERINGS.register(loop.BroadcastOp)
def broadcast(b: Builder, op: loop.BroadcastOp) -> SSAValue:
    """Broadcast a scalar to every lane."""
    scalar = b.value(op.scalar)
    return splat(b, scalar, value_type(op.result.type))


@LOWERINGS.register(loop.FmaOp)
def multiply_add(b: Builder, op: loop.FmaOp) -> SSAValue:
    """Lower a multiply-add. On scalars the C compiler chooses the roundings; the operands are ordered to show `acc += a
    * b`."""
    operands = [b.value(operand) for operand in op.operands]
    if isinstance(op.result.type, VectorType):
        return b.vector_call("fma", operands, operands[0].type)
    left, right, total = operands
    return rounded(b, b.binary("+", total, b.binary("*", left, right)), op.result.type)


@LOWERINGS.register(loop.ReduceOp)
def reduce(b: Builder, op: loop.ReduceOp) -> SSAValue:
    """Combine all lanes to one scalar."""
    vector = b.value(op.vector)
    return b.vector_call(f"reduce_{op.kind.data}", [vector], op.result.type, of=vector.type)


@LOWERINGS.register(loop.HalveOp)
def halve(b: Builder, op: loop.HalveOp) -> SSAValue:
    """Combine the lower lanes with the upper ones."""
    vector = b.value(op.vector)
    low, high = (b.vector_call(half, [vector], op.result.type, of=vector.type) for half in ("low", "high"))
    return b.vector_call(op.kind.data, [low, high], op.result.type)


_LANE_COMPARISONS = {"oeq": "equal", "une": "not_equal", "olt": "less", "ole": "less_equal"}
_SWAPPED = {"ogt": "olt", "oge": "ole"}


@LOWERINGS.register(loop.ChooseOp)
def choose(b: Builder, op: loop.ChooseOp) -> SSAValue:
    """Select one of two numbers in each lane."""
    left, right, chosen, otherwise = (b.value(operand) for operand in op.operands)
    predicate = op.predicate.data
    if predicate in _SWAPPED:
        predicate, left, right = _SWAPPED[predicate], right, left
    mask = VectorType(i32, op.result.type.get_shape())
    test = b.vector_call(_LANE_COMPARISONS[predicate], [left, right], mask, of=left.type)
    return b.vector_call("select", [test, chosen, otherwise], op.result.type)
