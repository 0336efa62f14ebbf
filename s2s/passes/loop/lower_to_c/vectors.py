"""Operations on vectors as calls of `s2s_simd.h`, which has a form for every compiler.

A comparison gives a mask: a vector of `int32_t` whose lanes are all ones or zero. It stands for the vector of `i1` of
the loop level.
"""

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType, f32, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from s2s.analysis.dtypes import from_dense
from s2s.dialects import c, loop
from s2s.errors import CompilerBug
from s2s.passes.loop.lower_to_c.builder import Builder, literal_value, value_type, vector_name
from s2s.passes.loop.lower_to_c.floats import LIBM
from s2s.passes.loop.lower_to_c.integers import Lowering

_BY_NAME: dict[type[Operation], str] = {
    arith.AddfOp: "add",
    arith.SubfOp: "sub",
    arith.MulfOp: "mul",
    arith.DivfOp: "div",
    arith.NegfOp: "neg",
    arith.AddiOp: "add",
    arith.SubiOp: "sub",
    arith.MuliOp: "mul",
    arith.MinSIOp: "min",
    arith.MaxSIOp: "max",
    arith.AndIOp: "bit_and",
    arith.OrIOp: "bit_or",
    math.AbsFOp: "abs",
    math.AbsIOp: "abs",
    math.SqrtOp: "sqrt",
    loop.FmaOp: "fma",
}
_SHIFTS: dict[type[Operation], str] = {arith.ShLIOp: "shift_left", arith.ShRSIOp: "shift_right"}


def lower_vector(b: Builder, op: Operation) -> SSAValue:
    """The C of an operation of `arith`, `math` or `loop` whose result or operand is a vector."""
    kind = type(op)
    if kind in _BY_NAME:
        operands = [b.value(operand) for operand in op.operands]
        return b.vector_call(_BY_NAME[kind], operands, operands[0].type)
    if kind in _SPECIAL:
        return _SPECIAL[kind](b, op)
    if kind in _SHIFTS:
        return _shift(b, op)
    if kind in LIBM:
        return _each_lane(b, op)
    raise CompilerBug(f"{op.name} on {op.operands[0].type} has no vector function")


def splat(b: Builder, scalar: SSAValue, type: Attribute) -> SSAValue:
    """`scalar` in every lane of a vector of `type`."""
    if literal_value(scalar) == 0:
        return b.vector_call("zero", [], type)
    return b.vector_call("splat", [scalar], type)


def _constant(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, arith.ConstantOp)
    if not isinstance(op.value, DenseIntOrFPElementsAttr):
        raise CompilerBug(f"{op.value} is not a vector constant")
    type = value_type(op.result.type)
    values = from_dense(op.value)
    if not (values == values.flat[0]).all():
        raise CompilerBug("vector constants with different lanes have no C")
    mask = op.value.get_element_type() == i1
    return splat(b, b.literal(-int(values.flat[0]) if mask else values.flat[0].item(), _element(type)), type)


def _broadcast(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, loop.BroadcastOp)
    scalar = b.value(op.scalar)
    if op.scalar.type == i1:
        scalar = b.unary("-", b.cast(scalar, i32))
    return splat(b, scalar, value_type(op.result.type))


def _reduce(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, loop.ReduceOp)
    vector = b.value(op.vector)
    return b.vector_call(f"reduce_{op.kind.data}", [vector], op.result.type, of=vector.type)


def _extreme(name: str) -> Lowering:
    """A constant goes first: then one machine instruction does it."""

    def lower(b: Builder, op: Operation) -> SSAValue:
        lhs, rhs = (b.value(operand) for operand in op.operands)
        pair = [rhs, lhs] if _is_splat_of_literal(rhs) else [lhs, rhs]
        return b.vector_call(name, pair, lhs.type)

    return lower


def _is_splat_of_literal(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, c.CallOp) and all(literal_value(argument) is not None for argument in op.arguments)


def _select(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, arith.SelectOp)
    chosen, otherwise = b.value(op.lhs), b.value(op.rhs)
    condition = b.value(op.cond)
    if condition.type == i1:
        return b.add(c.ConditionalOp(condition, chosen, otherwise))
    return b.vector_call("select", [condition, chosen, otherwise], chosen.type)


def _compare_floats(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, arith.CmpfOp)
    return _comparison(b, op, arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data])


def _compare_integers(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, arith.CmpiOp)
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    return _comparison(b, op, {"eq": "oeq", "ne": "une"}.get(predicate, f"o{predicate[1:]}"))


_FORWARD = {"oeq": "equal", "une": "not_equal", "olt": "less", "ole": "less_equal"}
_BACKWARD = {"ogt": "less", "oge": "less_equal"}
_OPPOSITES = {"ugt": "ole", "uge": "olt", "ult": "oge", "ule": "ogt"}


def _comparison(b: Builder, op: Operation, predicate: str) -> SSAValue:
    lhs, rhs = (b.value(operand) for operand in op.operands)
    mask = value_type(op.results[0].type)
    if predicate in _OPPOSITES:
        return b.vector_call("bit_not", [_comparison(b, op, _OPPOSITES[predicate])], mask)
    if predicate in _FORWARD:
        return b.vector_call(_FORWARD[predicate], [lhs, rhs], mask, of=lhs.type)
    if predicate in _BACKWARD:
        return b.vector_call(_BACKWARD[predicate], [rhs, lhs], mask, of=lhs.type)
    raise CompilerBug(f"{op.name} {predicate} has no vector function")


def _exclusive_or(b: Builder, op: Operation) -> SSAValue:
    lhs, rhs = (b.value(operand) for operand in op.operands)
    inner = rhs.owner
    if isinstance(inner, c.CallOp) and [literal_value(argument) for argument in inner.arguments] == [-1]:
        return b.vector_call("bit_not", [lhs], lhs.type)
    return b.vector_call("bit_xor", [lhs, rhs], lhs.type)


def _shift(b: Builder, op: Operation) -> SSAValue:
    value, count = b.value(op.operands[0]), b.value(op.operands[1])
    inner = count.owner
    if not isinstance(inner, c.CallOp) or len(inner.arguments) != 1:
        raise CompilerBug(f"{op.name} by another number of bits in each lane has no vector function")
    return b.vector_call(_SHIFTS[type(op)], [value, inner.arguments[0]], value.type)


def _reciprocal_root(b: Builder, op: Operation) -> SSAValue:
    value = b.value(op.operands[0])
    one = splat(b, b.literal(1.0, f32), value.type)
    return b.vector_call("div", [one, b.vector_call("sqrt", [value], value.type)], value.type)


def _from_integers(b: Builder, op: Operation) -> SSAValue:
    value = b.value(op.operands[0])
    return b.vector_call("from_i32", [value], value_type(op.results[0].type))


def _to_integers(b: Builder, op: Operation) -> SSAValue:
    value = b.value(op.operands[0])
    return b.vector_call("to_i32", [value], value_type(op.results[0].type), of=value.type)


def _each_lane(b: Builder, op: Operation) -> SSAValue:
    """A function of one number, called for each lane."""
    if len(op.operands) != 1:
        raise CompilerBug(f"{op.name} of two vectors has no vector function")
    value = b.value(op.operands[0])
    function = b.add(c.SymbolOp(f"{LIBM[type(op)]}f", c.NamedType("function")))
    return b.vector_call("map", [function, value], value.type)


def _element(type: Attribute) -> Attribute:
    if not isa(type, VectorType):
        raise CompilerBug(f"{vector_name(type)} is not a vector")
    return type.element_type


_SPECIAL: dict[type[Operation], Lowering] = {
    arith.ConstantOp: _constant,
    arith.MaximumfOp: _extreme("max"),
    arith.MinimumfOp: _extreme("min"),
    arith.SelectOp: _select,
    arith.CmpfOp: _compare_floats,
    arith.CmpiOp: _compare_integers,
    arith.XOrIOp: _exclusive_or,
    arith.SIToFPOp: _from_integers,
    arith.FPToSIOp: _to_integers,
    loop.BroadcastOp: _broadcast,
    loop.ReduceOp: _reduce,
    math.RsqrtOp: _reciprocal_root,
}
