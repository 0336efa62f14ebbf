"""Correct the biases of a quantised network by what the rounding of weights adds to its sums on average.

    y = conv(x, w + e, b)                              e: the error of each weight
->
    y = conv(x, w + e, b - sum(e * mean(x)))           the means of the input channels in the samples

Biases are integers in the scale of the sums, so corrections below half a unit are lost. (Nagel et al., Data-Free
Quantization, section 4.2.)
"""

from collections.abc import Collection, Iterable
from typing import Protocol

import numpy as np

from s2s.quantization.channels import Channels
from s2s.quantization.network import Layer, Network, layers_of
from s2s.types.dtypes import Array


class Integers(Protocol):
    """The constants of a quantised network."""

    def of(self, layer: Layer) -> Iterable[tuple[str, Array, Array]]:
        """Weights and bias of a layer: names, integers, and scales that fit their shape; nothing for one of floats."""
        ...

    def replace(self, name: str, values: Array) -> None:
        """Give a constant other values."""
        ...


def correct_biases(real: Network, integers: Integers, channels: Channels, chosen: Collection[str] | None = None) -> int:
    """Correct the biases of a network that was made of `real`, of the `chosen` layers or all; return in how many layers
    one changed."""
    count = 0
    limits = np.iinfo(np.int32)
    for layer in layers_of(real):
        constants = list(integers.of(layer))
        if len(constants) != 2 or layer.bias is None or (chosen is not None and layer.name not in chosen):
            continue
        (_, weights, scale), (name, bias, unit) = constants
        error = layer.by_input(weights * scale - real.constant(layer.weights)).sum(axis=3)
        means = channels.mean[layer.input].reshape(len(error), 1, -1)
        values = real.constant(layer.bias) - (error * means).sum(axis=2).ravel()
        corrected = np.clip(np.rint(values / unit.reshape(values.shape)), limits.min, limits.max)
        integers.replace(name, corrected.reshape(bias.shape))
        count += bool((corrected != bias.reshape(corrected.shape)).any())
    return count


def inputs_of_layers(real: Network) -> dict[str, bool]:
    """The tensors whose means decide the corrections, and whether channels are their axis 1."""
    return {layer.input: layer.spatial for layer in layers_of(real)}
