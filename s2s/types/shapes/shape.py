"""Types of the operators that move elements without calculating."""

from collections.abc import Sequence
from math import prod

from xdsl.ir import Attribute

from s2s.types.dtypes import AnyTensor
from s2s.types.shapes.common import (
    ShapeError,
    require_at_least,
    require_axes,
    require_axis,
    require_bound,
    require_broadcasts_to,
    require_length,
    require_number,
    require_same_element,
    result,
    text,
)
from s2s.types.size import is_size

PAD_MODES = ("constant", "edge", "reflect", "wrap")


def reshape(x: AnyTensor, shape: Sequence[int]) -> AnyTensor:
    """The same elements in row-major order under another shape."""
    require_at_least("shape", shape, 0)
    if prod(shape) != prod(x.get_shape()):
        raise ShapeError(
            f"{text(x.get_shape())} with {prod(x.get_shape())} elements cannot become "
            f"{text(shape)} with {prod(shape)} elements"
        )
    return result(x.element_type, shape)


def transpose(x: AnyTensor, perm: Sequence[int]) -> AnyTensor:
    """`y.shape[i] = x.shape[perm[i]]`."""
    require_length("perm", perm, x.get_num_dims())
    require_axes(perm, x.get_num_dims())
    return result(x.element_type, [x.get_shape()[axis] for axis in perm])


def slice(x: AnyTensor, starts: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> AnyTensor:
    """`sizes` elements along each dimension, from `starts` by `strides`; all of them inside `x`."""
    for what, values in (("starts", starts), ("sizes", sizes), ("strides", strides)):
        require_length(what, values, x.get_num_dims())
    require_at_least("sizes", sizes, 0)
    if 0 in strides:
        raise ShapeError(f"strides {text(strides)} has an entry 0")
    for axis, (start, size, stride) in enumerate(zip(starts, sizes, strides, strict=True)):
        bound, last = x.get_shape()[axis], start + (size - 1) * stride
        low, high = (start, last) if stride > 0 else (last, start)
        if (is_size(size) or size) and not (low >= 0 and high < bound):
            raise ShapeError(f"elements {start} to {last} along axis {axis} are outside [0, {bound})")
    return result(x.element_type, sizes)


def dynamic_slice(
    x: AnyTensor, starts: Sequence[int], sizes: Sequence[int], strides: Sequence[int], begins: int, extents: int
) -> AnyTensor:
    """A slice at the greatest sizes, along as many axes as `begins` and `extents` have names; stride 0 repeats."""
    for what, count in (("starts", len(starts)), ("sizes", len(sizes)), ("strides", len(strides))):
        if count != x.get_num_dims() or begins != count or extents != count:
            raise ShapeError(f"{what} has {count} entries, begins {begins} and extents {extents}, for {x}")
    repeats = [axis for axis, stride in enumerate(strides) if stride == 0]
    wrong = next((axis for axis in repeats if x.get_shape()[axis] != 1), None)
    if wrong is not None:
        raise ShapeError(f"axis {wrong} with stride 0 has {x.get_shape()[wrong]} positions, expected 1")
    inside = [1 if axis in repeats else size for axis, size in enumerate(sizes)]
    slice(x, starts, inside, [stride or 1 for stride in strides])
    return result(x.element_type, sizes)


def dynamic_reshape(x: AnyTensor, shape: Sequence[int], extents: int) -> AnyTensor:
    """As many elements as `x` has at the greatest sizes, with a name for each axis."""
    if extents != len(shape) or prod(shape) != prod(x.get_shape()):
        raise ShapeError(
            f"shape {list(shape)} with {extents} extents for {x}, which has {prod(x.get_shape())} elements"
        )
    return result(x.element_type, shape)


def size_values(y: AnyTensor, values: Sequence[int], names: int) -> AnyTensor:
    """Numbers, one for each element of `y`."""
    if not len(values) == names == prod(y.get_shape()) or y.get_num_dims() > 1:
        raise ShapeError(f"{len(values)} values and {names} names for {y}, which is no row of these")
    return y


def concat(inputs: Sequence[AnyTensor], axis: int) -> AnyTensor:
    """All inputs one after the other along `axis`."""
    if not inputs:
        raise ShapeError("concat has no input")
    first = inputs[0]
    require_same_element(*inputs)
    require_axis(axis, first.get_num_dims())
    shape = first.get_shape()
    for other in inputs[1:]:
        sizes = other.get_shape()
        if len(sizes) != len(shape) or sizes[:axis] + sizes[axis + 1 :] != shape[:axis] + shape[axis + 1 :]:
            raise ShapeError(f"shapes {text(shape)} and {text(sizes)} differ outside axis {axis}")
    return result(first.element_type, [*shape[:axis], sum(x.get_shape()[axis] for x in inputs), *shape[axis + 1 :]])


def pad(x: AnyTensor, low: Sequence[int], high: Sequence[int], mode: str, value: int | float | None) -> AnyTensor:
    """`low` elements before and `high` after each dimension. Reflected and wrapped ones come from `x` once."""
    require_length("low", low, x.get_num_dims())
    require_length("high", high, x.get_num_dims())
    require_at_least("low", low, 0)
    require_at_least("high", high, 0)
    if mode not in PAD_MODES:
        raise ShapeError(f"pad mode is {mode}, expected one of {', '.join(PAD_MODES)}")
    if (value is None) == (mode == "constant"):
        raise ShapeError(f"pad mode {mode} comes {'without' if value is None else 'with'} a value")
    require_bound("value", value, x)
    spare = {"constant": None, "edge": None, "reflect": 1, "wrap": 0}[mode]
    for size, before, after in zip(x.get_shape(), low, high, strict=True):
        if spare is not None and max(before, after) > max(size - spare, 0):
            raise ShapeError(f"{mode} padding {before} and {after} needs more than the {size} elements there are")
        if mode == "edge" and size == 0 and before + after > 0:
            raise ShapeError("edge padding of an empty dimension")
    return result(x.element_type, [b + size + a for b, size, a in zip(low, x.get_shape(), high, strict=True)])


def broadcast_to(x: AnyTensor, shape: Sequence[int]) -> AnyTensor:
    """`x` repeated to exactly `shape`."""
    require_at_least("shape", shape, 0)
    require_broadcasts_to("x", x.get_shape(), tuple(shape))
    return result(x.element_type, shape)


def tile(x: AnyTensor, repeats: Sequence[int]) -> AnyTensor:
    """`x` laid side by side `repeats` times along each dimension."""
    require_length("repeats", repeats, x.get_num_dims())
    require_at_least("repeats", repeats, 0)
    return result(x.element_type, [size * count for size, count in zip(x.get_shape(), repeats, strict=True)])


def iota(element: Attribute, shape: Sequence[int], axis: int) -> AnyTensor:
    """Numbers counting up along `axis`."""
    y = result(element, shape)
    require_number("y", y)
    require_axis(axis, len(shape))
    return y
