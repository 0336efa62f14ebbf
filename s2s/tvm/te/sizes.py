"""Sizes of tensor expressions as numbers, once `bind` gives the variables of `te.var` values or bounds."""

from collections.abc import Callable, Mapping

from s2s.errors import InputError
from s2s.tvm.te.expressions import Binary, Const, Expr, Size, Var, walk
from s2s.types.sizes import DimSize, SizeRange, at_most

Bind = Mapping[str, DimSize]
"""The sizes of variables: numbers, or bounds of sizes that vary from call to call."""


def size_of(extent: Size, bind: Bind) -> int:
    """The number that `extent` is once `bind` gives its variables; refused where it varies from call to call."""
    if is_open(extent, bind):
        raise InputError(
            f"te: size {extent} varies from call to call where a number is wanted; give bind= to build a number for it"
        )
    return greatest_of(extent, bind)


def is_open(extent: Size, bind: Bind) -> bool:
    """Whether a size varies from call to call."""
    parts = walk(extent) if isinstance(extent, Expr) else ()
    return any(isinstance(part, Var) and isinstance(bind.get(part.name), SizeRange) for part in parts)


def greatest_of(extent: Size, bind: Bind) -> int:
    """The number that `extent` is at the greatest sizes that `bind` gives its variables."""
    return value_of(extent, {name: _positive(name, size) for name, size in at_most(bind).items()})


def value_of(extent: Size, values: Mapping[str, int]) -> int:
    """The size that `extent` is with these values of its variables, which may be symbols."""
    if isinstance(extent, int):
        return extent
    match extent:
        case Const():
            return int(extent.value)
        case Var():
            if extent.name not in values:
                raise InputError(f"te: size {extent.name} has no value; give bind={{{extent.name!r}: …}} to build")
            return values[extent.name]
        case Binary() if extent.sign in _ARITHMETIC:
            a, b = value_of(extent.a, values), value_of(extent.b, values)
            if b == 0 and extent.sign in ("//", "%"):
                raise InputError(f"te: size {extent} divides by zero; give other sizes")
            return _ARITHMETIC[extent.sign](a, b)
        case _:
            raise InputError(f"te: {extent} is no size; build sizes from te.var and numbers by + - * // % min max")


def _positive(name: str, size: object) -> int:
    """Return the size that `bind` gives a variable; refuse what is no number of elements."""
    if not isinstance(size, int) or size < 1:
        raise InputError(f"te: size {name} = {size!r}: a dimension has one element or more; give a positive integer")
    return size


_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: a // b,
    "%": lambda a, b: a % b,
    "min": min,
    "max": max,
}
