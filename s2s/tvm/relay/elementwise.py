"""Operators of one element or of two, broadcast, under TVM's names."""

from collections.abc import Callable

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.tvm.dtypes import is_float
from s2s.tvm.relay.expr import Expr, Number
from s2s.tvm.relay.graph_calls import call
from s2s.tvm.relay.operators import BY_OPERATION, operator


def _unary(name: str, operation: type[Operation], what: str) -> Callable[[Expr], Expr]:
    def apply(data: Expr) -> Expr:
        return call(operation, data)

    apply.__doc__ = what
    apply.__name__ = name
    BY_OPERATION[operation] = name
    return operator(name)(apply)


def _rounding(name: str, operation: type[Operation], what: str) -> Callable[[Expr], Expr]:
    def apply(data: Expr) -> Expr:
        return call(operation if is_float(data.dtype) else graph.IdentityOp, data)

    apply.__doc__ = what
    apply.__name__ = name
    BY_OPERATION[operation] = name
    return operator(name)(apply)


def _binary(name: str, operation: type[Operation], what: str) -> Callable[[Expr, Expr | Number], Expr]:
    def apply(lhs: Expr, rhs: Expr | Number) -> Expr:
        return call(operation, lhs, lhs.like(rhs))

    apply.__doc__ = what
    apply.__name__ = name
    BY_OPERATION[operation] = name
    return operator(name)(apply)


abs = _unary("abs", graph.AbsOp, "`|x|`.")
acos = _unary("acos", graph.AcosOp, "`acos(x)`.")
acosh = _unary("acosh", graph.AcoshOp, "`acosh(x)`.")
asin = _unary("asin", graph.AsinOp, "`asin(x)`.")
asinh = _unary("asinh", graph.AsinhOp, "`asinh(x)`.")
atan = _unary("atan", graph.AtanOp, "`atan(x)`.")
atanh = _unary("atanh", graph.AtanhOp, "`atanh(x)`.")
bitwise_not = _unary("bitwise_not", graph.BitwiseNotOp, "Every bit inverted.")
ceil = _rounding("ceil", graph.CeilOp, "Rounded up; integers are as they are.")
floor = _rounding("floor", graph.FloorOp, "Rounded down; integers are as they are.")
cos = _unary("cos", graph.CosOp, "`cos(x)`.")
cosh = _unary("cosh", graph.CoshOp, "`cosh(x)`.")
erf = _unary("erf", graph.ErfOp, "The error function.")
exp = _unary("exp", graph.ExpOp, "`e ** x`.")
log = _unary("log", graph.LogOp, "The natural logarithm.")
identity = copy = _unary("copy", graph.IdentityOp, "`x`.")
logical_not = _unary("logical_not", graph.LogicalNotOp, "Whether `x` is false.")
negative = _unary("negative", graph.NegOp, "`-x`.")
rsqrt = _unary("rsqrt", graph.RsqrtOp, "`1 / sqrt(x)`.")
sqrt = _unary("sqrt", graph.SqrtOp, "The square root.")
sigmoid = _unary("sigmoid", graph.SigmoidOp, "`1 / (1 + exp(-x))`.")
tanh = _unary("tanh", graph.TanhOp, "`tanh(x)`.")
sign = _unary("sign", graph.SignOp, "-1, 0 or 1.")
sin = _unary("sin", graph.SinOp, "`sin(x)`.")
sinh = _unary("sinh", graph.SinhOp, "`sinh(x)`.")
tan = _unary("tan", graph.TanOp, "`tan(x)`.")
add = _binary("add", graph.AddOp, "`a + b`, broadcast.")
subtract = _binary("subtract", graph.SubOp, "`a - b`, broadcast.")
multiply = _binary("multiply", graph.MulOp, "`a * b`, broadcast.")
divide = _binary("divide", graph.DivOp, "`a / b`, broadcast.")
power = _binary("power", graph.PowOp, "`a ** b`.")
maximum = _binary("maximum", graph.MaximumOp, "The larger.")
minimum = _binary("minimum", graph.MinimumOp, "The smaller.")
equal = _binary("equal", graph.EqualOp, "`a == b`.")
less = _binary("less", graph.LessOp, "`a < b`.")
less_equal = _binary("less_equal", graph.LessEqualOp, "`a <= b`.")
greater = _binary("greater", graph.GreaterOp, "`a > b`.")
greater_equal = _binary("greater_equal", graph.GreaterEqualOp, "`a >= b`.")
logical_and = _binary("logical_and", graph.LogicalAndOp, "`a and b`.")
logical_or = _binary("logical_or", graph.LogicalOrOp, "`a or b`.")
logical_xor = _binary("logical_xor", graph.LogicalXorOp, "Whether one of both holds.")
bitwise_and = _binary("bitwise_and", graph.BitwiseAndOp, "`a & b`.")
bitwise_or = _binary("bitwise_or", graph.BitwiseOrOp, "`a | b`.")
bitwise_xor = _binary("bitwise_xor", graph.BitwiseXorOp, "`a ^ b`.")
left_shift = _binary("left_shift", graph.ShiftLeftOp, "`a << b`.")
right_shift = _binary("right_shift", graph.ShiftRightOp, "`a >> b`.")


@operator("not_equal")
def not_equal(lhs: Expr, rhs: Expr | Number) -> Expr:
    """`a != b`."""
    return logical_not(equal(lhs, rhs))
