"""Read model files of every format; the content of a file decides which frontend reads it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from onnx import ModelProto

from s2s.errors import InputError
from s2s.frontends import onnx, tflite, torch
from s2s.frontends.gguf.decoder import Decoder
from s2s.frontends.imported import Imported
from s2s.types.numbers import Numbers
from s2s.types.sizes import DimSize, at_most

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from s2s.frontends.tflite.node import Rounding

ModelSource: TypeAlias = "str | os.PathLike[str] | bytes | ModelProto | ExportedProgram | Decoder"
LoadedModel = onnx.LoadedModel | tflite.LoadedModel | torch.LoadedModel


def load_model(source: ModelSource, *, trust: bool = False) -> LoadedModel:
    """The checked model of a path, of the bytes of a file, of an ONNX message, or of an exported program of PyTorch.

    `trust` lets a file of PyTorch run code while it is read.
    """
    if isinstance(source, Decoder):
        return onnx.load_model(source.model)._replace(folder=source.folder, label=source.label)
    if torch.is_torch(source):
        return torch.load_model(source, trust=trust)
    if not isinstance(source, str | os.PathLike | bytes | ModelProto):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"model: {type(source).__name__} given; give a path, the bytes of a file, an onnx.ModelProto or a "
            "torch.export.ExportedProgram"
        )
    return tflite.load_model(source) if tflite.is_tflite(source) else onnx.load_model(source)


def specialised(loaded: LoadedModel, bind: Mapping[str, Numbers], dims: Mapping[str, DimSize]) -> LoadedModel:
    """The model with the inputs in `bind` as constants, and with the sizes in `dims` of named dimensions, the greatest
    of those that vary."""
    if not bind and not dims:
        return loaded
    if not isinstance(loaded, onnx.LoadedModel):
        option, way_out = ("--bind", "make the input a constant before") if bind else ("--dim", "use --shape")
        raise InputError(f"{option}: is for ONNX models; {way_out}")
    return onnx.specialise(loaded, bind, at_most(dims))


def import_model(
    model: ModelSource | LoadedModel,
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
    tflite_rounding: Rounding = "micro",
) -> Imported:
    """Import a model; `shapes` fixes the shapes of inputs that the model leaves open."""
    loaded = model if isinstance(model, LoadedModel) else load_model(model)
    if isinstance(loaded, tflite.LoadedModel):
        return tflite.import_model(loaded, shapes=shapes, name=name, rounding=tflite_rounding)
    if isinstance(loaded, torch.LoadedModel):
        return torch.import_model(loaded, shapes=shapes, name=name)
    return onnx.import_model(loaded, shapes=shapes, name=name)


def digest(loaded: LoadedModel) -> str:
    """SHA-256 of the model's file, in hexadecimal."""
    if isinstance(loaded, tflite.LoadedModel):
        return hashlib.sha256(loaded.data).hexdigest()
    if isinstance(loaded, torch.LoadedModel):
        return loaded.digest()
    path = Path(loaded.label)
    if loaded.folder is not None and path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return hashlib.sha256(loaded.proto.SerializeToString(deterministic=True)).hexdigest()
