"""The TFLite frontend: from a `.tflite` file to graph operations."""

from s2s.frontends.tflite.importer import import_model
from s2s.frontends.tflite.load import LoadedModel, ModelSource, is_tflite, load_model

__all__ = ["LoadedModel", "ModelSource", "import_model", "is_tflite", "load_model"]
