"""A common view of convolutions, transposed convolutions and matrix products with constant weights, by channels.

A layer of `groups` groups computes, for every output channel o of group g and every position,

    y[g, o] = bias[g, o] + sum_{i, t} (x[g, i] at tap t - input_zp) * (w[g, o, i, t] - weight_zp)

where taps that lie in the padding contribute nothing. A matrix product is a layer of one group and one tap.
"""

from functools import cached_property
from math import prod

import numpy as np
from xdsl.ir import Operation, SSAValue

from s2s.analysis.numbers.known_values import is_splat, known_value
from s2s.dialects import graph
from s2s.dialects.graph.interfaces import WindowInterface
from s2s.types.dtypes import Array
from s2s.types.weights import WeightStore

FIRST = 16
"""Inputs of a filter that are looked at before all of them: few filters of a trained network begin with zeros."""


class Layer:
    """A layer with constant weights, and with a constant bias or none."""

    def __init__(self, op: graph.LayerOp, weights: Array, bias: Array | None) -> None:
        self.op = op
        self.stored = weights
        self.bias = bias
        rule = op.accumulation
        self.input_zp, self.weight_zp = rule.x_zp, rule.w_zp

    @property
    def x(self) -> SSAValue:
        """The tensor that the layer reads."""
        return self.op.operands[0]

    @property
    def groups(self) -> int:
        """Number of groups of channels that are computed apart."""
        return self.op.groups_of_channels

    @cached_property
    def weights(self) -> Array:
        """The weights as [groups, outputs of a group, inputs of a group, taps]."""
        return self.op.by_channels(self.stored)

    def as_stored(self, weights: Array) -> Array:
        """Return `weights`, which are arranged as `Layer.weights`, in the order of the operation."""
        made = self.op.stored(weights, self.stored.shape)
        return np.asarray(made, order="C")

    @property
    def outputs(self) -> int:
        """Number of output channels."""
        return self.weights.shape[0] * self.weights.shape[1]

    @property
    def inputs(self) -> int:
        """Number of input channels."""
        return self.weights.shape[0] * self.weights.shape[2]

    @cached_property
    def filters(self) -> Array:
        """The weights as [output channels, inputs of a group, taps]."""
        return self.weights.reshape(self.outputs, *self.weights.shape[2:])

    @cached_property
    def missing(self) -> Array:
        """Whether each tap lies in the padding at some position of the result: a bool for each tap.

        A 3x3 window with padding of one element on all sides misses all taps but the middle one; so do windows of
        transposed convolutions, of which each result sees a part.
        """
        if not isinstance(self.op, WindowInterface):
            return np.zeros(1, np.bool_)
        window = self.op.window()
        if isinstance(self.op, graph.ConvTransposeOp):
            return np.ones(prod(window.kernel), np.bool_)
        missed = np.zeros(tuple(window.kernel), np.bool_)
        for axis, (taps, extent) in enumerate(zip(window.kernel, window.extent, strict=True)):
            place = np.arange(taps) * window.dilations[axis]
            along = (place < window.low[axis]) | (place >= extent - window.high[axis])
            missed |= along.reshape([-1 if each == axis else 1 for each in range(window.rank)])
        return missed.reshape(-1)

    @cached_property
    def reads(self) -> Array:
        """Whether an output of a group multiplies an input by anything but zero: [groups, outputs, inputs]."""
        return np.any(self.weights != self.weight_zp, axis=3)

    @cached_property
    def silent(self) -> Array:
        """Whether all weights of each output channel are zero: [output channels]."""
        found = np.all(self.filters[:, :FIRST] == self.weight_zp, axis=(1, 2))
        if found.any():
            found[found] = np.all(self.filters[found] == self.weight_zp, axis=(1, 2))
        return found

    @cached_property
    def unread(self) -> Array:
        """Whether each input channel is multiplied by zero in all outputs: [input channels]."""
        begun = np.all(self.weights[:, :FIRST] == self.weight_zp, axis=(1, 3))
        return ~self.reads.any(axis=1).reshape(-1) if begun.any() else begun.reshape(-1)


def layer_of(op: Operation, store: WeightStore) -> Layer | None:
    """Return `op` as a layer; None if it is none, or if its weights or bias are computed in the run, or are one number
    that is stored once."""
    if not isinstance(op, graph.LayerOp):
        return None
    weights = known_value(op.operands[1], store)
    bias = known_value(op.operands[2], store) if len(op.operands) > 2 else None
    if weights is None or weights.size == 0 or is_splat(weights) or (len(op.operands) > 2 and bias is None):
        return None
    if isinstance(op, graph.MatmulOp) and weights.ndim != 2:
        return None
    return Layer(op, weights, bias)
