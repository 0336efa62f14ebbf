"""Random LSTMs of integers for LiteRT: activations and weights of 8 bits, gates and cells of 16."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2s.frontends.tflite.writer import TANH, GraphSpec, OperatorSpec, TensorSpec, model
from support.litert_lstm_cases import RUNS, Runs

PARTS = ("projection", "projection bias", "peepholes", "normalisation", "coupled")
_OPTIONS = {"LSTM": "LSTMOptions", "UNIDIRECTIONAL_SEQUENCE_LSTM": "UnidirectionalSequenceLSTMOptions"}


def drawn_parts(seed: int) -> list[str]:
    """Some of the parts that a layer may have."""
    random = np.random.default_rng([seed, 2])
    return [part for part in PARTS if random.random() < 0.5]


@dataclass
class _Layer:
    """Tensors of a layer in the making, and the inputs of its operator by position."""

    random: np.random.Generator
    tensors: list[TensorSpec] = field(default_factory=list[TensorSpec])
    names: dict[int, str] = field(default_factory=dict[int, str])

    def integers(self, position: int, dtype: Any, limit: int, scale: float, *shape: int) -> None:
        """A constant of integers."""
        data = self.random.integers(-limit, limit + 1, shape).astype(dtype)
        self.add(position, TensorSpec(f"t{position}", shape, data=data, scale=scale))

    def add(self, position: int, tensor: TensorSpec) -> None:
        """A tensor, as the input at a position."""
        self.tensors.append(tensor)
        self.names[position] = tensor.name

    def drawn(self, low: float, high: float) -> float:
        """A scale."""
        return float(self.random.uniform(low, high))


def _weights(layer: _Layer, parts: Collection[str], depth: int, units: int, outputs: int) -> None:
    """The constants of all gates and of the projection."""
    for gate in range(1 if "coupled" in parts else 0, 4):
        layer.integers(1 + gate, np.int8, 127, layer.drawn(0.002, 0.02), units, depth)
        layer.integers(5 + gate, np.int8, 127, layer.drawn(0.002, 0.02), units, outputs)
        if "peepholes" in parts and gate != 2:
            layer.integers(9 + min(gate, 2), np.int16, 32767, layer.drawn(1e-5, 5e-5), units)
        layer.integers(12 + gate, np.int32, 20000 if "normalisation" in parts else 2000, 0.001, units)
        if "normalisation" in parts:
            layer.integers(20 + gate, np.int16, 32767, layer.drawn(1e-5, 1e-4), units)
    if "projection" in parts:
        layer.integers(16, np.int8, 127, layer.drawn(0.005, 0.02), outputs, units)
        if "projection bias" in parts:
            layer.integers(17, np.int32, 2000, 0.001, outputs)


def _intermediates(layer: _Layer, hidden: tuple[float, int], count: int) -> list[str]:
    """Tensors that say the scales of the gates, and of what is projected."""
    names = [f"s{place}" for place in range(count)]
    for place, name in enumerate(names):
        kind = "INT8" if place == 4 else "INT16"
        scale, zero_point = hidden if place == 4 else (layer.drawn(0.0005, 0.002), 0)
        layer.tensors.append(TensorSpec(name, (1,), kind, scale=scale, zero_point=zero_point))
    return names


def integer_lstm(
    builtin: str,
    parts: Collection[str],
    seed: int,
    *,
    sizes: tuple[int, int, int] | None = None,
    intermediates: int = 5,
    cell_scale: float | None = None,
) -> tuple[bytes, Runs]:
    """A model of one layer, and the inputs of its runs; `sizes` are batch, cells and outputs of a projection."""
    random = np.random.default_rng(seed)
    steps, batch, depth, units, outputs = (int(n) for n in random.integers(1, [6, 4, 9, 9, 9]))
    if sizes is not None:
        batch, units, outputs = sizes
    if "projection" not in parts:
        outputs = units
    elif "peepholes" in parts and sizes is None:
        outputs = min(outputs, units)
    layer = _Layer(random)
    x_zp, y_zp, hidden_zp = (int(n) for n in random.integers(-128, 128, 3))
    y_scale, hidden = layer.drawn(0.005, 0.01), (layer.drawn(0.005, 0.01), hidden_zp)
    major = bool(random.integers(0, 2))
    sequence = (batch,) if builtin == "LSTM" else (steps, batch) if major else (batch, steps)
    layer.add(0, TensorSpec("x", (*sequence, depth), "INT8", scale=layer.drawn(0.01, 0.05), zero_point=x_zp))
    _weights(layer, parts, depth, units, outputs)
    state = TensorSpec("h", (batch, outputs), "INT8", scale=y_scale, zero_point=y_zp, is_variable=True)
    layer.add(18, state)
    power = 2.0 ** -int(random.integers(9, 16))
    layer.add(19, TensorSpec("c", (batch, units), "INT16", scale=cell_scale or power, is_variable=True))
    names = _intermediates(layer, hidden, intermediates)
    layer.tensors.append(TensorSpec("y", (*sequence, outputs), "INT8", scale=y_scale, zero_point=y_zp))
    options: dict[str, Any] = {
        "fused_activation_function": TANH,
        "cell_clip": float(random.choice([0.0, 0.25])),
        "proj_clip": float(random.choice([0.0, 0.5])),
        **({} if builtin == "LSTM" else {"time_major": major}),
    }
    inputs = [layer.names.get(position, "") for position in range(24)]
    operator = OperatorSpec(builtin, inputs, ["y"], _OPTIONS[builtin], options, intermediates=names)
    runs = [[random.integers(-128, 128, (*sequence, depth)).astype(np.int8)] for _ in range(RUNS)]
    return model([GraphSpec(layer.tensors, [operator], ["x"], ["y"])]), runs
