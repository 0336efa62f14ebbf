"""The TFLite frontend: from a `.tflite` file to graph operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from s2s.frontends.imported import Imported
from s2s.frontends.tflite.load import LoadedModel, ModelSource, is_tflite, load_model
from s2s.types.size import Ledger

if TYPE_CHECKING:
    from s2s.frontends.tflite.node import Rounding


def import_model(
    model: ModelSource | LoadedModel,
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
    rounding: Rounding = "micro",
    ledger: Ledger | None = None,
) -> Imported:
    """Import a model. The operators of TFLite are loaded now, not with every ONNX model."""
    from s2s.frontends.tflite import importer

    return importer.import_model(model, shapes=shapes, name=name, rounding=rounding, ledger=ledger)


def open_inputs(model: LoadedModel) -> dict[str, list[int | str]]:
    """The inputs with sizes that the file leaves open, which have `?` in their stead."""
    from s2s.frontends.tflite import importer

    return importer.open_inputs(model.info)


__all__ = ["LoadedModel", "ModelSource", "import_model", "is_tflite", "load_model", "open_inputs"]
