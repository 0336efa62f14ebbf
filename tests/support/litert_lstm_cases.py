"""Random LSTMs of floats for LiteRT: projections, peepholes, normalisations, coupled gates, weights of 8 bits."""

import importlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2s.frontends.tflite.writer import RELU, RELU6, RELU_N1_TO_1, TANH, GraphSpec, OperatorSpec, TensorSpec, model
from s2s.types.dtypes import Array

PARTS = ("projection", "projection bias", "peepholes", "normalisation", "coupled", "auxiliary", "second input")
"""What a layer may have; `auxiliary` weights the second input, without them the backward direction alone reads it."""
RUNS = 3
_OPTIONS = {
    "LSTM": "LSTMOptions",
    "UNIDIRECTIONAL_SEQUENCE_LSTM": "UnidirectionalSequenceLSTMOptions",
    "BIDIRECTIONAL_SEQUENCE_LSTM": "BidirectionalSequenceLSTMOptions",
}
Runs = list[list[Array]]


def parts_of(builtin: str) -> Sequence[str]:
    """The parts that an operator may have."""
    without = ("normalisation",) if builtin.startswith("BI") else ("auxiliary", "second input")
    return [part for part in PARTS if part not in without]


def drawn_parts(builtin: str, seed: int) -> list[str]:
    """Some of the parts that an operator may have."""
    random = np.random.default_rng([seed, 1])
    return [part for part in parts_of(builtin) if random.random() < 0.5]


@dataclass
class _Layer:
    """Tensors of a layer in the making, and the inputs of its operator by position; names are left out where none."""

    random: np.random.Generator
    parts: Collection[str]
    narrow: bool
    batch: int
    depths: tuple[int, int]
    units: int
    outputs: int
    tensors: list[TensorSpec] = field(default_factory=list[TensorSpec])
    names: dict[int, str] = field(default_factory=dict[int, str])

    def floats(self, position: int, *shape: int, around: float = 0.0) -> None:
        """A constant of floats."""
        data = self.random.normal(around, 0.5, shape).astype(np.float32)
        self.add(position, TensorSpec(f"t{position}", shape, data=data))

    def weights(self, position: int, *shape: int) -> None:
        """A constant that is of integers where the layer is."""
        if not self.narrow:
            self.floats(position, *shape)
            return
        data = self.random.integers(-127, 128, shape).astype(np.int8)
        scale = float(self.random.uniform(0.002, 0.015))
        self.add(position, TensorSpec(f"t{position}", shape, data=data, scale=scale))

    def add(self, position: int, tensor: TensorSpec) -> None:
        """A tensor, as the input at a position."""
        self.tensors.append(tensor)
        self.names[position] = tensor.name

    def direction(self, first: int, hidden: int, auxiliary: int, depth: int) -> None:
        """The inputs of one direction."""
        for gate in range(1 if "coupled" in self.parts else 0, 4):
            self.weights(first + gate, self.units, depth)
            self.weights(first + 4 + gate, self.units, self.outputs)
            self.floats(first + 11 + gate, self.units)
            if "normalisation" in self.parts:
                self.floats(20 + gate, self.units, around=1.0)
            if "auxiliary" in self.parts:
                self.weights(auxiliary + gate, self.units, self.depths[1])
            if "peepholes" in self.parts and gate != 2:
                self.weights(first + 8 + min(gate, 2), self.units)
        if "projection" in self.parts:
            self.weights(first + 15, self.outputs, self.units)
            if "projection bias" in self.parts:
                self.floats(first + 16, self.outputs)
        for position, size in ((hidden, self.outputs), (hidden + 1, self.units)):
            self.add(position, TensorSpec(f"t{position}", (self.batch, size), is_variable=True))


def lstm(
    builtin: str, parts: Collection[str], seed: int, *, narrow: bool = False, activation: int | None = None
) -> tuple[bytes, Runs]:
    """A model of one layer, and the inputs of its runs; with `narrow` its weights are of 8 bits."""
    random = np.random.default_rng(seed)
    steps, batch, depth, further, units, outputs = (int(n) for n in random.integers(1, [6, 4, 9, 9, 9, 9]))
    both = builtin.startswith("BI")
    outputs = outputs if "projection" in parts else units
    second = both and not {"auxiliary", "second input"}.isdisjoint(parts)
    if second and "auxiliary" not in parts:
        further = depth  # LiteRT wants weights of one width for both directions
    layer = _Layer(random, parts, narrow, batch, (depth, further), units, outputs)
    merged = both and bool(random.integers(0, 2))
    major = bool(random.integers(0, 2)) or (merged and batch > 1)  # else LiteRT's merged results differ from run to run
    sequence = (steps, batch) if major else (batch, steps)
    if builtin == "LSTM":
        sequence = (batch,)
    layer.add(0, TensorSpec("x", (*sequence, depth)))
    shapes = [(*sequence, depth)]
    if both:
        layer.direction(1, 35, 40, depth)
        layer.direction(18, 37, 44, further if second and "auxiliary" not in parts else depth)
        if second:
            layer.add(39, TensorSpec("second", (*sequence, further)))
            shapes.append((*sequence, further))
    else:
        layer.direction(1, 18, 0, depth)
    results = [(*sequence, 2 * outputs)] if merged else [(*sequence, outputs)] * (2 if both else 1)
    drawn = int(random.choice([TANH, TANH, TANH, RELU, RELU_N1_TO_1, RELU6]))
    options: dict[str, Any] = {
        "fused_activation_function": drawn if activation is None else activation,
        "cell_clip": float(random.choice([0.0, 0.8])),
        "proj_clip": float(random.choice([0.0, 0.6])),
        "asymmetric_quantize_inputs": bool(narrow and random.integers(0, 2)),
        **({} if builtin == "LSTM" else {"time_major": major}),
        **({"merge_outputs": merged} if both else {}),
    }
    runs = [[random.normal(size=shape).astype(np.float32) for shape in shapes] for _ in range(RUNS)]
    count = 48 if both else 24 if "normalisation" in parts else 20
    names = [layer.names.get(position, "") for position in range(count)]
    last = [TensorSpec(f"y{place}", shape) for place, shape in enumerate(results)]
    operator = OperatorSpec(builtin, names, [each.name for each in last], _OPTIONS[builtin], options)
    free = ["x", "second"][: len(shapes)]
    return model([GraphSpec([*layer.tensors, *last], [operator], free, operator.outputs)]), runs


def run_litert(data: bytes, runs: Runs) -> Runs:
    """What LiteRT gives run after run."""
    package: Any = importlib.import_module("ai_edge_litert.interpreter")
    interpreter = package.Interpreter(model_content=data)
    interpreter.allocate_tensors()
    inputs = [each["index"] for each in interpreter.get_input_details()]
    outputs = [each["index"] for each in interpreter.get_output_details()]
    found: Runs = []
    for values in runs:
        for place, value in zip(inputs, values, strict=True):
            interpreter.set_tensor(place, value)
        interpreter.invoke()
        found.append([interpreter.get_tensor(place) for place in outputs])
    return found
