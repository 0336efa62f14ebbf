"""Read a TFLite model from a path or from bytes, and check that it is sound.

What comes out of `load_model` can be walked without surprises: every index lies in its list, every shape has a size,
every constant is as long as its shape says, and tensors are defined before their use (`checks.py`). The reader is
imported with the first TFLite model, so that models of other formats do not wait for it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from s2s.errors import InputError
from s2s.frontends.files import read_model_file
from s2s.frontends.names import one_line
from s2s.frontends.recognition import SIGNS, format_of

if TYPE_CHECKING:
    from s2s.frontends.tflite.records import ModelInfo

ModelSource = str | os.PathLike[str] | bytes


class LoadedModel(NamedTuple):
    """A sound model, its bytes, and a name for it; `path` is None where it came from memory."""

    info: ModelInfo
    data: bytes
    label: str
    path: Path | None

    @property
    def producer(self) -> str:
        """What wrote the file, as far as it says."""
        return one_line(self.info.description)


def is_tflite(source: object) -> TypeGuard[ModelSource]:
    """Whether `source` holds a TFLite model."""
    return format_of(source) == "TFLite"


def load_model(source: ModelSource) -> LoadedModel:
    """The checked model of a path or of the bytes of a file."""
    from s2s.frontends.tflite.checks import check_model
    from s2s.frontends.tflite.micro.compression import decompressed
    from s2s.frontends.tflite.read import read_model

    path = None if isinstance(source, bytes) else Path(source)
    label = "model" if path is None else str(path)
    data = source if isinstance(source, bytes) else read_model_file(Path(source), "a .tflite file", "split the model")
    place, identifier, _ = SIGNS["TFLite"]
    if not data.startswith(identifier, place):
        raise InputError(f"{label}: is no TFLite model (it lacks the identifier TFL3); give a .tflite file")
    info = decompressed(read_model(data, label))
    check_model(info)
    return LoadedModel(info, data, label, path)
