"""Functions on expressions: reductions, conditions, and functions of one float."""

import math
from collections.abc import Callable, Sequence
from functools import reduce as fold

from s2s.errors import InputError
from s2s.tvm.dtypes import is_float
from s2s.tvm.te.expressions import Binary, Call, Expr, IterVar, Number, Select, alike, binary, compare, const
from s2s.tvm.te.operations import Reduce

Axes = IterVar | Sequence[IterVar]


def _reduction(kind: str, value: Expr, axis: Axes) -> Expr:
    axes = (axis,) if isinstance(axis, IterVar) else tuple(axis)
    wrong = [each for each in axes if not each.is_reduction]
    if wrong or not axes:
        raise InputError(
            f"te.{kind}: axis {wrong or 'of no loop'} is no reduction; name loop variables that te.reduce_axis has made"
        )
    return Reduce(kind, value, axes)


def sum(expr: Expr, axis: Axes) -> Expr:
    """The sum of `expr` over `axis`."""
    return _reduction("sum", expr, axis)


def max(expr: Expr, axis: Axes | Expr | Number) -> Expr:
    """The largest value of `expr` over `axis`; of an expression or number in its place, the larger of two."""
    return _extreme("max", expr, axis)


def min(expr: Expr, axis: Axes | Expr | Number) -> Expr:
    """The smallest value of `expr` over `axis`; of an expression or number in its place, the smaller of two."""
    return _extreme("min", expr, axis)


def _extreme(kind: str, expr: Expr, axis: Axes | Expr | Number) -> Expr:
    if isinstance(axis, Sequence) or (isinstance(axis, IterVar) and axis.is_reduction):
        return _reduction(kind, expr, axis)
    return binary(kind, expr, axis)


def if_then_else(cond: Expr, t: Expr | Number, f: Expr | Number) -> Expr:
    """`t` where the condition holds, else `f`; only the side that is taken is read."""
    return Select(cond, *alike(t, f))


def all(*args: Expr) -> Expr:
    """Whether all conditions hold."""
    return fold(lambda a, b: Binary("and", a, b, "bool"), args)


def any(*args: Expr) -> Expr:
    """Whether a condition holds."""
    return fold(lambda a, b: Binary("or", a, b, "bool"), args)


def indexdiv(a: Expr, b: Expr | Number) -> Expr:
    """`a // b` of an index, which is not negative."""
    return a // b


def indexmod(a: Expr, b: Expr | Number) -> Expr:
    """`a % b` of an index, which is not negative."""
    return a % b


def power(x: Expr, y: Expr | Number) -> Expr:
    """`x` to the power of `y`."""
    return binary("pow", x, y)


def _function(name: str) -> Callable[[Expr], Expr]:
    def call(x: Expr) -> Expr:
        if not is_float(x.dtype):
            raise InputError(f"te.{name}: {x} is {x.dtype}; convert it to a float with astype")
        return Call(name, x)

    call.__name__ = name
    call.__doc__ = f"`{name}(x)` of a float."
    return call


def _rounding(name: str) -> Callable[[Expr], Expr]:
    function = _function(name)

    def call(x: Expr) -> Expr:
        return function(x) if is_float(x.dtype) else x

    call.__name__ = name
    call.__doc__ = f"`{name}(x)` of a float; an integer is itself."
    return call


acos, acosh, asin, asinh = _function("acos"), _function("acosh"), _function("asin"), _function("asinh")
atan, atanh, cos, cosh = (_function(each) for each in ("atan", "atanh", "cos", "cosh"))
ceil, floor, nearbyint = _rounding("ceil"), _rounding("floor"), _rounding("nearbyint")
erf, exp, log = _function("erf"), _function("exp"), _function("log")
rsqrt, sigmoid, sin, sinh = _function("rsqrt"), _function("sigmoid"), _function("sin"), _function("sinh")
sqrt, tan, tanh = _function("sqrt"), _function("tan"), _function("tanh")


def abs(x: Expr) -> Expr:
    """`|x|`; a number without a sign is itself."""
    return x if x.dtype.startswith("uint") else binary("max", x, -x)


def trunc(x: Expr) -> Expr:
    """`x` without its fraction."""
    if not is_float(x.dtype):
        return x
    return if_then_else(compare("<", x, 0), ceil(x), floor(x))


def round(x: Expr) -> Expr:
    """The integer next to `x`, of halves the one that is further from zero; `nearbyint` takes the even one."""
    if not is_float(x.dtype):
        return x
    size = abs(x)
    down = floor(size)
    nearest = if_then_else(compare(">=", size - down, 0.5), down + 1, down)
    return if_then_else(compare("<", x, 0), -nearest, nearest)


def log2(x: Expr) -> Expr:
    """The logarithm to base 2."""
    return log(x) * (1 / math.log(2))


def log10(x: Expr) -> Expr:
    """The logarithm to base 10."""
    return log(x) * (1 / math.log(10))


def isnan(x: Expr) -> Expr:
    """Whether `x` is no number."""
    return compare("!=", x, x) if is_float(x.dtype) else const(False)


def isinf(x: Expr) -> Expr:
    """Whether `x` is infinite."""
    return compare("==", abs(x), math.inf) if is_float(x.dtype) else const(False)


def isfinite(x: Expr) -> Expr:
    """Whether `x` is a number and not infinite."""
    return compare("<", abs(x), math.inf) if is_float(x.dtype) else const(True)


def truncdiv(a: Expr, b: Expr | Number) -> Expr:
    """`a / b` of integers, rounded towards zero."""
    return binary("quo", a, b)


def truncmod(a: Expr, b: Expr | Number) -> Expr:
    """The rest of `truncdiv`."""
    return binary("rem", a, b)


def floordiv(a: Expr, b: Expr | Number) -> Expr:
    """`a / b` of integers, rounded down."""
    return a // b


def floormod(a: Expr, b: Expr | Number) -> Expr:
    """The rest of `floordiv`."""
    return a % b
