"""Operators of one operand, element by element."""

from collections.abc import Callable
from typing import Any

from s2s.tvm.te import operators
from s2s.tvm.te.expressions import Expr, Number, Tensor, compare, const
from s2s.tvm.te.tensors import pointwise

_abs, _round = operators.abs, operators.round


def _elementwise(name: str, formula: Callable[[Expr], Expr]) -> Callable[[Tensor], Tensor]:
    def function(x: Tensor) -> Tensor:
        return pointwise(x.shape, lambda i: formula(x(*i)), f"T_{name}")

    function.__name__ = name
    function.__doc__ = f"`{name}` of each element."
    return function


acos, acosh, asin = (_elementwise(each, getattr(operators, each)) for each in ("acos", "acosh", "asin"))
asinh, atan, atanh = (_elementwise(each, getattr(operators, each)) for each in ("asinh", "atan", "atanh"))
ceil, cos, cosh = (_elementwise(each, getattr(operators, each)) for each in ("ceil", "cos", "cosh"))
erf, exp, floor = (_elementwise(each, getattr(operators, each)) for each in ("erf", "exp", "floor"))
log, log2, log10 = (_elementwise(each, getattr(operators, each)) for each in ("log", "log2", "log10"))
rsqrt, sigmoid, sin = (_elementwise(each, getattr(operators, each)) for each in ("rsqrt", "sigmoid", "sin"))
sinh, sqrt, tan = (_elementwise(each, getattr(operators, each)) for each in ("sinh", "sqrt", "tan"))
tanh, trunc = _elementwise("tanh", operators.tanh), _elementwise("trunc", operators.trunc)
abs, round = _elementwise("abs", _abs), _elementwise("round", _round)
identity = _elementwise("identity", lambda x: x)
negative = _elementwise("negative", lambda x: -x)
isnan = _elementwise("isnan", operators.isnan)
isinf = _elementwise("isinf", operators.isinf)
isfinite = _elementwise("isfinite", operators.isfinite)
fast_exp, fast_tanh, fast_erf = exp, tanh, erf
sign = _elementwise(
    "sign",
    lambda x: operators.if_then_else(
        compare("<", x, 0),
        const(-1, x.dtype),
        operators.if_then_else(compare(">", x, 0), const(1, x.dtype), const(0, x.dtype)),
    ),
)


def clip(x: Tensor, a_min: Number, a_max: Number) -> Tensor:
    """The elements, at least `a_min` and at most `a_max`."""
    return pointwise(x.shape, lambda i: operators.min(operators.max(x(*i), a_min), a_max), "T_clip")


def cast(x: Tensor, dtype: str, span: Any = None) -> Tensor:
    """The elements converted to `dtype`."""
    return pointwise(x.shape, lambda i: x(*i).astype(dtype), "T_cast")
