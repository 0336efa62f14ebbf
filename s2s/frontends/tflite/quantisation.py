"""Scales as TFLite's kernels use them: real factors as integers in fixed point, and fused activations as ranges."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.dialects.graph.quantize import Rounding
from s2s.errors import InputError
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import clamp
from s2s.frontends.tflite.node import Node
from s2s.types.dtypes import Array, from_numpy

MAX_SHIFT = 30
SHIFT_OF_WIDE_SUMS = 14
"""The most that a sum of 64 bits may be shifted to the left."""

_ACTIVATIONS: Mapping[int, tuple[float | None, float | None]] = {
    0: (None, None),
    1: (0.0, None),
    2: (-1.0, 1.0),
    3: (0.0, 6.0),
}
"""Bounds of the fused activations NONE, RELU, RELU_N1_TO_1 and RELU6."""


def _round_half_away(value: float) -> int:
    """The nearest integer, halves away from zero, of a number below 2 ** 52."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def quantize_multiplier(real: float) -> tuple[int, int]:
    """`real` as `multiplier * 2 ** (shift - 31)` with a multiplier of 31 bits; both are 0 for very small numbers."""
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    multiplier = _round_half_away(fraction * (1 << 31))
    if abs(multiplier) == 1 << 31:
        multiplier //= 2
        shift += 1
    return (0, 0) if shift < -31 else (multiplier, shift)


def rescale(
    x: Value,
    real: float | Sequence[float],
    dtype: np.dtype[np.generic],
    *,
    output_zp: int = 0,
    rounding: Rounding | None = None,
    axis: int | None = None,
) -> Value:
    """`x * real + output_zp` saturated to `dtype`; several factors stand along `axis`, by default the last.

    Sums of 32 bits are rounded twice and sums of 64 bits with a reduced multiplier, unless `rounding` says otherwise.
    """
    chosen: Rounding = rounding or ("reduced" if x.dtype.itemsize == 8 else "double")
    factors = [real] if isinstance(real, float | int) else list(real)
    pairs = [quantize_multiplier(float(factor)) for factor in factors]
    most = SHIFT_OF_WIDE_SUMS if chosen == "reduced" else MAX_SHIFT
    if any(shift > most for _, shift in pairs):
        raise InputError(
            f"node {x.builder.node!r}: its scales give the factor {max(factors)}, far too large; quantise it again"
        )
    same = len(set(pairs)) == 1
    multipliers, shifts = (np.array(part) for part in zip(*(pairs[:1] if same else pairs), strict=True))
    builder = x.builder
    return emit(
        graph.RescaleOp,
        x,
        builder.constant(_parameter(multipliers, same).astype(np.int32), f"{builder.node}/multiplier"),
        builder.constant(_parameter(shifts, same).astype(np.int8), f"{builder.node}/shift"),
        element_type=from_numpy(dtype),
        rounding=chosen,
        output_zp=output_zp,
        axis=None if same else (x.rank - 1 if axis is None else axis),
    )


def _parameter(values: Array, same: bool) -> Array:
    return values.reshape(()) if same else values


def fused_activation(node: Node) -> int:
    """The number of the fused activation of `node`, one that only limits."""
    chosen = int(node.options.FusedActivationFunction())
    if chosen not in _ACTIVATIONS:
        raise node.unsupported(f"has the fused activation {chosen}", "make it an operator of its own")
    return chosen


def activation_range(node: Node, activation: int) -> tuple[int, int]:
    """What a fused activation limits the quantised result of `node` to, inside the range of its type."""
    out = node.output_type()
    scale, zero_point = out.scalar()
    info = np.iinfo(out.dtype.str)

    def quantised(bound: float | None, otherwise: int) -> int:
        if bound is None:
            return otherwise
        found = zero_point + _round_half_away(float(np.float32(bound) / np.float32(scale)))
        return min(max(found, int(info.min)), int(info.max))

    low, high = _ACTIVATIONS[activation]
    return quantised(low, int(info.min)), quantised(high, int(info.max))


def activated(node: Node, y: Value) -> Value:
    """The fused activation of `node` on its result, of floats or quantised."""
    activation = fused_activation(node)
    return clamp(y, *(_ACTIVATIONS[activation] if y.is_float else activation_range(node, activation)))
