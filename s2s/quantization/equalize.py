"""Equalise channels: one scale of 8 bits for a tensor then serves its small channels as well as its large ones.

    y = relu(conv(x, w1, b1)); z = conv(y, w2)
->
    y = relu(conv(x, w1 / s, b1 / s)); z = conv(y, w2 * s)          a number s > 0 for each channel of y

A layer normalisation may stand in place of the first layer: its scales and shifts are divided (SmoothQuant).

What stands between the two layers must pass a positive factor through. The weights in front have a scale for each
output channel, which takes up any factor; those behind share one among their input channels, unless they are depthwise.
So `s` is `a / max(a)` before depthwise weights, where `a` is the largest value of the channel in the samples, and
`sqrt(a / w)` before others, where `w` is the largest share that the channel has in the weights of an output. A bound
`clip(y, 0, 6)` keeps its place: no channel is enlarged beyond it, and those that reach it in the samples stay as they
are. A channel that is 0 in all samples is enlarged least, since nothing is known of it; and none so far that a step of
its sums would be more than 1/32 of a step of `y`: two short roundings in fixed point want these bits between them.
(Nagel et al., Data-Free Quantization; Xiao et al., SmoothQuant.)
"""

import math
from typing import NamedTuple

import numpy as np

from s2s.quantization.channels import Channels
from s2s.quantization.network import Layer, Network, Step, sources_of
from s2s.types.dtypes import Array

MIN_PART = 1e-4
"""What is smaller than this part of the largest among values or weights of channels counts as this part."""


STEPS_BETWEEN = 32
"""How many steps of sums a step of the result has at least, as two roundings in fixed point want it."""


class Reader(NamedTuple):
    """A layer that reads channels, each as `block` neighbours."""

    layer: Layer
    block: int


class Passage(NamedTuple):
    """The way of a layer's channels to the layers that read them."""

    layer: Layer
    tensors: list[str]
    readers: list[Reader]
    bounds: list[float]


class _Walk:
    """Follows channels from a layer to others."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._readers: dict[str, list[Step]] = {}
        for step in network.steps:
            for name in dict.fromkeys(step.inputs):
                self._readers.setdefault(name, []).append(step)

    def passage(self, layer: Layer) -> Passage | None:
        """The passage of a layer's channels; None if something else reads them."""
        passage = Passage(layer, [], [], [])
        return passage if self._follow(layer.result, passage, flat=False) and passage.readers else None

    def _follow(self, tensor: str, passage: Passage, *, flat: bool) -> bool:
        """Collect the readers of a tensor, and return whether a factor of each channel may pass to all."""
        passage.tensors.append(tensor)
        return tensor not in self._network.outputs and all(
            self._read(step, tensor, passage, flat=flat) for step in self._readers.get(tensor, [])
        )

    def _read(self, step: Step, tensor: str, passage: Passage, *, flat: bool) -> bool:
        if step.inputs[0] != tensor:
            return False
        if step.layer is not None:
            block = self._block(step.layer, passage.layer, flat=flat)
            passage.readers.append(Reader(step.layer, block))
            return block > 0
        flattens = step.flattens and passage.layer.spatial and not flat
        if math.isfinite(step.bound):
            passage.bounds.append(step.bound)
        return (step.passes or flattens) and self._follow(step.output, passage, flat=flat or flattens)

    def _block(self, reader: Layer, layer: Layer, *, flat: bool) -> int:
        """How many neighbouring inputs of a reader are one channel of a layer; 0 if its inputs are something else."""
        channels = self._network.constant(layer.weights).shape[layer.output_axis]
        weights = reader.by_input(self._network.constant(reader.weights))
        block, rest = divmod(weights.shape[0] * weights.shape[2], channels)
        if rest or reader.spatial != (layer.spatial and not flat):
            return 0
        return block if flat or block == 1 else 0


def equalize(network: Network, channels: Channels) -> int:
    """Equalise the channels between layers of a network, whose activations are `channels`; return behind how many
    layers."""
    count = 0
    for passage in _passages(network):
        scale = _scale(passage, channels, network)
        if not np.array_equal(scale, np.ones_like(scale)):
            _apply(passage, scale, network)
            count += 1
    return count


def watched(network: Network) -> dict[str, bool]:
    """The tensors whose largest values by channel decide the factors, and whether channels are their axis 1."""
    ways = ((way.layer, name) for way in _passages(network) for name in (way.layer.input, *way.tensors))
    return {name: layer.spatial for layer, name in ways}


def _passages(network: Network) -> list[Passage]:
    walk = _Walk(network)
    return [passage for layer in sources_of(network) if (passage := walk.passage(layer)) is not None]


def _scale(passage: Passage, channels: Channels, network: Network) -> Array:
    """The factor of each channel."""
    count = network.constant(passage.layer.weights).shape[passage.layer.output_axis]
    behind = passage.tensors[1:] or passage.tensors
    values = [channels.largest[name] for name in behind if len(channels.largest[name]) == count]
    largest = np.max(values or [channels.largest[passage.tensors[0]]], axis=0)
    top = float(largest.max())
    if top <= 0:
        return np.ones_like(largest)
    silent = largest <= 0
    largest = np.maximum(largest, top * MIN_PART)
    share = np.max([_share(reader, count, network) for reader in passage.readers], axis=0)
    scale: Array = np.sqrt(largest / np.maximum(share, MIN_PART)) if share.any() else largest
    scale = np.where(silent, scale[~silent].max(), scale)
    limit = min([*passage.bounds, top])
    scale = scale * float((largest / scale).max()) / limit
    scale = np.maximum(scale, np.minimum(_finest(passage.layer, channels, limit, network), 1))
    if passage.bounds:
        scale = np.where((largest < limit * (1 - 1e-6)) & ~silent, np.maximum(scale, largest / limit), 1)
    return scale.astype(np.float32)


def _finest(layer: Layer, channels: Channels, limit: float, network: Network) -> Array:
    """The factor of each channel at which a step of its sums is 1/32 of a step of a result up to `limit`; 0 behind a
    normalisation, whose sums have no steps."""
    if layer.normalises:
        return np.zeros(len(network.constant(layer.weights)))
    weights = layer.with_outputs_first(network.constant(layer.weights))
    steps = np.abs(weights).max(axis=1) / 127 * 2 * float(channels.largest[layer.input].max())
    return steps * STEPS_BETWEEN / limit


def _share(reader: Reader, count: int, network: Network) -> Array:
    """The largest share of each channel in the weights of an output; 0 where the channel alone makes outputs."""
    layer, block = reader
    weights = np.abs(layer.by_input(network.constant(layer.weights)).astype(np.float64))
    if weights.shape[2] == 1:
        return np.zeros(count)
    rows = weights.max(axis=(2, 3), keepdims=True)
    shares = (weights / np.where(rows > 0, rows, 1)).max(axis=(1, 3))
    return shares.reshape(count, block).max(axis=1)


def _apply(passage: Passage, scale: Array, network: Network) -> None:
    layer = passage.layer
    network.replace(layer.weights, layer.with_scaled_outputs(network.constant(layer.weights), 1 / scale))
    if layer.bias is not None:
        network.replace(layer.bias, network.constant(layer.bias) / scale)
    for reader, block in passage.readers:
        factors = np.repeat(scale, block)
        network.replace(reader.weights, reader.with_scaled_inputs(network.constant(reader.weights), factors))
