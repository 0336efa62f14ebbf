"""Types of the operators on windows that slide over a stream."""

from collections.abc import Sequence
from math import prod

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.common import ShapeError, require_length, require_same_element, result


def advance(x: AnyTensor, by: int) -> AnyTensor:
    """The elements moved to the front by `by` places in row-major order."""
    size = prod(x.get_shape())
    if not 0 < by < size:
        raise ShapeError(f"{size} elements cannot move by {by}")
    return result(x.element_type, x.get_shape())


def insert_slice(x: AnyTensor, u: AnyTensor, starts: Sequence[int]) -> AnyTensor:
    """`x` with the elements of `u` in place of its own from `starts` on; all of them inside `x`."""
    require_same_element(x, u)
    require_length("starts", starts, x.get_num_dims())
    require_length("u", u.get_shape(), x.get_num_dims())
    for axis, (start, size, bound) in enumerate(zip(starts, u.get_shape(), x.get_shape(), strict=True)):
        if start < 0 or start + size > bound:
            raise ShapeError(f"elements {start} to {start + size - 1} along axis {axis} are outside [0, {bound})")
    return result(x.element_type, x.get_shape())
