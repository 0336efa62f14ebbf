"""Measure the error of quantisation layer by layer: compare the activations of two models on the same samples."""
# onnxruntime has no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx

from s2s.support import progress
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

DEQUANTIZED = "_DequantizeLinear_Output"
"""How onnxruntime's quantiser names what an activation has become."""


@frozen
class LayerNoise:
    """The difference between an activation of the quantised model and of the float model."""

    node: str
    operator: str
    tensor: str
    sqnr: float
    """Signal to quantisation noise in decibel: `10 log10(sum x ** 2 / sum (x - y) ** 2)` over all samples."""
    largest_error: float
    largest_value: float


@dataclass
class Sums:
    """Sums over the elements of an activation in all samples."""

    signal: float = 0.0
    noise: float = 0.0
    largest_error: float = 0.0
    largest_value: float = 0.0

    def add(self, expected: Array, found: Array) -> None:
        """Add the elements of one sample."""
        x, y = expected.astype(np.float64), found.astype(np.float64)
        self.signal += float(np.square(x).sum())
        self.noise += float(np.square(x - y).sum())
        self.largest_error = max(self.largest_error, float(np.abs(x - y).max(initial=0.0)))
        self.largest_value = max(self.largest_value, float(np.abs(x).max(initial=0.0)))

    def decibel(self) -> float:
        """The signal to noise ratio."""
        if self.noise == 0:
            return math.inf
        return 10 * math.log10(self.signal / self.noise) if self.signal else -math.inf


def compare_values(values: Iterable[tuple[str, Array, Array]]) -> dict[str, Sums]:
    """Compare expected values with measured ones, by the names of their tensors."""
    sums: dict[str, Sums] = {}
    for name, expected, found in values:
        sums.setdefault(name, Sums()).add(expected, found)
    return sums


def compare_layers(
    real: onnx.ModelProto, quantized: onnx.ModelProto, samples: Iterable[Mapping[str, Array]], count: int
) -> tuple[LayerNoise, ...]:
    """Run both models on `samples`, and compare every activation that is quantised, and the outputs."""
    pairs = _pairs(real, quantized)
    float_session, int_session = (
        session(model, names) for model, names in ((real, [a for a, _ in pairs]), (quantized, [b for _, b in pairs]))
    )
    sums = [Sums() for _ in pairs]
    for number, sample in enumerate(samples, 1):
        progress.step(f"comparing with the float model: sample {number} of {count}")
        expected = float_session.run([a for a, _ in pairs], dict(sample))
        found = int_session.run([b for _, b in pairs], dict(sample))
        for total, x, y in zip(sums, expected, found, strict=True):
            total.add(x, y)
    makers = {name: node for node in real.graph.node for name in node.output}
    return tuple(
        LayerNoise(node.name or tensor, node.op_type, tensor, total.decibel(), total.largest_error, total.largest_value)
        for (tensor, _), total in zip(pairs, sums, strict=True)
        if (node := makers.get(tensor)) is not None
    )


def least_ratio(values: Iterable[tuple[str, Array, Array]]) -> float:
    """Return the least signal to noise ratio of a tensor, in decibel, of expected values and measured ones by name."""
    return min((total.decibel() for total in compare_values(values).values()), default=math.inf)


def tensor_values(
    model: onnx.ModelProto, names: Sequence[str], samples: Iterable[Mapping[str, Array]]
) -> Iterator[Mapping[str, Array]]:
    """Run a model on samples, and yield the values of some tensors, which may be inputs, for each."""
    inputs = {value.name for value in model.graph.input}
    asked = [name for name in names if name not in inputs]
    engine = session(model, asked)
    for sample in samples:
        yield {**sample, **(dict(zip(asked, engine.run(asked, dict(sample)), strict=True)) if asked else {})}


def _pairs(real: onnx.ModelProto, quantized: onnx.ModelProto) -> list[tuple[str, str]]:
    """Return the names of floats that both models have, in the execution order of the float model."""
    made = {name for node in quantized.graph.node for name in node.output}
    outputs = {value.name for value in real.graph.output}
    pairs: list[tuple[str, str]] = []
    for node in real.graph.node:
        for name in node.output:
            if name in outputs and name in made:
                pairs.append((name, name))
            elif name + DEQUANTIZED in made:
                pairs.append((name, name + DEQUANTIZED))
    return pairs


def session(model: onnx.ModelProto, outputs: Sequence[str]) -> Any:
    """Create a session that computes `outputs` without graph optimisation, which would remove tensors to compare."""
    import onnxruntime

    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    present = {value.name for value in shown.graph.output}
    shown.graph.output.extend(onnx.ValueInfoProto(name=name) for name in outputs if name not in present)
    options: Any = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # a busy machine would wait in loops
    return onnxruntime.InferenceSession(shown.SerializeToString(), options, providers=["CPUExecutionProvider"])
