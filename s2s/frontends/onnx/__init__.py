"""The ONNX frontend: from a model file to graph operations."""

from s2s.frontends.imported import Imported, Origin
from s2s.frontends.onnx.importer import import_model
from s2s.frontends.onnx.load import LoadedModel, ModelSource, load_model
from s2s.frontends.onnx.specialise import open_dimensions, specialise

__all__ = [
    "Imported",
    "LoadedModel",
    "ModelSource",
    "Origin",
    "import_model",
    "load_model",
    "open_dimensions",
    "specialise",
]
