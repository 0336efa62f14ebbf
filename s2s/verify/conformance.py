"""Adapters for the ONNX conformance runner: `function(model_path, inputs) -> outputs`."""

from collections.abc import Sequence

from s2s.analysis.dtypes import Array
from s2s.frontends.onnx import import_model
from s2s.interpret.graph import run_graph as interpret


def run_graph(model_path: str, inputs: Sequence[Array]) -> list[Array]:
    """Import the model and run it by the numpy meaning of the graph dialect: a test of the frontend alone."""
    imported = import_model(model_path)
    return interpret(imported.module, inputs, imported.weights)
