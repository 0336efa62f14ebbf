"""Find the channels of a network that some reader needs, from its results back to its inputs.

A layer needs an input channel if a kept output multiplies it by anything but zero, unless

- it is a constant: what it adds to each sum is a number, which goes into the bias. Where taps lie in the padding, that
  number must be 0, which it is if the constant is the zero point;
- it is equal to another channel, and the sum of the weights of both is a weight: the other channel is needed.

All other operations need each channel that they hand on to a kept one. A tensor keeps at least one channel.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from xdsl.ir import Operation

from s2s.analysis.channels.intervals import Interval
from s2s.analysis.channels.layers import Layer
from s2s.analysis.channels.network import ChannelNetwork, Reading
from s2s.types.dtypes import Array


class Inputs:
    """What a layer of one group can do without of the channels that it reads."""

    def __init__(self, layer: Layer, x: Interval, classes: Array | None) -> None:
        self.layer = layer
        self.x = x
        self.classes = classes

    @cached_property
    def folded(self) -> Array:
        """Whether each channel is a constant that goes into the bias: [input channels]."""
        layer = self.layer
        constant = np.broadcast_to(self.x.constant, layer.inputs)
        if not constant.any() or not layer.missing.any():
            return constant
        bordered = np.any(layer.weights[0][:, :, layer.missing] != layer.weight_zp, axis=(0, 2))
        return constant & ((self.x.low == layer.input_zp) | ~bordered)

    def merged(self, outputs: Array) -> Array:
        """For each input channel, the equal channel that takes up its weights in `outputs`, else the channel itself."""
        merged = np.arange(self.layer.inputs)
        if self.classes is None:
            return merged
        for first in np.flatnonzero(np.bincount(self.classes) > 1):
            members = np.flatnonzero((self.classes == first) & ~self.folded)
            if members.size > 1:
                merged[[*self._fitting(members, outputs)]] = members[0]
        return merged

    def _fitting(self, members: Array, outputs: Array) -> Iterator[int]:
        """The channels behind the first of `members` whose weights can be added to its weights, all or some of them."""
        dtype = self.layer.weights.dtype
        info = np.iinfo(dtype) if dtype.kind in "iu" else np.finfo(dtype)
        weights = self.layer.weights[0][outputs][:, members].astype(np.float64) - self.layer.weight_zp
        positive, negative = np.maximum(weights[:, 0], 0), np.minimum(weights[:, 0], 0)
        for place, channel in enumerate(members.tolist()[1:], 1):
            more = positive + np.maximum(weights[:, place], 0)
            less = negative + np.minimum(weights[:, place], 0)
            if more.max() + self.layer.weight_zp <= info.max and less.min() + self.layer.weight_zp >= info.min:
                positive, negative = more, less
                yield channel

    def needed(self, outputs: Array) -> Array:
        """Return the channels that `outputs`, a bool for each output channel, are computed of."""
        layer = self.layer
        read = ~layer.unread if outputs.all() else layer.reads[0][outputs].any(axis=0)
        read = read & ~self.folded
        needed = np.zeros(layer.inputs, np.bool_)
        needed[self.merged(outputs)[read]] = True
        return needed


class Needed:
    """The slots that are kept, as more and more are asked for."""

    def __init__(self, network: ChannelNetwork) -> None:
        self.network = network
        self.inputs: dict[Operation, Inputs] = {}
        for layer, inputs, _ in network.readings:
            if inputs is not None and layer.groups == 1:
                self.inputs[layer.op] = Inputs(layer, network.ranges[layer.x], network.classes[layer.x])
        self.kept = np.zeros(network.count, np.bool_)
        for slots in network.pinned:
            self.kept[slots] = True
        self._settle()
        for slots in network.slots.values():
            if not self.kept[slots].any():
                self.keep(slots[:1])

    def keep(self, slots: Array) -> None:
        """Keep `slots`, and all that they are computed of."""
        self.kept[slots] = True
        self._settle()

    def _settle(self) -> None:
        before, now = -1, int(self.kept.sum())
        while before != now:
            for reading in reversed(self.network.readings):
                self._read(reading)
            for left, right in self.network.links:
                both = self.kept[left] | self.kept[right]
                np.logical_or.at(self.kept, left, both)
                np.logical_or.at(self.kept, right, both)
            before, now = now, int(self.kept.sum())

    def _read(self, reading: Reading) -> None:
        outputs, inputs = self.kept[reading.outputs], self.inputs.get(reading.layer.op)
        if inputs is not None and reading.inputs is not None and outputs.any():
            self.kept[reading.inputs[inputs.needed(outputs)]] = True
