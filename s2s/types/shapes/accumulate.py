"""The type in which products are summed, and which zero points their factors may have.

Small integers are multiplied as `(x - x_zp) * (w - w_zp)` and summed in a type of their own: `i32` for factors of
8 bits, `i64` where one has 16, unless the operation names the other. Everything else is summed in its own type.
"""

from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute

from s2s.types.dtypes import AnyTensor, is_integer, size_in_bytes, to_numpy
from s2s.types.shapes.common import ShapeError, require_number, require_same_element


def is_small_integer(element: Attribute) -> bool:
    """Whether products of `element` are summed in a wider type: integers of 8 and 16 bits."""
    return is_integer(element) and size_in_bytes(element) <= 2


class Accumulation(NamedTuple):
    """How products are summed: the type asked for, and the zero points of both factors."""

    wanted: Attribute | None = None
    x_zp: int = 0
    w_zp: int = 0

    def result(self, x: AnyTensor, w: AnyTensor) -> Attribute:
        """The element type of the sum; refuses factors that do not go together."""
        require_number("x", x)
        require_number("w", w)
        if not (is_small_integer(x.element_type) and is_small_integer(w.element_type)):
            require_same_element(x, w)
            if self.wanted is not None or self.x_zp or self.w_zp:
                raise ShapeError(f"element type {x.element_type} takes neither zero points nor an accumulator type")
            return x.element_type
        _require_in_range(self.x_zp, x.element_type)
        _require_in_range(self.w_zp, w.element_type)
        if self.wanted not in (None, i32, i64):
            raise ShapeError(f"accumulator type is {self.wanted}, expected i32 or i64")
        if self.wanted is not None:
            return self.wanted
        return i64 if max(map(size_in_bytes, (x.element_type, w.element_type))) > 1 else i32


def _require_in_range(zero_point: int, element: Attribute) -> None:
    info = np.iinfo(to_numpy(element))
    if not info.min <= zero_point <= info.max:
        raise ShapeError(f"zero point {zero_point} is no value of {element}")


def require_bias(b: AnyTensor, element: Attribute) -> None:
    """Refuse a bias that is not of the type of the sum."""
    if b.element_type != element:
        raise ShapeError(f"b has element type {b.element_type}, expected {element}")


def largest_factor(element: Attribute, zero_point: int) -> int:
    """The largest `|x - zero_point|` of all `x` of an integer type."""
    info = np.iinfo(to_numpy(element))
    return max(int(info.max) - zero_point, zero_point - int(info.min))


def sum_stays_in_range(
    accumulator: Attribute, x: Attribute, w: Attribute, zero_points: Accumulation, terms: int
) -> bool:
    """Whether `terms` products of any values can be summed without overflow."""
    largest = largest_factor(x, zero_points.x_zp) * largest_factor(w, zero_points.w_zp)
    return terms * largest <= int(np.iinfo(to_numpy(accumulator)).max)
