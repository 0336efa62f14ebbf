"""Functions on expressions that are made of others: powers of 2 and 10, hypotenuses, rests of floats."""

import math

from s2s.errors import InputError
from s2s.tvm.dtypes import is_float
from s2s.tvm.te.expressions import Expr, Number, compare, typed
from s2s.tvm.te.operators import abs, if_then_else, log, power, sqrt, trunc, truncmod


def exp2(x: Expr) -> Expr:
    """2 to the power of a float."""
    return power(typed(2.0, _float("exp2", x)), x)


def exp10(x: Expr) -> Expr:
    """10 to the power of a float."""
    return power(typed(10.0, _float("exp10", x)), x)


def log1p(x: Expr) -> Expr:
    """`log(1 + x)` of a float, exact for small ones too: what the sum has lost is made good."""
    dtype = _float("log1p", x)
    total = x + typed(1.0, dtype)
    lost = total - typed(1.0, dtype)
    is_finite = compare("<", abs(total), math.inf)
    return if_then_else(compare("==", lost, 0.0), x, if_then_else(is_finite, log(total) * (x / lost), log(total)))


def hypot(x1: Expr, x2: Expr) -> Expr:
    """The root of the sum of two squares, by the larger one, so that no square overflows."""
    _float("hypot", x1)
    first, second = abs(x1), abs(x2)
    is_first = compare(">", first, second)
    large, small = if_then_else(is_first, first, second), if_then_else(is_first, second, first)
    ratio = small / if_then_else(compare("==", large, 0.0), typed(1.0, x1.dtype), large)
    return large * sqrt(ratio * ratio + typed(1.0, x1.dtype))


def fmod(x: Expr, y: Expr | Number) -> Expr:
    """The rest of `x / y` rounded towards zero, which has the sign of `x`."""
    if not is_float(x.dtype):
        return truncmod(x, y)
    return x - trunc(x / y) * y


def _float(name: str, x: Expr) -> str:
    """The element type of an argument, which is a float."""
    if not is_float(x.dtype):
        raise InputError(f"te.{name}: {x} is {x.dtype}; convert it to a float with astype")
    return x.dtype
