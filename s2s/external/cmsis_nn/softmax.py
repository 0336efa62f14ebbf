"""TFLite's softmax of int8 rows: arm_softmax_s8.

The frontend reads the exponentials of the differences to the row's maximum from a table
(`s2s/frontends/tflite/norm.py`); the library computes them, from a multiplier and a shift. Both are found by bisection
so that every entry of the table is what the library computes; a table that no multiplier gives is refused.

Entries below 2**11 change neither the sum of a row, which drops 12 bits, nor a result, which drops 23 or more. The
table of the frontend ends before them.
"""

from collections.abc import Callable
from math import ldexp, log, prod

import numpy as np
from xdsl.ir import SSAValue

from s2s.dialects import graph
from s2s.external.cmsis_nn.function import Function, known
from s2s.external.generator import Code, Composite, Step
from s2s.external.pattern import Pattern, is_constant, is_op, wildcard
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.types.dtypes import Array, as_tensor_type

INTEGER_BITS = 5
"""Of a difference in fixed point: the rest of 31 bits are its fraction."""
SUM_BITS = 12
"""Bits that an exponential loses before it is added."""
NEGLIGIBLE = 2 ** (SUM_BITS - 1)
RESULT_SHIFT = 35
"""A result is the product of exponential and reciprocal divided by `2**(RESULT_SHIFT - leading zeros of the sum)`."""
ROUNDS, MARGIN = 80, 1e-3
_FRACTION_BITS = 31 - INTEGER_BITS
_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
"""e ** -(2 ** k) for k from -2 to 4, in 31 bits of fraction."""
_EXP_OF_MINUS_EIGHTH, _THIRD = 1895147668, 715827883


@frozen
class Exponent:
    """A difference of `d` steps to the maximum of a row is the exponent `d * multiplier * 2**(shift - 31)` in fixed
    point with five integer bits."""

    multiplier: int
    shift: int

    @property
    def least(self) -> int:
        """The most negative difference whose exponential is no zero."""
        return -(((2**INTEGER_BITS - 1) << _FRACTION_BITS) >> self.shift)

    def table(self) -> Array:
        """The exponentials of the differences 0 to -255, in 31 bits of fraction."""
        differences = -np.arange(256, dtype=np.int64)
        known = differences >= self.least
        exponents = _high_product(np.where(known, differences, 0) << self.shift, self.multiplier)
        return np.where(known, _exponential(exponents), 0)


def exponent_of(table: Array) -> Exponent | None:
    """The exponent whose exponentials `table` holds for the differences 0 to -255; None if there is none."""
    table = table.astype(np.int64)
    last = int(np.count_nonzero(table >= NEGLIGIBLE)) - 1
    step = -log(int(table[last]) / 2**31) / last if last > 0 else log(2**31 / NEGLIGIBLE) + 1
    low, high = (step * (1 + side * MARGIN) for side in (-1, 1))
    for _ in range(ROUNDS):
        scale = (low + high) / 2
        middle = _normalised(scale)
        if middle is None:
            return None
        sign = _compared(middle.table(), table)
        if sign == 0:
            return middle
        low, high = (scale, high) if sign > 0 else (low, scale)
    return None


def _normalised(scale: float) -> Exponent | None:
    """The exponent for a step of `scale`, its multiplier of 31 bits; None if that needs a shift that cannot be."""
    mantissa, shift = np.frexp(ldexp(scale, _FRACTION_BITS))
    multiplier = round(ldexp(float(mantissa), 31))
    if multiplier == 2**31:
        multiplier, shift = 2**30, shift + 1
    return Exponent(multiplier, int(shift)) if 0 <= shift <= 30 else None


def _compared(found: Array, wanted: Array) -> int:
    """1 or -1 if the first entry that matters and differs is larger or smaller than the wanted one; 0 if none does."""
    unequal = np.flatnonzero((found != wanted) & (np.maximum(found, wanted) >= NEGLIGIBLE))
    return 0 if len(unequal) == 0 else int(np.sign(found[unequal[0]] - wanted[unequal[0]]))


def _high_product(a: Array, b: Array | int) -> Array:
    """`a * b / 2**31`, halves up."""
    return (a * b + 2**30) >> 31


def _halved(x: Array, count: int) -> Array:
    """`x / 2**count`, halves away from zero."""
    rest, floor = x & (2**count - 1), x >> count
    return floor + (rest > (2 ** (count - 1) - 1) + (x < 0))


def _exponential(x: Array) -> Array:
    """`e ** x` for `x <= 0` in fixed point, as the library computes it."""
    quarter = 1 << (_FRACTION_BITS - 2)
    fraction = (x & (quarter - 1)) - quarter
    near = (fraction << INTEGER_BITS) + 2**28
    square = _high_product(near, near)
    higher = _high_product(_halved(_high_product(square, square), 2) + _high_product(square, near), _THIRD) + square
    y = _high_product(near + _halved(higher, 1), _EXP_OF_MINUS_EIGHTH) + _EXP_OF_MINUS_EIGHTH
    for number, factor in enumerate(_POWERS):
        bit = (fraction - x) & (quarter << number)
        y = np.where(bit != 0, _high_product(y, factor), y)
    return np.where(x == 0, 2**31 - 1, y)


# ------------------------------------------------------------------------------------------------ the operators


def _number(value: int) -> Pattern:
    return is_constant().has_value(value)


def _cast(x: Pattern, dtype: str) -> Pattern:
    return is_op("cast")(x).has_dtype(dtype)


def _product(a: Pattern, b: Pattern) -> Pattern:
    """The upper half of twice a product, halves up."""
    doubled = is_op("add")(is_op("mul")(a, b), _number(2**30))
    return _cast(is_op("shift_right")(doubled, _number(31)), "int32")


def _halves_up(x: Pattern, count_less_one: Pattern) -> Pattern:
    moved = is_op("add")(is_op("shift_right")(x, count_less_one), _number(1))
    return is_op("shift_right")(moved, _number(1))


def _reciprocal(fraction: Pattern) -> Pattern:
    """`1 / (1 + fraction)` by three steps of Newton's method."""
    half = is_op("add")(is_op("shift_right")(fraction, _number(1)), _number(2**30))
    y: Pattern = is_op("add")(_product(_cast(half, "int64"), _number(-1010580540)), _number(1515870810))
    for _ in range(3):
        rest = is_op("sub")(_number(2**29), _product(_cast(half, "int64"), _cast(y, "int64")))
        step = is_op("mul")(_product(_cast(y, "int64"), _cast(rest, "int64")), _number(4))
        y = is_op("add")(y, step)
    return is_op("select")(is_op("less")(y, _number(2**30)), is_op("mul")(y, _number(2)), _number(2**31 - 1))


def _pattern() -> Pattern:
    x = wildcard().has_dtype("int8")
    distance = _cast(is_op("sub")(_along_rows("reduce_max")(x), x), "uint8")
    powers = is_op("gather")(is_constant(), distance.optional(lambda each: is_op("clamp")(each)))
    total = _along_rows("reduce_sum")(_halves_up(powers, _number(SUM_BITS - 1)))
    zeros = is_op("count_leading_zeros")(total)
    fraction = is_op("bitwise_and")(is_op("shift_left")(total, zeros), _number(2**31 - 1))
    scaled = _product(_cast(powers, "int64"), _cast(_reciprocal(fraction), "int64"))
    right = is_op("sub")(is_op("sub")(_number(RESULT_SHIFT), zeros), _number(1))
    moved = is_op("add")(_halves_up(scaled, right), _number(-128))
    return _cast(is_op("clamp")(moved).has_attr(min=False, max=127), "int8")


def _along_rows(name: str) -> Callable[[Pattern], Pattern]:
    """The operator `name` along the last dimension, which it keeps with size one."""

    def reduces_rows(value: SSAValue) -> bool:
        op = value.owner
        assert isinstance(op, graph.ReduceMaxOp | graph.ReduceSumOp)
        last = len(as_tensor_type(op.x.type).get_shape()) - 1
        return op.keepdims is not None and tuple(op.axes.get_values()) == (last,)

    return lambda x: is_op(name)(x).where(reduces_rows)


def _exponent(composite: Composite) -> Exponent | None:
    """The exponent of the table that the operators read; None if it is no table of exponentials."""
    op = composite.the(graph.GatherOp)
    table = known(composite, op.x).reshape(-1)
    limit = op.indices.owner
    last = limit.max.value.data if isinstance(limit, graph.ClampOp) and limit.max is not None else len(table) - 1
    return exponent_of(table[np.minimum(np.arange(256), min(int(last), len(table) - 1))])


def _refused(composite: Composite) -> str | None:
    return "its table holds no exponentials of a fixed-point scale" if _exponent(composite) is None else None


def _code(step: Step, target: Target) -> Code:
    exponent, shape = _exponent(step.composite), step.composite.outputs[0].get_shape()
    assert exponent is not None
    rows = f"{prod(shape[:-1])}, {shape[-1]}"
    scale = f"{exponent.multiplier}, {exponent.shift}, {exponent.least}"
    return Code(f"arm_softmax_s8({step.inputs[0]}, {rows}, {scale}, y0);")


SOFTMAX = Function("softmax", _pattern(), _refused, _code)
