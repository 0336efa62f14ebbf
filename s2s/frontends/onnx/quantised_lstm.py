"""Import com.microsoft.DynamicQuantizeLSTM: an LSTM whose two products are of bytes.

The input of all steps is quantised to bytes by its own range at once, the state of all rows in each step; both are
multiplied by 8-bit weights. For example a state between -0.5 and 0.25 has the scale 0.75 / 255 and the zero point 170.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from onnx import AttributeProto

from s2s.frontends.builder import Builder, Value
from s2s.frontends.formulas import cast, reshape, take
from s2s.frontends.networks import Values
from s2s.frontends.onnx.linear import integer_product
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.quant import dynamic_bytes
from s2s.frontends.onnx.recurrent import Constants, Layer, lstm, lstm_direction, summed_bias

_FLOAT = np.dtype(np.float32)


class _Weights(NamedTuple):
    """The weights of a direction `[columns, gates × hidden]`, the scale and zero point of all or of each gate."""

    values: Callable[[Builder, Values], Value]
    scale: Callable[[Builder, Values], Value]
    zero_point: Callable[[Builder, Values], Value]

    def product(self, inner: Builder, x: Value, kept: Values) -> Value:
        """`x` times the weights, as floats."""
        quantised = dynamic_bytes(x)
        total = integer_product(
            quantised.values, quantised.zero_point, self.values(inner, kept), self.zero_point(inner, kept)
        )
        return cast(total, _FLOAT) * (quantised.scale * self.scale(inner, kept))


def _weights(layer: Layer, position: int, scale: int, direction: int, columns: int, constants: Constants) -> _Weights:
    """The weights at `position`, whose scale and zero point are the operands at `scale` and behind it."""
    node, size = layer.node, layer.gates * layer.hidden
    values = node.input(position)
    if values.shape != (layer.directions, columns, size):
        wanted = [layer.directions, columns, size]
        raise node.invalid(f"input {position} has shape {list(values.shape)}", f"give {wanted}")
    parts = [reshape(take(values, 0, direction, 1), [columns, size])]
    for at in (scale, scale + 1):
        each = node.input(at)
        if each.shape not in ((layer.directions,), (layer.directions, size)):
            raise node.invalid(f"input {at} has shape {list(each.shape)}", "give one number for each direction or gate")
        parts.append(reshape(take(each, 0, direction, 1), each.shape[1:]))
    return _Weights(*(constants.add(part) for part in parts))


def _direction(layer: Layer, direction: int) -> tuple[Value, Values]:
    """The outputs and the last state of one direction."""
    outside, constants = Constants(), Constants()
    columns = layer.x.shape[2]
    weights = _weights(layer, 1, 8, direction, columns, outside)
    rows = reshape(layer.x, [layer.steps * layer.batch, columns])
    projected = weights.product(layer.node.builder, rows, outside.kept)
    bias = summed_bias(layer, direction)
    projected = projected if bias is None else projected + bias
    projected = reshape(projected, [layer.steps, layer.batch, layer.gates * layer.hidden])
    recurrent = _weights(layer, 2, 10, direction, layer.hidden, constants)
    return lstm_direction(layer, direction, projected, recurrent.product, constants)


def _dynamic_quantize_lstm(node: Node) -> list[Value]:
    return lstm(node, _direction, transposed=True)


IMPORTERS: Mapping[str, Importer] = {"DynamicQuantizeLSTM": _dynamic_quantize_lstm}
DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = {}
REQUIRED: Mapping[str, Mapping[str, int]] = {}
OPTIONAL: Mapping[str, Mapping[str, int]] = {
    "DynamicQuantizeLSTM": {
        "activation_alpha": AttributeProto.FLOATS,
        "activation_beta": AttributeProto.FLOATS,
        "activations": AttributeProto.STRINGS,
        "clip": AttributeProto.FLOAT,
        "direction": AttributeProto.STRING,
        "hidden_size": AttributeProto.INT,
        "input_forget": AttributeProto.INT,
    }
}
INPUTS: Mapping[str, tuple[int, int]] = {"DynamicQuantizeLSTM": (12, 12)}
OUTPUTS: Mapping[str, int] = {"DynamicQuantizeLSTM": 3}
