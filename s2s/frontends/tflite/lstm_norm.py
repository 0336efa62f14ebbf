"""Layer normalisation of the gates of an integer LSTM, with the bits of LiteRT's kernel.

    y = coefficient * (x - mean) / deviation + bias

The mean has ten fractional bits, the variance none; where it is below one, a limit that follows from the scale of the
coefficients takes its place.
"""

from collections.abc import Callable

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Builder, Value, emit
from s2s.frontends.formulas import cast, clamp, less, select
from s2s.frontends.tflite import fixed_point as fixed
from s2s.frontends.tflite.arithmetic import scaled
from s2s.frontends.tflite.fixed_point import I32, I64, NARROW
from s2s.frontends.tflite.lstm_layer import Lstm
from s2s.frontends.tflite.quantisation import quantize_multiplier
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

_MEAN_BITS, _RESULT_BITS = 10, 12
_LIMIT = 10000
"""Of the variance, in scales of the coefficients."""


@frozen
class _Gate:
    """The coefficients, the bias and the factor of the result of one gate."""

    weights: Array
    bias: Array
    factor: tuple[int, int]
    least: int
    """The variance where it is below one."""


def integer_norm(layer: Lstm, bias: Array) -> Callable[[Builder, int, Value], Value]:
    """The normalisation of a gate over its cells; `bias` holds the biases of all gates."""
    biases = np.split(bias, len(layer.gates))
    gates = {gate: _gate(layer, gate, biases[place]) for place, gate in enumerate(layer.gates)}

    def norm(builder: Builder, number: int, x: Value) -> Value:
        gate = gates[number]
        centered, variance = _moments(x)
        variance = select(less(variance, 1), variance.like(gate.least), variance)
        root, shift = fixed.inverse_root(variance)
        normal = fixed.rounded_right(fixed.high_product(centered, root), shift)
        weighted = normal * builder.constant(gate.weights) + builder.constant(gate.bias)
        y = scaled(fixed.rounded_right(weighted, _MEAN_BITS), gate.factor)
        return clamp(y, -NARROW.one - 1, NARROW.one)

    return norm


def _gate(layer: Lstm, gate: int, bias: Array) -> _Gate:
    node, position = layer.node, (layer.places.norms or 0) + gate
    weights = node.known(position, "a coefficient of a normalisation")
    layer.require([weights], (layer.size,), "a coefficient of a normalisation")
    if weights.dtype != np.int16:
        raise node.unsupported(f"a coefficient of a normalisation is of {weights.dtype}", "use int16")
    scale = np.float32(node.input(position).scalar()[0])
    multiplier, shift = quantize_multiplier(float(scale))
    least = max(1, int(np.float32(_LIMIT) * scale))
    return _Gate(weights.astype(np.int32), bias, (multiplier, shift + _RESULT_BITS), least)


def _moments(x: Value) -> tuple[Value, Value]:
    """The rows of `x` less their means, with ten fractional bits, and their variances, rounded down."""
    count, wide = x.shape[-1], cast(x, I64)
    total, squares = (emit(graph.ReduceSumOp, each, axes=[1], keepdims=True) for each in (wide, wide * wide))
    mean = total * 2**_MEAN_BITS / count
    variance = squares * (2 ** (2 * _MEAN_BITS) // count) - mean * mean
    centered = x * 2**_MEAN_BITS - cast(mean, I32)
    return centered, cast(fixed.shifted_right(variance, 2 * _MEAN_BITS), I32)
