"""Types of reductions and scans."""

from collections.abc import Sequence

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import Attribute

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.common import ShapeError, require_axes, require_axis, require_number, result, text


def reduced_shape(shape: Sequence[int], axes: Sequence[int], keepdims: bool) -> tuple[int, ...]:
    """`shape` with the sizes of `axes` set to one, or dropped."""
    if keepdims:
        return tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in axes)


def reduce(x: AnyTensor, axes: Sequence[int], keepdims: bool) -> AnyTensor:
    """The element type of `x`, without `axes`."""
    require_axes(axes, x.get_num_dims())
    return result(x.element_type, reduced_shape(x.get_shape(), axes, keepdims))


def arg_reduce(x: AnyTensor, axis: int, keepdims: bool, element: Attribute) -> AnyTensor:
    """One position along `axis`, as `element` where that is `i32`, else as `i64`."""
    require_number("x", x)
    require_axis(axis, x.get_num_dims())
    if x.get_shape()[axis] == 0:
        raise ShapeError(f"x of shape {text(x.get_shape())} has no element along axis {axis}")
    return result(i32 if element == i32 else i64, reduced_shape(x.get_shape(), [axis], keepdims))


def top_k(x: AnyTensor, count: int) -> AnyTensor:
    """`count` positions along the last dimension."""
    require_number("x", x)
    require_axis(0, x.get_num_dims())
    *outer, size = x.get_shape()
    if not 0 < count <= size:
        raise ShapeError(f"count {count} is not between 1 and the {size} elements of the last dimension")
    return result(i32, [*outer, count])


def row_order(x: AnyTensor) -> AnyTensor:
    """The position of each row."""
    require_number("x", x)
    if x.get_num_dims() != 2 or 0 in x.get_shape():
        raise ShapeError(f"x has shape {text(x.get_shape())}, expected rows of elements")
    return result(i32, [x.get_shape()[0]])


def cumsum(x: AnyTensor, axis: int) -> AnyTensor:
    """The type of `x`."""
    require_number("x", x)
    require_axis(axis, x.get_num_dims())
    return x
