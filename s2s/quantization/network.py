"""A network of floats as refinements see it: layers with constant weights, and what passes channels between them.

`s2s/quantization/onnx_network.py` reads it from ONNX models, `s2s/quantization/program_network.py` from programs of
PyTorch.
"""

import math
from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np

from s2s.support.frozen import frozen
from s2s.types.dtypes import Array


class Window(NamedTuple):
    """How the windows of a convolution lie on its input; empty tuples stand for strides and dilations of 1, and for no
    padding."""

    strides: tuple[int, ...] = ()
    dilations: tuple[int, ...] = ()
    begins: tuple[int, ...] = ()
    """The padding in front of each axis."""
    ends: tuple[int, ...] = ()
    same: Literal["", "upper", "lower"] = ""
    """Whether the padding gives `ceil(size / stride)` windows, and where an odd element of it lies."""

    def pads(self, sizes: Sequence[int], spans: Sequence[int], strides: Sequence[int]) -> list[tuple[int, int]]:
        """Return the padding in front of and behind axes of `sizes` under windows of `spans`."""
        if not self.same:
            none = (0,) * len(sizes)
            return list(zip(self.begins or none, self.ends or none, strict=True))
        totals = [
            max((-(-size // stride) - 1) * stride + span - size, 0)
            for size, span, stride in zip(sizes, spans, strides, strict=True)
        ]
        less = [(total // 2, total - total // 2) for total in totals]
        return less if self.same == "upper" else [(more, few) for few, more in less]


@frozen
class Layer:
    """A convolution or product with constant weights that nothing else reads."""

    name: str
    """The name of its node."""
    input: str
    """The tensor that the weights multiply."""
    weights: str
    bias: str | None
    """The constant added to each output channel."""
    result: str
    """The tensor behind the bias."""
    spatial: bool
    """Whether channels are axis 1 of the tensors, as in a convolution; otherwise they are the last axis."""
    groups: int = 1
    transposed: bool = False
    """Whether the weights of a product are `[outputs, inputs]`."""
    window: Window = Window()
    normalises: bool = False
    """Whether it is a layer normalisation, and its weights the scales of channels."""

    @property
    def output_axis(self) -> int:
        """The axis of the weights that counts output channels."""
        return 0 if self.spatial or self.transposed else 1

    def by_input(self, weights: Array) -> Array:
        """The weights as `[groups, outputs of a group, inputs of a group, taps]`."""
        if self.spatial:
            outputs, inputs = weights.shape[:2]
            return weights.reshape(self.groups, outputs // self.groups, inputs, -1)
        return (weights if self.transposed else weights.T)[None, :, :, None]

    def with_outputs_first(self, weights: Array) -> Array:
        """The weights as `[outputs, all others]`."""
        return np.moveaxis(weights, self.output_axis, 0).reshape(weights.shape[self.output_axis], -1)

    def with_scaled_inputs(self, weights: Array, scale: Array) -> Array:
        """Multiply the weights of each input channel by its scale."""
        scaled = self.by_input(weights) * scale.reshape(self.groups, 1, -1, 1)
        if self.spatial:
            return scaled.reshape(weights.shape)
        return scaled[0, :, :, 0] if self.transposed else scaled[0, :, :, 0].T

    def with_scaled_outputs(self, weights: Array, scale: Array) -> Array:
        """Multiply the weights of each output channel by its scale."""
        return weights * scale.reshape([-1 if axis == self.output_axis else 1 for axis in range(weights.ndim)])


@frozen
class Step:
    """A node of a network."""

    inputs: Sequence[str]
    output: str
    layer: Layer | None = None
    norm: Layer | None = None
    """A layer normalisation, whose scales are the weights of its channels, which are the last axis."""
    passes: bool = False
    """Whether it computes `f(x)` of its first input with `f(s * x) = s * f(x)` for a factor `s > 0` of each channel."""
    flattens: bool = False
    """Whether it passes factors, and makes a matrix in which the elements of a channel are neighbours."""
    bound: float = math.inf
    """The upper bound of a `clip` from 0, which passes factors below it."""


class Network(Protocol):
    """Steps in the order of execution, and constants that can be replaced."""

    @property
    def steps(self) -> Sequence[Step]:
        """The nodes."""
        ...

    @property
    def outputs(self) -> Collection[str]:
        """The names of the outputs."""
        ...

    def constant(self, name: str) -> Array:
        """The values of a constant."""
        ...

    def replace(self, name: str, values: Array) -> None:
        """Give a constant other values, in its own type."""
        ...


def sources_of(network: Network) -> list[Layer]:
    """The layers and normalisations, which can give each channel a factor, in the order of execution."""
    return [source for step in network.steps for source in (step.layer, step.norm) if source is not None]


def layers_of(network: Network) -> list[Layer]:
    """The layers in the order of execution."""
    return [step.layer for step in network.steps if step.layer is not None]
