"""Match quantisation in plain arithmetic: the real numbers that integer tensors represent, and roundings of reals to
integers."""

import math
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, SSAValue

from s2s.analysis.numbers.known_values import known_value, splat_value
from s2s.dialects import graph
from s2s.dialects.graph.base import number
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array, as_tensor_type, is_integer, size_in_bytes, to_numpy
from s2s.types.weights import WeightStore


class Scaled(NamedTuple):
    """The real tensor `(x - zero_point) * scale` in f32. Scale and zero point are scalars, or have one element per
    index of `axis`."""

    x: SSAValue
    scale: Array
    zero_point: Array
    axis: int | None

    @property
    def element(self) -> Attribute:
        """The element type of the integers."""
        return as_tensor_type(self.x.type).element_type

    @property
    def is_small(self) -> bool:
        """Whether the integers are activations or weights, not accumulators."""
        return size_in_bytes(self.element) <= 2

    @property
    def has_one_offset(self) -> bool:
        """Whether one zero point holds for all elements."""
        return bool(np.all(self.zero_point == self.zero_point.flat[0]))

    @property
    def offset(self) -> int:
        """The zero point of a tensor that has one for all elements."""
        return int(self.zero_point.flat[0])

    @property
    def step(self) -> np.float32:
        """The scale of a tensor that has one for all elements."""
        return np.float32(self.scale)


@frozen
class Rounded:
    """A real tensor rounded to integers: `op = cast(clamp(round(real) + zero_point, low, high))`."""

    op: graph.CastOp
    real: SSAValue
    zero_point: int
    low: int
    high: int

    @property
    def element(self) -> Attribute:
        """The element type of the integers."""
        return as_tensor_type(self.op.y.type).element_type

    @property
    def is_full(self) -> bool:
        """Whether only the integer type clamps the values."""
        info = np.iinfo(to_numpy(self.element))
        return (self.low, self.high) == (info.min, info.max)


@frozen
class Quantised(Rounded):
    """A quantised real tensor: `op = cast(clamp(round(real / scale) + zero_point, low, high))`."""

    scale: np.float32

    def of(self, real: float) -> int:
        """Quantise the number `real` with the same arithmetic."""
        if math.isinf(real):
            return self.low if real < 0 else self.high
        with np.errstate(over="ignore"):
            rounded = float(np.rint(np.float32(real) / self.scale)) + self.zero_point
        return int(min(max(rounded, self.low), self.high))


def scaled(value: SSAValue, store: WeightStore) -> Scaled | None:
    """Match `value` as a dequantised integer tensor; None if it is none."""
    multiply = value.owner
    if not isinstance(multiply, graph.MulOp) or as_tensor_type(value.type).element_type != f32:
        return None
    for inner, factor in ((multiply.a, multiply.b), (multiply.b, multiply.a)):
        scale = known_value(factor, store)
        if scale is not None and inner.type == value.type:
            return _shifted(inner, scale, store)
    return None


def _shifted(inner: SSAValue, scale: Array, store: WeightStore) -> Scaled | None:
    """Match `inner * scale`, where `inner` is integers as floats, or such integers minus a zero point."""
    zero_point: Array = np.zeros((), np.float32)
    if isinstance(inner.owner, graph.SubOp) and inner.owner.a.type == inner.type:
        known = known_value(inner.owner.b, store)
        if known is None:
            return None
        zero_point, inner = known, inner.owner.a
    cast = inner.owner
    if not isinstance(cast, graph.CastOp) or not is_integer(as_tensor_type(cast.x.type).element_type):
        return None
    rank = as_tensor_type(value_type := cast.x.type).get_num_dims()
    scales, zeros = _along_one_axis(scale, rank), _along_one_axis(zero_point, rank)
    if scales is None or zeros is None or not (scales[0] > 0).all() or not np.isfinite(scales[0]).all():
        return None
    axes = {axis for _, axis in (scales, zeros) if axis is not None}
    if len(axes) > 1 or not np.array_equal(zeros[0], np.rint(zeros[0])):
        return None
    axis = next(iter(axes), None)
    shape = () if axis is None else (as_tensor_type(value_type).get_shape()[axis],)
    spread = [np.broadcast_to(array, shape) for array in (scales[0], zeros[0].astype(np.int64))]
    return Scaled(cast.x, spread[0], spread[1], axis)


def _along_one_axis(array: Array, rank: int) -> tuple[Array, int | None] | None:
    """Return a constant that broadcasts to `rank` as a scalar, or as the vector of elements along one axis."""
    if array.size == 1:
        return array.reshape(()), None
    long = [rank - array.ndim + axis for axis, size in enumerate(array.shape) if size != 1]
    return (array.reshape(-1), long[0]) if len(long) == 1 else None


def rounded(op: graph.CastOp, store: WeightStore) -> Rounded | None:
    """Match `op` as the final cast of a rounding to small integers; None if it is not."""
    element = as_tensor_type(op.y.type).element_type
    clamp = op.x.owner
    if not is_integer(element) or size_in_bytes(element) > 2 or not isinstance(clamp, graph.ClampOp):
        return None
    low, high = number(clamp.min), number(clamp.max)
    limits = np.iinfo(to_numpy(element))
    if low is None or high is None or low < limits.min or high > limits.max:
        return None
    whole, zero_point = _plus_constant(clamp.x, store)
    if not isinstance(whole.owner, graph.RoundOp) or zero_point != int(zero_point):
        return None
    return Rounded(op, whole.owner.x, int(zero_point), int(low), int(high))


def quantised(op: graph.CastOp, store: WeightStore) -> Quantised | None:
    """Match `op` as the final cast of a quantisation; None if it is not."""
    found = rounded(op, store)
    divide = None if found is None else found.real.owner
    if found is None or not isinstance(divide, graph.DivOp) or divide.a.type != divide.y.type:
        return None
    if as_tensor_type(divide.y.type).element_type != f32:
        return None
    scale = splat_value(divide.b, store)
    if scale is None or not 0 < scale < math.inf:
        return None
    return Quantised(op, divide.a, found.zero_point, found.low, found.high, np.float32(scale))


def _plus_constant(value: SSAValue, store: WeightStore) -> tuple[SSAValue, float]:
    """Split `value` into another value and the constant that is added to it."""
    add = value.owner
    if isinstance(add, graph.AddOp) and add.a.type == value.type:
        constant = splat_value(add.b, store)
        if constant is not None:
            return add.a, constant
    return value, 0


def without_limits(value: SSAValue) -> tuple[SSAValue, float, float]:
    """Strip clamps from `value`; return the unclamped value with the lower and the upper limit."""
    low, high = -math.inf, math.inf
    while isinstance(clamp := value.owner, graph.ClampOp):
        inner = [number(clamp.min), number(clamp.max)]
        limits = [None if limit is None else min(max(limit, low), high) for limit in inner]
        low, high = (old if new is None else new for old, new in zip((low, high), limits, strict=True))
        value = clamp.x
    return value, low, high


def known_real(value: SSAValue, store: WeightStore) -> Array | None:
    """Return the constant real array that `value` is, as f64, also where it is stored as integers; None if it is not
    known."""
    found = known_value(value, store)
    if found is not None:
        return found.astype(np.float64) if found.dtype == np.float32 else None
    stands_for = scaled(value, store)
    integers = None if stands_for is None else known_value(stands_for.x, store)
    if stands_for is None or integers is None:
        return None
    rank = integers.ndim
    scale, zero_point = (along(array, stands_for.axis, rank) for array in (stands_for.scale, stands_for.zero_point))
    return (integers.astype(np.float64) - zero_point) * scale


def along(array: Array, axis: int | None, rank: int) -> Array:
    """Reshape a vector so that it broadcasts along `axis` of a tensor of `rank`, without leading dimensions; return a
    scalar as it is."""
    if array.ndim == 0 or axis is None:
        return array
    return array.reshape(-1, *[1] * (rank - 1 - axis))
