"""Formulas over values that importers of every format write with."""

from collections.abc import Sequence
from math import pi, prod

import numpy as np

from s2s.dialects import graph
from s2s.dialects.graph.base import MAX_INTEGER_ATTRIBUTE
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.builder import Scalar, Value, emit
from s2s.frontends.limits import MAX_RANK
from s2s.types.dtypes import from_numpy
from s2s.types.shapes import MAX_ELEMENTS
from s2s.types.size import Size, alike, greatest, is_empty


def checked_shape(dims: tuple[int, ...], where: str) -> tuple[int, ...]:
    """`dims`, when they are a shape within the limits."""
    if any(dim < 0 for dim in dims):
        raise InputError(f"{where}: shape {list(dims)} has a negative dimension; export the model again")
    if len(dims) > MAX_RANK:
        raise UnsupportedError(f"{where}: {len(dims)} dimensions are over the limit of {MAX_RANK}; reshape the tensor")
    if prod(filter(None, greatest(dims))) > MAX_ELEMENTS:
        raise UnsupportedError(f"{where}: shape {list(dims)} has over {MAX_ELEMENTS} elements; split the tensor")
    return dims


def reshape(x: Value, shape: Sequence[int]) -> Value:
    """The elements of `x` in row-major order under `shape`."""
    return x if alike(shape, x.shape) else emit(graph.ReshapeOp, x, shape=list(shape))


def transpose(x: Value, perm: Sequence[int]) -> Value:
    """Dimension `i` of the result is dimension `perm[i]` of `x`."""
    return x if list(perm) == list(range(x.rank)) else emit(graph.TransposeOp, x, perm=list(perm))


def broadcast_to(x: Value, shape: Sequence[int]) -> Value:
    """`x` repeated to `shape` by numpy's rule."""
    return x if alike(shape, x.shape) else emit(graph.BroadcastToOp, x, shape=list(shape))


def unsqueeze(x: Value, axes: Sequence[int]) -> Value:
    """`x` with dimensions of size one, so that they are `axes` (sorted, from the front) of the result."""
    shape = list(x.shape)
    for axis in axes:
        shape.insert(axis, 1)
    return reshape(x, shape)


def take(x: Value, axis: int, start: int, size: int) -> Value:
    """`size` elements of `x` along `axis` from `start`."""
    starts, sizes = [0] * x.rank, list(x.shape)
    starts[axis], sizes[axis] = start, size
    return crop(x, starts, sizes, [1] * x.rank)


def crop(x: Value, starts: Sequence[int], sizes: Sequence[int], strides: Sequence[int]) -> Value:
    """`sizes` elements of `x` from `starts` by `strides`."""
    if alike(sizes, x.shape) and all(stride == 1 for stride in strides):
        return x
    return emit(graph.SliceOp, x, starts=list(starts), sizes=list(sizes), strides=list(strides))


def concat(parts: Sequence[Value], axis: int) -> Value:
    """`parts` one after the other along `axis`; parts without elements are left out."""
    filled = [part for part in parts if not is_empty(part.shape)] or list(parts)
    return filled[0] if len(filled) == 1 else emit(graph.ConcatOp, filled, axis=axis)


def pad(x: Value, low: Sequence[int], high: Sequence[int], mode: str = "constant", value: Scalar = 0) -> Value:
    """`x` with `low` elements before and `high` after each dimension; negative counts cut elements off."""
    starts = [max(0, -count) for count in low]
    sizes = [size + min(0, before) + min(0, after) for size, before, after in zip(x.shape, low, high, strict=True)]
    cut = crop(x, starts, sizes, [1] * x.rank)
    low, high = [max(0, count) for count in low], [max(0, count) for count in high]
    if not any(low) and not any(high):
        return cut
    fill = (float(value) if x.is_float else int(value)) if mode == "constant" else None
    if isinstance(fill, int) and fill > MAX_INTEGER_ATTRIBUTE:
        return cast(pad(cast(cut, np.dtype(np.int64)), low, high, value=fill - 2**64), cut.dtype)
    return emit(graph.PadOp, cut, low=low, high=high, mode=mode, value=fill)


def cast(x: Value, dtype: np.dtype[np.generic]) -> Value:
    """`x` converted to `dtype`; `x` itself when it has that type."""
    return x if x.dtype == dtype else emit(graph.CastOp, x, element_type=from_numpy(dtype))


def widened(x: Value) -> Value:
    """`x` in float32 where it has floats of 16 bits, whose powers soon overflow: 300² is infinite in float16."""
    return cast(x, np.dtype(np.float32)) if x.is_float and x.dtype.itemsize == 2 else x


def select(condition: Value, yes: Value, no: Value | Scalar) -> Value:
    """`yes` where `condition` holds, else `no`."""
    return emit(graph.SelectOp, condition, yes, no if isinstance(no, Value) else yes.like(no))


def less(a: Value, b: Value | Scalar) -> Value:
    """`a < b`."""
    return emit(graph.LessOp, a, b if isinstance(b, Value) else a.like(b))


def greater(a: Value, b: Value | Scalar) -> Value:
    """`a > b`."""
    return emit(graph.GreaterOp, a, b if isinstance(b, Value) else a.like(b))


def equal(a: Value, b: Value | Scalar) -> Value:
    """`a == b`."""
    return emit(graph.EqualOp, a, b if isinstance(b, Value) else a.like(b))


def maximum(a: Value, b: Value | Scalar) -> Value:
    """The larger one."""
    return emit(graph.MaximumOp, a, b if isinstance(b, Value) else a.like(b))


def minimum(a: Value, b: Value | Scalar) -> Value:
    """The smaller one."""
    return emit(graph.MinimumOp, a, b if isinstance(b, Value) else a.like(b))


def clamp(x: Value, low: Scalar | None, high: Scalar | None) -> Value:
    """`x` limited to `[low, high]`; a bound that limits nothing is left out."""
    if isinstance(high, Size):
        high_of_run = minimum(x, high)
        return high_of_run if low is None else maximum(high_of_run, low)
    if x.is_float:
        lowest = None if low is None or low == -np.inf else float(low)
        highest = None if high is None or high == np.inf else float(high)
    else:
        info = np.iinfo(x.dtype.str)
        lowest = None if low is None or low <= info.min else int(low)
        highest = None if high is None or high >= info.max else int(high)
        if max(lowest or 0, highest or 0) > MAX_INTEGER_ATTRIBUTE:
            raised = x if lowest is None else maximum(x, lowest)
            return raised if highest is None else minimum(raised, highest)
    return x if lowest is None and highest is None else emit(graph.ClampOp, x, min=lowest, max=highest)


def floor_quotient(a: Value, b: Value) -> Value:
    """The largest integer not above `a / b` of integers, with no step that overflows: the quotient rounded towards 0,
    less 1 where it leaves a remainder that has not the sign of `b`."""
    quotient = a / b
    if np.issubdtype(a.dtype, np.unsignedinteger):
        return quotient
    rest = emit(graph.ModOp, a, b, fmod=True)
    above = less(select(less(b, 0), -rest, rest), 0)
    return quotient - cast(above, a.dtype)


def arc_tangent(y: Value, x: Value) -> Value:
    """Return the angle of the points `(x, y)` as C's `atan2` does, signs of zeros, infinities and NaN included."""
    endless = emit(graph.LogicalAndOp, emit(graph.IsInfOp, y), emit(graph.IsInfOp, x))
    y, x = (select(endless, emit(graph.SignOp, part), part) for part in (y, x))
    below, left = has_sign_bit(y), has_sign_bit(x)
    on_axis, at_zero = equal(x, 0), equal(y, 0)
    unknown = emit(graph.LogicalOrOp, at_zero, emit(graph.IsNanOp, y))
    up = select(unknown, y, select(below, y.like(-pi / 2), pi / 2))
    arc = select(on_axis, up, emit(graph.AtanOp, y / select(on_axis, x.like(1), x)))
    upright = emit(graph.LogicalAndOp, on_axis, emit(graph.LogicalNotOp, at_zero))
    turns = emit(graph.LogicalAndOp, left, emit(graph.LogicalNotOp, upright))
    return select(turns, arc + select(below, y.like(-pi), pi), arc)


def has_sign_bit(x: Value) -> Value:
    """Whether a float is negative, or a zero with a minus sign."""
    bits = emit(graph.BitcastOp, x, element_type=from_numpy(np.dtype(f"int{8 * x.dtype.itemsize}")))
    return less(bits, 0)


def matmul(a: Value, b: Value, **properties: object) -> Value:
    """The product as numpy's `matmul` means it: a vector is a row on the left, a column on the right."""
    left = reshape(a, [1, *a.shape]) if a.rank == 1 else a
    right = reshape(b, [*b.shape, 1]) if b.rank == 1 else b
    product = emit(graph.MatmulOp, left, right, **properties)
    shape = list(product.shape)
    if b.rank == 1:
        del shape[-1]
    if a.rank == 1:
        del shape[-1 if b.rank == 1 else -2]
    return reshape(product, shape)
