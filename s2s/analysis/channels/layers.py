"""A common view of convolutions, transposed convolutions and matrix products with constant weights, by channels.

A layer of `groups` groups computes, for every output channel o of group g and every position,

    y[g, o] = bias[g, o] + sum_{i, t} (x[g, i] at tap t - input_zp) * (w[g, o, i, t] - weight_zp)

where taps that lie in the padding contribute nothing. A matrix product is a layer of one group and one tap.
"""

from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
from xdsl.ir import Operation, SSAValue

from s2s.analysis.channels.carried import shape_of
from s2s.analysis.numbers.known_values import is_splat, known_value
from s2s.dialects import graph
from s2s.types.dtypes import Array
from s2s.types.shapes.window import channel_axis
from s2s.types.weights import WeightStore

LayerOp: TypeAlias = graph.ConvOp | graph.ConvTransposeOp | graph.MatmulOp
FIRST = 16
"""Inputs of a filter that are looked at before all of them: few filters of a trained network begin with zeros."""


class Layer:
    """A layer with constant weights, and with a constant bias or none."""

    def __init__(self, op: LayerOp, weights: Array, bias: Array | None) -> None:
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
        return 1 if isinstance(self.op, graph.MatmulOp) else self.op.groups.value.data

    @property
    def in_axis(self) -> int:
        """The axis of `x` that counts input channels."""
        rank = len(shape_of(self.x))
        if isinstance(self.op, graph.MatmulOp):
            return rank - (1 if self.op.transpose_a is None else 2)
        return channel_axis(self.op.data_layout, rank)

    @property
    def out_axis(self) -> int:
        """The axis of the result that counts output channels."""
        rank = len(shape_of(self.op.y))
        return rank - 1 if isinstance(self.op, graph.MatmulOp) else channel_axis(self.op.data_layout, rank)

    @cached_property
    def weights(self) -> Array:
        """The weights as [groups, outputs of a group, inputs of a group, taps]."""
        match self.op:
            case graph.ConvOp():
                outputs, inputs = self.stored.shape[:2]
                return self.stored.reshape(self.groups, outputs // self.groups, inputs, -1)
            case graph.ConvTransposeOp():
                inputs, outputs = self.stored.shape[:2]
                by_input = self.stored.reshape(self.groups, inputs // self.groups, outputs, -1)
                return by_input.transpose(0, 2, 1, 3)
            case graph.MatmulOp(transpose_b=None):
                return self.stored.T[None, :, :, None]
            case graph.MatmulOp():
                return self.stored[None, :, :, None]

    def as_stored(self, weights: Array) -> Array:
        """Return `weights`, which are arranged as `Layer.weights`, in the order of the operation."""
        groups, outputs, inputs, _ = weights.shape
        match self.op:
            case graph.ConvOp():
                made = weights.reshape(groups * outputs, inputs, *self.stored.shape[2:])
            case graph.ConvTransposeOp():
                made = weights.transpose(0, 2, 1, 3).reshape(groups * inputs, outputs, *self.stored.shape[2:])
            case graph.MatmulOp(transpose_b=None):
                made = weights[0, :, :, 0].T
            case graph.MatmulOp():
                made = weights[0, :, :, 0]
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
        if isinstance(self.op, graph.MatmulOp):
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
    if not isinstance(op, LayerOp):
        return None
    weights = known_value(op.operands[1], store)
    bias = known_value(op.operands[2], store) if len(op.operands) > 2 else None
    if weights is None or weights.size == 0 or is_splat(weights) or (len(op.operands) > 2 and bias is None):
        return None
    if isinstance(op, graph.MatmulOp) and weights.ndim != 2:
        return None
    return Layer(op, weights, bias)
