"""The nodes of expressions under the names of TVM's classes: `tir.Add(a, b)`, `isinstance(expr, tir.Add)`."""

from typing import Any

from s2s.tvm.dtypes import is_float
from s2s.tvm.te.expressions import BOOL, Binary, Expr, Number, binary, compare, const
from s2s.tvm.te.expressions import Cast as Converted

SIGNS = {
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "Div": "/",
    "Mod": "rem",
    "FloorDiv": "//",
    "FloorMod": "%",
    "Min": "min",
    "Max": "max",
    "EQ": "==",
    "NE": "!=",
    "LT": "<",
    "LE": "<=",
    "GT": ">",
    "GE": ">=",
    "And": "and",
    "Or": "or",
}
"""The sign of each class."""
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class _Node(type):
    """The class of expressions of one sign: a call makes one, and they are its instances."""

    sign: str

    def __instancecheck__(cls, instance: object) -> bool:
        signs = (cls.sign, "quo") if cls.sign == "/" else (cls.sign,)
        return isinstance(instance, Binary) and instance.sign in signs

    def __call__(cls, a: Any, b: Any) -> Expr:
        return _binary(cls.sign, a, b)


def _binary(sign: str, a: Expr | Number, b: Expr | Number) -> Expr:
    """The expression of a sign; integers are divided towards zero."""
    if sign in COMPARISONS:
        return compare(sign, a, b)
    if sign in ("and", "or"):
        left, right = (side.astype(BOOL) if isinstance(side, Expr) else const(bool(side)) for side in (a, b))
        return Binary(sign, left, right, BOOL)
    is_integer = any(isinstance(side, Expr) and not is_float(side.dtype) for side in (a, b))
    return binary("quo" if sign == "/" and is_integer else sign, a, b)


class _Conversion(type):
    """The class of conversions."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Converted)

    def __call__(cls, dtype: str, value: Expr) -> Expr:
        return value.astype(dtype)


class Cast(metaclass=_Conversion):
    """`value` converted to `dtype`."""


def _class(name: str) -> Any:
    return _Node(name, (), {"sign": SIGNS[name], "__module__": __name__, "__doc__": f"`a {SIGNS[name]} b`."})


Add, Sub, Mul, Div, Mod = map(_class, ("Add", "Sub", "Mul", "Div", "Mod"))
FloorDiv, FloorMod, Min, Max = map(_class, ("FloorDiv", "FloorMod", "Min", "Max"))
EQ, NE, LT, LE, GT, GE = map(_class, ("EQ", "NE", "LT", "LE", "GT", "GE"))
And, Or = map(_class, ("And", "Or"))
