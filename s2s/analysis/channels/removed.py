"""Count the channels of the layers of a network, and describe the channels that the compiler has removed."""

from typing import NamedTuple

from xdsl.dialects.builtin import I64, DenseArrayBase, ModuleOp
from xdsl.ir import Operation

from s2s.analysis.channels.layers import layer_of
from s2s.dialects.graph.base import ints
from s2s.dialects.graph.interfaces import multiply_adds
from s2s.dialects.walk import walk
from s2s.support.frozen import frozen
from s2s.types.hints import isa
from s2s.types.weights import WeightStore

REMOVED = "removed_channels"
"""Discardable attribute of a module: the figures of `RemovedChannels`, in their order."""


class LayerFigures(NamedTuple):
    """What the layers of a network take."""

    channels: int
    """Output channels."""
    work: int
    """Multiply-adds."""
    weights: int
    """Bytes, without biases."""


@frozen
class RemovedChannels:
    """The channels, multiply-adds and bytes of weights that layers do without, beside the ones that they have."""

    channels: int
    work: int
    weights: int
    all_channels: int
    all_work: int
    all_weights: int

    def describe(self) -> str:
        """Describe the figures in words."""
        work, weights = (self.work / max(self.all_work, 1), self.weights / max(self.all_weights, 1))
        return f"{self.channels:,} of {self.all_channels:,}, {work:.0%} of the work, {weights:.0%} of the weights"


def layer_figures(root: Operation, store: WeightStore) -> LayerFigures:
    """Return the sums over all layers with constant weights under `root`."""
    layers = [layer for op in walk(root) if (layer := layer_of(op, store)) is not None]
    return LayerFigures(
        sum(layer.outputs for layer in layers),
        sum(multiply_adds(layer.op) for layer in layers),
        sum(layer.stored.nbytes for layer in layers),
    )


def note_removed(module: ModuleOp, before: LayerFigures, after: LayerFigures) -> None:
    """Write down what was removed between `before` and `after`."""
    less = (old - new for old, new in zip(before, after, strict=True))
    module.attributes[REMOVED] = ints([*less, *before])


def removed_channels(module: ModuleOp) -> RemovedChannels | None:
    """Return what was removed from `module`; None if nothing was."""
    noted = module.attributes.get(REMOVED)
    return RemovedChannels(*noted.get_values()) if isa(noted, DenseArrayBase[I64]) else None
