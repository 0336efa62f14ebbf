"""The ONNX frontend: from a model file to graph operations."""

from s2s.frontends.imported import Imported, Origin
from s2s.frontends.onnx.importer import import_model
from s2s.frontends.onnx.load import LoadedModel, ModelSource, load_model
from s2s.frontends.onnx.open_shapes import batches_of_one
from s2s.frontends.onnx.specialise import open_dimensions, specialise

__all__ = [
    "Imported",
    "LoadedModel",
    "ModelSource",
    "Origin",
    "batches_of_one",
    "import_model",
    "load_model",
    "open_dimensions",
    "specialise",
]
