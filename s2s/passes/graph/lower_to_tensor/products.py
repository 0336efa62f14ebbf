"""Build one step of a sum of products, for floats and for integers with zero points.

    acc + x * w
    acc + (ext(x) - x_zp) * (ext(w) - w_zp)

Differences and products of 8-bit and 16-bit integers always fit the accumulator type. The sum is marked as not
overflowing (`overflow<nsw>`) where that holds for all inputs; else it wraps around.
"""

from collections.abc import Callable

from xdsl.ir import Attribute

from s2s.passes.graph.lower_to_tensor.scalars import ADD, MUL, SUB, Scalar, Scalars
from s2s.types.shapes.accumulate import Accumulation, is_small_integer, sum_stays_in_range

Step = Callable[[Scalars, Scalar, Scalar, Scalar], Scalar]


def multiply_add(s: Scalars, a: Scalar, b: Scalar, acc: Scalar) -> Scalar:
    """`acc + a * b`, all of one type."""
    return acc + a * b


def multiply_widened(s: Scalars, a: Scalar, b: Scalar, acc: Scalar) -> Scalar:
    """`acc + a * ext(b)`, the second factor converted to the type of the first."""
    return acc + a * s.cast(b, a.element)


def product_step(x: Attribute, w: Attribute, accumulator: Attribute, accumulation: Accumulation, terms: int) -> Step:
    """The step of a sum of `terms` products of elements `x` and `w`."""
    if not is_small_integer(x):
        return multiply_widened if x != w else multiply_add
    in_range = sum_stays_in_range(accumulator, x, w, accumulation, terms)

    def step(s: Scalars, a: Scalar, b: Scalar, acc: Scalar) -> Scalar:
        left = without_zero_point(s, s.cast(a, accumulator), accumulation.x_zp)
        right = without_zero_point(s, s.cast(b, accumulator), accumulation.w_zp)
        product = s.bounded(MUL, left, right)
        return s.bounded(ADD, acc, product) if in_range else acc + product

    return step


def without_zero_point(s: Scalars, x: Scalar, zero_point: int) -> Scalar:
    """`x - zero_point`, in a type that holds it."""
    return s.bounded(SUB, x, zero_point) if zero_point else x
