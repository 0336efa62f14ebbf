"""Give layers of a quantised ONNX model weights of 4 bits in place of 8, or an input of 16 bits.

    y = conv(x8, dequantise(w8, s))    ->    y = conv(x8, dequantise(w4, t)), b - mean((w4 * t - w) x)

Weights of 4 bits get the scales that leave the least error in the sums, are rounded together
(`s2s/quantization/rounding.py`), and the bias takes up the mean of what is left. An input of 16 bits is symmetric; its
layer keeps weights of 8 bits.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import onnx

from s2s.quantization.bias import correct_biases, inputs_of_layers
from s2s.quantization.channels import Channels
from s2s.quantization.network import Layer, layers_of
from s2s.quantization.onnx_format import OnnxFormat
from s2s.quantization.onnx_integers import Integers
from s2s.quantization.onnx_network import OnnxNetwork
from s2s.quantization.rounding import rounded_weights, scales
from s2s.quantization.windows import second_moments
from s2s.support import progress
from s2s.types.dtypes import Array

Width = Literal["int8", "int4", "int16"]
"""Bits of the weights of a layer; `int16` is the width of its input, beside weights of 8 bits."""
WIDTHS: Sequence[Width] = ("int8", "int4")
"""The widths that all networks are tried with."""
Plan = Mapping[str, Width]
"""The width of each layer by its name."""
OPSET = 21
"""The first with integers of 4 and 16 bits."""


class Mixer:
    """Makes models of layers with different widths from a network of floats and its form in 8 bits."""

    def __init__(self, real: onnx.ModelProto, quantized: onnx.ModelProto, format: OnnxFormat) -> None:
        self._quantized, self._format = quantized, format
        self._network = OnnxNetwork(real)
        integers = Integers(quantized)
        self.layers: Sequence[Layer] = [
            layer for layer in layers_of(self._network) if next(iter(integers.of(layer)), None) is not None
        ]
        """The layers whose weights are integers."""
        shapes = [(layer, self._network.constant(layer.weights).shape) for layer in self.layers]
        names = list({layer.input for layer in self.layers})
        progress.step("observing the inputs of layers")
        self._moments = second_moments(shapes, format.values(real, names)) if names else {}
        tensors = inputs_of_layers(self._network)
        self._channels = format.observed(real, tensors) if tensors else Channels({}, {})
        self._small: dict[str, tuple[Array, Array]] = {}

    def model(self, plan: Plan) -> onnx.ModelProto:
        """Return the model in which layers have the widths of a plan."""
        model = self._format.copied(self._quantized)
        integers = Integers(model)
        narrowed = [layer for layer in self.layers if plan[layer.name] == "int4"]
        for layer in narrowed:
            integers.set_weights(layer, *self._four_bits(layer), 4)
        for layer in self.layers:
            if plan[layer.name] == "int16":
                integers.widen_input(layer, self.layers)
        chosen = {layer.name for layer in narrowed}
        correct_biases(self._network, integers, self._channels, chosen)
        return model

    def _four_bits(self, layer: Layer) -> tuple[Array, Array]:
        """The weights of a layer in 4 bits, and the scale of each output channel."""
        if layer.name not in self._small:
            weights, moments = self._network.constant(layer.weights), self._moments[layer.name]
            flat = layer.with_outputs_first(weights)
            groups = flat.reshape(len(moments), -1, flat.shape[1])
            chosen = np.concatenate([scales(*pair, -7, 7) for pair in zip(groups, moments, strict=True)])
            steps = layer.with_scaled_outputs(weights, 1 / chosen)
            self._small[layer.name] = rounded_weights(layer, steps, moments, -7, 7), chosen
        return self._small[layer.name]
