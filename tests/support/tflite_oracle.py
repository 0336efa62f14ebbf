"""TFLite-Micro's reference kernels on this machine: what integer networks are compared with, bit for bit."""

import importlib
from collections.abc import Sequence
from typing import Any

from s2s.types.dtypes import Array

ARENA = 4 << 20


def run_micro(model: bytes, inputs: Sequence[Array], *, arena: int = ARENA) -> list[Array]:
    """The outputs of a model for one set of inputs, in the order of the model."""
    package: Any = importlib.import_module("tflite_micro")
    interpreter = package.runtime.Interpreter.from_bytes(model, arena_size=arena)
    for place, value in enumerate(inputs):
        interpreter.set_input(value, place)
    interpreter.invoke()
    count = len(_outputs(model))
    return [interpreter.get_output(place).copy() for place in range(count)]


def _outputs(model: bytes) -> Sequence[int]:
    tflite: Any = importlib.import_module("tflite")
    graph = tflite.Model.GetRootAs(model, 0).Subgraphs(0)
    return range(graph.OutputsLength())
