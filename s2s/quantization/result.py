"""What quantisation gives: the model of integers, and its distance from the model of floats."""

import io
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto

from s2s.frontends.recognition import WRITTEN, Format, check_suffix, format_of
from s2s.quantization.accuracy import Accuracy
from s2s.quantization.floats import FloatNode
from s2s.quantization.noise import LayerNoise
from s2s.quantization.ranges import Convergence, Method
from s2s.support.files import write_file
from s2s.support.frozen import frozen


def formats_of(source: Format) -> tuple[Format, ...]:
    """The formats that a quantised model of `source` can be written in."""
    return ("PyTorch",) if source == "PyTorch" else ("ONNX", "TFLite")


@frozen
class Quantized:
    """A model with weights and activations of 8 bits, and its distance from the original model."""

    model: Any
    """An `onnx.ModelProto`, or a `torch.export.ExportedProgram` where one was quantised."""
    method: Method
    samples: int
    layers: tuple[LayerNoise, ...]
    floats: tuple[FloatNode, ...]
    """The operators that compute in floats, for which the quantiser has no integer form."""
    weights_before: int
    """The bytes of the weights of the original model, as the quantiser read it."""
    weights_after: int
    refinements: tuple[str, ...] = ()
    """What brought the outputs closer to floats, in words."""
    accuracy: Accuracy | None = None
    """How many samples both models classify rightly, where their classes are known."""
    convergence: Convergence | None = None
    """How many samples settle the ranges; None where nothing was calibrated."""

    def save(self, path: str | Path) -> Path:
        """Write the model, whole or not at all: ONNX, TFLite where `path` ends in `.tflite`, or a `.pt2` file. Raises
        `UnsupportedError` for what TFLite cannot say, `InputError` for the suffix of another format."""
        check_suffix(path, *formats_of(format_of(self.model)))
        if Path(path).suffix == WRITTEN["TFLite"]:
            from s2s.quantization.tflite_network import as_tflite

            return write_file(path, as_tflite(self.model))
        if isinstance(self.model, ModelProto):
            return write_file(path, self.model.SerializeToString(deterministic=True))
        import torch

        file = io.BytesIO()
        torch.export.save(self.model, file)
        return write_file(path, file.getvalue())

    def as_dict(self) -> dict[str, Any]:
        """Return the report for JSON; a layer without noise has no SQNR."""
        layers = [asdict(layer) | {"sqnr": layer.sqnr if np.isfinite(layer.sqnr) else None} for layer in self.layers]
        return {
            "method": self.method,
            "samples": self.samples,
            "layers": layers,
            "floats": [asdict(node) for node in self.floats],
            "weights_before": self.weights_before,
            "weights_after": self.weights_after,
            "refinements": list(self.refinements),
            "convergence": self.convergence._asdict() if self.convergence is not None else None,
            "accuracy": self.accuracy.as_dict() if self.accuracy is not None else None,
        }
