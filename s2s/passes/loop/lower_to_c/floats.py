"""Floating-point operations of `arith` and `math` as C.

Half-precision values are carried as `float` and rounded after every operation, which gives the same numbers as
arithmetic in half precision: `float` has more than twice its digits.
"""

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import Float64Type, IntegerType, f32, i1, i32
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.c_syntax import headers
from s2s.c_syntax.types import element_name
from s2s.dialects import c
from s2s.dialects.c.conversions import is_half
from s2s.dialects.loop import QuantizeLanesOp
from s2s.dialects.tensor import ExpNonpositiveOp, QuantizeOp, RemFOp
from s2s.passes.loop.lower_to_c.builder import Builder, literal_value, unsigned_type, value_type
from s2s.passes.loop.lower_to_c.integers import Lowering
from s2s.types.hints import isa


def rounded(b: Builder, value: SSAValue, type: Attribute) -> SSAValue:
    """Round `value` to `type` if that is narrower than the type that C computes in."""
    return b.call(f"s2s_{element_name(type)}_round", [value], value.type, headers.HALF) if is_half(type) else value


def libm(name: str, type: Attribute) -> str:
    """Return the function of <math.h> for `type`: `expf`, or `exp` for double."""
    return name if isinstance(type, Float64Type) else f"{name}f"


def _operands(b: Builder, op: Operation) -> list[SSAValue]:
    return [b.value(operand) for operand in op.operands]


def _operator(operator: str) -> Lowering:
    return lambda b, op: rounded(b, b.binary(operator, *_operands(b, op)), op.results[0].type)


def _math(name: str) -> Lowering:
    def lower(b: Builder, op: Operation) -> SSAValue:
        operands = _operands(b, op)
        type = operands[0].type
        result = b.call(libm(name, type), [b.cast(operand, type) for operand in operands], type, headers.LIBM)
        return rounded(b, result, op.results[0].type)

    return lower


def _exponential(b: Builder, op: Operation) -> SSAValue:
    """Call the exponential function: the runtime's for floats, whose results do not depend on the C library."""
    if isinstance(op.operands[0].type, Float64Type):
        return _math("exp")(b, op)
    value = b.value(op.operands[0])
    return rounded(b, b.call("s2s_f32_exp", [value], value.type, headers.EXP), op.results[0].type)


def _extreme(name: str) -> Lowering:
    """Lower minimum or maximum with NaN propagation. A constant comes first, which allows one machine instruction."""

    def lower(b: Builder, op: Operation) -> SSAValue:
        lhs, rhs = _operands(b, op)
        pair = [rhs, lhs] if literal_value(rhs) is not None else [lhs, rhs]
        return b.scalar_call(name, pair, lhs.type)

    return lower


def _negate(b: Builder, op: Operation) -> SSAValue:
    return b.unary("-", b.value(op.operands[0]))


def _reciprocal_root(b: Builder, op: Operation) -> SSAValue:
    value = b.value(op.operands[0])
    root = b.call(libm("sqrt", value.type), [value], value.type, headers.LIBM)
    return rounded(b, b.binary("/", b.literal(1.0, value.type), root), op.results[0].type)


def _stored_half(value: SSAValue, type: Attribute) -> SSAValue | None:
    """Return the half that `value` was widened from; None if it was computed."""
    maker = value.owner
    if is_half(type) and isinstance(maker, c.CallOp) and maker.callee.data == f"s2s_{element_name(type)}_to_f32":
        return maker.arguments[0]
    return None


def _reinterpret(b: Builder, op: Operation) -> SSAValue:
    """Reinterpret the bits of a float as an integer or the reverse. A half that was just read is its bits."""
    assert isinstance(op, arith.BitcastOp)
    source, target = op.input.type, op.result.type
    if isa(target, IntegerType):
        stored = _stored_half(b.value(op.input), source)
        if stored is not None:
            return b.cast(stored, target)
        name = f"s2s_f32_to_{element_name(source)}" if is_half(source) else f"s2s_{element_name(source)}_bits"
        header = headers.HALF if is_half(source) else headers.BITS
        return b.cast(b.call(name, [b.value(op.input)], unsigned_type(target), header), target)
    name = f"s2s_{element_name(target)}_to_f32" if is_half(target) else f"s2s_{element_name(target)}_of_bits"
    header = headers.HALF if is_half(target) else headers.BITS
    return b.call(name, [b.unsigned(op.input)], value_type(target), header)


_ORDERED = {"oeq": "==", "ogt": ">", "oge": ">=", "olt": "<", "ole": "<=", "une": "!="}
_NEGATED = {"ugt": "<=", "uge": "<", "ult": ">=", "ule": ">"}


def _compare(b: Builder, op: Operation) -> SSAValue:
    """Lower a comparison. Ordered predicates are false for NaN, as in C; an unordered one is the negated opposite."""
    assert isinstance(op, arith.CmpfOp)
    predicate = arith.CMPF_COMPARISON_OPERATIONS[op.predicate.value.data]
    lhs, rhs = _operands(b, op)
    if predicate in _ORDERED:
        return b.binary(_ORDERED[predicate], lhs, rhs)
    if predicate in _NEGATED:
        return b.unary("!", b.binary(_NEGATED[predicate], lhs, rhs))
    if predicate in ("one", "ueq"):
        apart = b.binary("||", b.binary("<", lhs, rhs), b.binary(">", lhs, rhs))
        return apart if predicate == "one" else b.unary("!", apart)
    if predicate == "ord":
        return b.binary("&&", b.binary("==", lhs, lhs), b.binary("==", rhs, rhs))
    if predicate == "uno":
        return b.binary("||", b.binary("!=", lhs, lhs), b.binary("!=", rhs, rhs))
    return b.literal(predicate == "true", i1)


def _change_precision(b: Builder, op: Operation) -> SSAValue:
    value, type = b.value(op.operands[0]), op.results[0].type
    if not is_half(type):
        return b.cast(value, type)
    if isinstance(value.type, Float64Type):
        return b.call(f"s2s_f64_to_{element_name(type)}_round", [value], value_type(type), headers.HALF)
    return rounded(b, value, type)


def _from_signed(b: Builder, op: Operation) -> SSAValue:
    """Convert a signed integer; a true `i1` is -1."""
    type, value = op.results[0].type, b.signed(op.operands[0])
    if value.type == i1:
        value = b.unary("-", b.cast(value, i32))
    return rounded(b, b.cast(value, value_type(type)), type)


def _from_unsigned(b: Builder, op: Operation) -> SSAValue:
    """Convert an unsigned integer. A truth value chooses 1 or 0, which compilers vectorise, and which is exact."""
    type, value = op.results[0].type, b.unsigned(op.operands[0])
    if value.type == i1:
        one, zero = (b.literal(number, value_type(type)) for number in (1.0, 0.0))
        return b.add(c.ConditionalOp(value, one, zero))
    return rounded(b, b.cast(value, value_type(type)), type)


def _to_integer(*, unsigned: bool) -> Lowering:
    """Round towards zero and saturate, since C leaves out-of-range conversions undefined."""

    def lower(b: Builder, op: Operation) -> SSAValue:
        value = b.value(op.operands[0])
        type = unsigned_type(op.results[0].type) if unsigned else op.results[0].type
        return b.call(f"s2s_{element_name(value.type)}_to_{element_name(type)}", [value], type, headers.MATH)

    return lower


def _quantize(b: Builder, op: Operation) -> SSAValue:
    assert isinstance(op, QuantizeOp)
    name, numbers = quantisation_call(b, op)
    return b.call(f"s2s_f32_{name}", [b.value(op.x), *numbers], op.result.type, headers.ROUND)


def quantisation_call(b: Builder, op: QuantizeOp | QuantizeLanesOp) -> tuple[str, list[SSAValue]]:
    """Return the name of the function that quantises, without what it starts with, and its arguments beside `x`."""
    rounding = "_nan" if op.maybe_nan is not None else "_away" if op.away is not None else ""
    factors = () if op.factors is None else op.factors.get_values()
    numbers = [*(b.literal(each, f32) for each in factors), b.literal(op.zero_point.value.data, i32)]
    return f"{'quotient' if factors else 'quantize'}_i{op.half.bit_length()}{rounding}", numbers


LIBM: dict[type[Operation], str] = {
    RemFOp: "fmod",
    arith.MaxnumfOp: "fmax",
    arith.MinnumfOp: "fmin",
    math.AbsFOp: "fabs",
    math.AcosOp: "acos",
    math.AcoshOp: "acosh",
    math.AsinOp: "asin",
    math.AsinhOp: "asinh",
    math.AtanOp: "atan",
    math.Atan2Op: "atan2",
    math.AtanhOp: "atanh",
    math.CbrtOp: "cbrt",
    math.CeilOp: "ceil",
    math.CopySignOp: "copysign",
    math.CosOp: "cos",
    math.CoshOp: "cosh",
    math.ErfOp: "erf",
    math.ExpOp: "exp",
    math.Exp2Op: "exp2",
    math.ExpM1Op: "expm1",
    math.FloorOp: "floor",
    math.FmaOp: "fma",
    math.FPowIOp: "pow",
    math.LogOp: "log",
    math.Log10Op: "log10",
    math.Log1pOp: "log1p",
    math.Log2Op: "log2",
    math.PowFOp: "pow",
    math.RoundOp: "round",
    math.RoundEvenOp: "rint",
    math.SinOp: "sin",
    math.SinhOp: "sinh",
    math.SqrtOp: "sqrt",
    math.TanOp: "tan",
    math.TanhOp: "tanh",
    math.TruncOp: "trunc",
}
"""Operations that are functions of <math.h>; `rint` rounds to even in the default rounding mode."""

FLOATS: dict[type[Operation], Lowering] = {
    **{kind: _math(name) for kind, name in LIBM.items()},
    math.ExpOp: _exponential,
    ExpNonpositiveOp: _exponential,
    arith.AddfOp: _operator("+"),
    arith.SubfOp: _operator("-"),
    arith.MulfOp: _operator("*"),
    arith.DivfOp: _operator("/"),
    arith.NegfOp: _negate,
    arith.MaximumfOp: _extreme("max"),
    arith.MinimumfOp: _extreme("min"),
    arith.CmpfOp: _compare,
    arith.ExtFOp: _change_precision,
    arith.TruncFOp: _change_precision,
    arith.BitcastOp: _reinterpret,
    arith.SIToFPOp: _from_signed,
    arith.UIToFPOp: _from_unsigned,
    arith.FPToSIOp: _to_integer(unsigned=False),
    arith.FPToUIOp: _to_integer(unsigned=True),
    math.RsqrtOp: _reciprocal_root,
    QuantizeOp: _quantize,
}
