"""Imports a TFLite model, runs it by the meaning of the graph dialect, and holds it against TFLite-Micro."""

from collections.abc import Sequence

import numpy as np

from s2s.frontends.tflite import import_model
from s2s.fuzz.tflite.engines import run_micro
from s2s.interpret.graph import run_graph
from s2s.types.dtypes import Array


def run_imported(data: bytes, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of a model by the numpy meaning of the graph that it is imported to."""
    imported = import_model(data)
    return run_graph(imported.module, list(inputs), imported.weights)


def same_as_micro(data: bytes, inputs: Sequence[Array]) -> None:
    """Assert that every output is what TFLite-Micro computes, bit for bit."""
    expected, found = run_micro(data, inputs), run_imported(data, inputs)
    assert len(found) == len(expected)
    for wanted, got in zip(expected, found, strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got.reshape(wanted.shape), wanted)
