"""Arithmetic and bits under the names of functions: `tir.add(a, b)` is `a + b`, `tir.shift_left(a, b)` shifts."""

import numpy as np

from s2s.errors import InputError
from s2s.tvm.dtypes import is_float
from s2s.tvm.te.expressions import BOOL, Expr, Number, binary, typed


def add(lhs: Expr | Number, rhs: Expr | Number) -> Expr:
    """The sum of two expressions."""
    return binary("+", lhs, rhs)


def subtract(lhs: Expr | Number, rhs: Expr | Number) -> Expr:
    """The difference of two expressions."""
    return binary("-", lhs, rhs)


def multiply(lhs: Expr | Number, rhs: Expr | Number) -> Expr:
    """The product of two expressions."""
    return binary("*", lhs, rhs)


def div(a: Expr | Number, b: Expr | Number) -> Expr:
    """`a / b`, of integers rounded towards zero as in C."""
    dtypes = [operand.dtype for operand in (a, b) if isinstance(operand, Expr)]
    is_of_floats = is_float(dtypes[0]) if dtypes else isinstance(a, float) or isinstance(b, float)
    return binary("/" if is_of_floats else "quo", a, b)


def ceildiv(lhs: Expr | Number, rhs: Expr | Number) -> Expr:
    """`lhs / rhs` of integers, rounded up."""
    return 0 - binary("//", binary("-", 0, lhs), rhs)


def bitwise_and(x: Expr | Number, y: Expr | Number) -> Expr:
    """The bits that both integers have."""
    return binary("&", x, y)


def bitwise_or(x: Expr | Number, y: Expr | Number) -> Expr:
    """The bits that one of two integers has, or both."""
    return binary("|", x, y)


def bitwise_xor(x: Expr | Number, y: Expr | Number) -> Expr:
    """The bits that exactly one of two integers has."""
    return binary("^", x, y)


def bitwise_not(x: Expr) -> Expr:
    """The bits that an integer does not have."""
    dtype = _bits("bitwise_not", x)
    return binary("^", x, typed(2 ** (8 * dtype.itemsize) - 1 if dtype.kind == "u" else -1, x.dtype))


def shift_left(x: Expr | Number, y: Expr | Number) -> Expr:
    """`x` moved by `y` bits to the more significant ones."""
    return binary("<<", x, y)


def shift_right(x: Expr | Number, y: Expr | Number) -> Expr:
    """`x` moved by `y` bits to the less significant ones; a negative one stays negative."""
    return binary(">>", x, y)


def popcount(x: Expr) -> Expr:
    """The number of bits of an integer that are 1: sums of neighbouring bits, pairs, groups of four and so on.

    Of 0b1101 the pairs hold 0b10 and 0b01, which add up to 3.
    """
    dtype = _bits("popcount", x)
    size = 8 * dtype.itemsize
    plain = f"uint{max(size, 32)}"
    count = x.astype(f"uint{size}").astype(plain)
    shift = 1
    while shift < size:
        mask = typed(sum(((1 << shift) - 1) << place for place in range(0, size, 2 * shift)), plain)
        moved = binary("&", binary(">>", count, typed(shift, plain)), mask)
        count = binary("&", count, mask) + moved
        shift *= 2
    return count.astype(x.dtype)


def _bits(name: str, x: Expr) -> np.dtype[np.generic]:
    """The element type of an integer."""
    if is_float(x.dtype) or x.dtype == BOOL:
        raise InputError(f"te.{name}: {x} is {x.dtype}; convert it to an integer with astype")
    return np.dtype(x.dtype)
