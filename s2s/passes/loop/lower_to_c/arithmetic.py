"""Lower `arith`, `math` and scalar `tensor` operations: scalars to C expressions, vectors to calls."""

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType
from xdsl.ir import Operation, SSAValue

from s2s.dialects import c
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder, value_type
from s2s.passes.loop.lower_to_c.floats import FLOATS
from s2s.passes.loop.lower_to_c.integers import INTEGERS, Lowering
from s2s.passes.loop.lower_to_c.operations import LOWERINGS
from s2s.passes.loop.lower_to_c.vectors import VECTORS
from s2s.types.hints import isa


def _constant(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, arith.ConstantOp)
    if isinstance(op.value, DenseIntOrFPElementsAttr) or not isa(op.value, IntegerAttr | FloatAttr):
        raise CompilerBug(f"{op.value} is not a number")
    return b.literal(op.value.value.data, value_type(op.result.type))


def _select(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, arith.SelectOp)
    chosen, otherwise = b.same_sign(op.lhs, op.rhs)
    return b.add(c.ConditionalOp(b.value(op.cond), chosen, otherwise))


SCALARS: dict[type[Operation], Lowering] = {
    **INTEGERS,
    **FLOATS,
    arith.ConstantOp: _constant,
    arith.SelectOp: _select,
}


@LOWERINGS.register(*dict.fromkeys([*SCALARS, *VECTORS]))
def arithmetic(b: Builder, op: Operation) -> SSAValue:
    """Lower an operation on scalars, or lane by lane on vectors."""
    if not any(isinstance(value.type, VectorType) for value in (*op.operands, *op.results)):
        return _lowered(b, op, SCALARS.get(type(op)), "C")
    return _lowered(b, op, VECTORS.get(type(op)), "vector function")


def _lowered(b: Builder, op: Operation, lowering: Lowering | None, form: str) -> SSAValue:
    if lowering is None:
        raise CompilerBug(f"{op.name} on {op.operands[0].type} has no {form}")
    return lowering(b, op)
