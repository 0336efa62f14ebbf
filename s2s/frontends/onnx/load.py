"""Read an ONNX model from a path, from bytes or from memory, and check that it is sound.

What comes out of `load_model` can be walked without surprises: one graph, known opsets, every name defined once and
before its use, nesting and sizes within limits (`structure.py`). The values of tensors are read later, one by one,
with `tensors.py`; external files are opened only there, through the onnx package, which refuses absolute paths,
`..`, links and ranges beyond the end of the file.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from google.protobuf.message import DecodeError
from onnx import IR_VERSION, ModelProto, OperatorSetIdProto

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.files import read_model_file
from s2s.frontends.limits import MAX_OPSET
from s2s.frontends.names import one_line
from s2s.frontends.onnx.names import canonical_domain
from s2s.frontends.onnx.sequences import returned_sequences, with_tensors_for
from s2s.frontends.onnx.structure import check_structure

ModelSource = str | os.PathLike[str] | bytes | ModelProto


class LoadedModel(NamedTuple):
    """A sound model, the folder its external data may lie in (None: it must carry its data), and a name for it."""

    proto: ModelProto
    folder: str | None
    label: str
    is_specialised: bool = False
    """Whether inputs were bound or dimensions sized, so that the file is another model."""

    def opsets(self) -> dict[str, int]:
        """Version of each domain the model imports."""
        return {canonical_domain(entry.domain): entry.version for entry in self.proto.opset_import}


def load_model(source: ModelSource) -> LoadedModel:
    """The checked model of a path, of the bytes of a file, or of a message in memory."""
    if isinstance(source, ModelProto):
        loaded = LoadedModel(source, None, one_line(source.graph.name) or "model")
    elif isinstance(source, bytes):
        loaded = LoadedModel(_parse(source, "model"), None, "model")
    else:
        path = Path(source)
        wanted = "a model, an .onnx, .tflite, .pt2 or .gguf file"
        data = read_model_file(path, wanted, "save the model with external data (onnx.save_model)")
        loaded = LoadedModel(_parse(data, str(path)), str(path.absolute().parent), str(path))
    _check_versions(loaded)
    check_structure(loaded.proto)
    sequences = returned_sequences(loaded.proto)
    if sequences:
        return loaded._replace(proto=with_tensors_for(loaded.proto, sequences), is_specialised=True)
    return loaded


def _parse(data: bytes, label: str) -> ModelProto:
    try:
        model = ModelProto.FromString(data)
    except DecodeError:
        raise InputError(
            f"{label}: is no ONNX model, or is damaged (no valid protobuf message); export the model again"
        ) from None
    if not model.HasField("graph") or not model.opset_import:
        raise InputError(f"{label}: holds no ONNX graph with an opset; give a file written by an ONNX exporter")
    return model


def _check_versions(loaded: LoadedModel) -> None:
    model = loaded.proto
    if model.ir_version > IR_VERSION:
        raise UnsupportedError(
            f"{loaded.label}: IR version {model.ir_version} is newer than {IR_VERSION}; "
            "save it with an older onnx package, or update the one s2s uses"
        )
    _check_opsets(model.opset_import, loaded.label)
    for function in model.functions:
        _check_opsets(function.opset_import, f"function {one_line(function.name)}")


def _check_opsets(imports: Sequence[OperatorSetIdProto], where: str) -> None:
    """Each domain in one version, which s2s reads; converters write equal imports twice."""
    versions: dict[str, int] = {}
    for entry in imports:
        domain = canonical_domain(entry.domain)
        if versions.get(domain, entry.version) != entry.version:
            raise InputError(
                f"{where}: imports opset domain {one_line(domain) or 'ai.onnx'!r} in versions {versions[domain]} and "
                f"{entry.version}; keep one of them"
            )
        if not 1 <= entry.version < 2**31:
            raise InputError(f"{where}: opset version {entry.version} is no positive 32-bit number; export it again")
        versions[domain] = entry.version
    if versions.get("", 1) > MAX_OPSET:
        raise UnsupportedError(
            f"{where}: opset {versions['']} is newer than {MAX_OPSET}; "
            "export with a supported opset, or convert with onnx.version_converter"
        )
