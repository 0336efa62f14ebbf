"""Import layers of floats with 8-bit weights (dynamic-range quantisation) as TFLite computes them.

Each row (of a product) or image (of a convolution) is quantised to 8 bits by its own range while the network runs,
products are summed in integers, and sums go back to floats with both scales. Compared with LiteRT with a tolerance of
1e-6 of the largest magnitude: the last steps are of floats.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i32

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, clamp, equal, less, maximum, minimum, reshape, select
from s2s.frontends.tflite.node import Node
from s2s.frontends.tflite.quantize import half_away
from s2s.frontends.tflite.tensors import Tensor
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

_INT8, _INT16 = np.dtype(np.int8), np.dtype(np.int16)
_FLOAT, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)
_MIN, _MAX = -128, 127


@frozen
class Dynamic:
    """Floats as integers: `x = scale * (values - zero_point)`, with a scale and a zero point for each row."""

    values: Value
    scale: Value
    zero_point: Value | None
    """None where ranges are symmetric."""

    @property
    def factor(self) -> Value:
        """What products are formed of: the integers, less their zero point if they have one."""
        if self.zero_point is None:
            return self.values
        return cast(self.values, _INT16) - cast(self.zero_point, _INT16)


def quantised(x: Value, axes: list[int], *, asymmetric: bool) -> Dynamic:
    """Quantise `x` by its range over `axes`, the dimensions of one row or image."""
    return _asymmetric(x, axes) if asymmetric else _symmetric(x, axes)


def _symmetric(x: Value, axes: list[int]) -> Dynamic:
    reach = emit(graph.ReduceMaxOp, abs(x), axes=axes, keepdims=True)
    empty = equal(reach, 0)
    reach = select(empty, reach.like(_MAX), reach)
    numbers = half_away(x * (reach.like(_MAX) / reach))
    return Dynamic(cast(clamp(numbers, -_MAX, _MAX), _INT8), reach / _MAX, None)


def _asymmetric(x: Value, axes: list[int]) -> Dynamic:
    """The range takes zero in, and the end with the smaller rounding error fixes the zero point."""
    low = cast(minimum(emit(graph.ReduceMinOp, x, axes=axes, keepdims=True), 0), _DOUBLE)
    high = cast(maximum(emit(graph.ReduceMaxOp, x, axes=axes, keepdims=True), 0), _DOUBLE)
    empty = equal(high - low, 0)
    scale = select(empty, low.like(1), (high - low) / (_MAX - _MIN))
    from_low, from_high = _MIN - low / scale, _MAX - high / scale
    low_is_nearer = less(abs(low / scale) + abs(_MIN), abs(high / scale) + abs(_MAX))
    zero_point = clamp(half_away(select(low_is_nearer, from_low, from_high)), _MIN, _MAX)
    zero_point = cast(select(empty, zero_point.like(0), zero_point), _FLOAT)
    narrow = cast(scale, _FLOAT)
    numbers = half_away(zero_point + x * (narrow.like(1) / narrow))
    return Dynamic(cast(clamp(numbers, _MIN, _MAX), _INT8), narrow, cast(zero_point, _INT8))


def dequantised(node: Node, sums: Value, x: Dynamic, w: Tensor, axis: int) -> Value:
    """Sums of products as floats, outputs along the last dimension; `axis` of the weights counts them."""
    quant = w.quant
    if quant is None or quant.zero_point.any():
        raise node.unsupported("its weights have a zero point", "quantise weights symmetrically")
    if not quant.is_per_tensor and quant.axis != axis:
        raise node.invalid(f"has scales along axis {quant.axis} of its weights", f"quantise along axis {axis}")
    scale = reshape(x.scale, [x.scale.shape[0], *[1] * (sums.rank - 1)])
    return cast(sums, _FLOAT) * (scale * node.constant(quant.scale))


@frozen
class Matrix:
    """Weights `[outputs, columns]` of a product with rows; integers with the scale of each output."""

    values: Array
    scales: Array | None
    asymmetric: bool

    def times(self, builder: Builder, rows: Value, name: str) -> Value:
        """The products of `rows` with the weights, in floats."""
        weights = builder.constant(self.values, name)
        if self.scales is None:
            return emit(graph.MatmulOp, rows, weights, transpose_b=True)
        x = quantised(rows, [1], asymmetric=self.asymmetric)
        sums = emit(graph.MatmulOp, x.factor, weights, transpose_b=True, acc_type=i32)
        return cast(sums, _FLOAT) * (x.scale * builder.constant(self.scales))


def matrix_of(node: Node, positions: Sequence[int], values: Array, rows: int) -> Matrix:
    """The weights `values` of the inputs at `positions`, `rows` of each."""
    if values.dtype == _FLOAT:
        return Matrix(values, None, False)
    scales = np.repeat(np.asarray([weight_scale(node, position) for position in positions], np.float32), rows)
    return Matrix(values, scales, bool(node.options.AsymmetricQuantizeInputs()))


def weight_scale(node: Node, position: int) -> float:
    """The scale of weights of 8 bits."""
    weights = node.input(position)
    if weights.dtype != _INT8:
        raise node.unsupported(f"multiplies float32 and {weights.dtype}", "use weights of float32 or int8")
    scale, zero_point = weights.scalar()
    if zero_point:
        raise node.invalid(f"weights at input {position} have a zero point", "quantise the model again")
    return scale
