"""Read model files of every format; the content of a file decides which frontend reads it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from onnx import ModelProto

from s2s.errors import InputError
from s2s.frontends import onnx, tflite, torch
from s2s.frontends.gguf import Decoder, is_gguf
from s2s.frontends.imported import Imported
from s2s.frontends.names import one_line
from s2s.frontends.recognition import format_of
from s2s.types.numbers import Numbers
from s2s.types.size import Ledger
from s2s.types.size_formulas import formula_of, own_names
from s2s.types.sizes import DimSize, InputShapes, at_most

if TYPE_CHECKING:
    from torch.export import ExportedProgram

    from s2s.frontends.tflite.node import Rounding

LoadedModel = onnx.LoadedModel | tflite.LoadedModel | torch.LoadedModel
ModelSource: TypeAlias = "str | os.PathLike[str] | bytes | ModelProto | ExportedProgram | Decoder | LoadedModel"


def load_model(source: ModelSource, *, trust: bool = False) -> LoadedModel:
    """The checked model of a path, of the bytes of a file, of an ONNX message, or of an exported program of PyTorch.

    The decoder of a GGUF file has a cache of its usual size.

    `trust` lets a file of PyTorch run code while it is read.
    """
    if isinstance(source, LoadedModel):
        return source
    if isinstance(source, Decoder):
        return onnx.load_model(source.model)._replace(folder=source.folder, label=source.label)
    if torch.is_torch(source):
        return torch.load_model(source, trust=trust)
    if is_gguf(source):
        from s2s.frontends.gguf.decoder import read_decoder

        return load_model(read_decoder(source))
    if not isinstance(source, str | os.PathLike | bytes | ModelProto):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"model: {type(source).__name__} given; give a path, the bytes of a file, an onnx.ModelProto or a "
            "torch.export.ExportedProgram"
        )
    if isinstance(source, bytes) and format_of(source) == "PyTorch":
        raise InputError("model: holds the bytes of a program of PyTorch; give the path of its file")
    return tflite.load_model(source) if tflite.is_tflite(source) else onnx.load_model(source)


def specialised(
    loaded: LoadedModel, bind: Mapping[str, Numbers], dims: Mapping[str, DimSize], named: Collection[str] = ()
) -> LoadedModel:
    """The model with the inputs in `bind` as constants, and with the sizes in `dims` of named dimensions of its inputs,
    where sizes vary the greatest. Other sizes in `dims` are left alone: they may be computed by the network, or `named`
    by the user."""
    if not isinstance(loaded, onnx.LoadedModel):
        if bind:
            raise InputError("--bind: is for ONNX models; make the input a constant before")
        return loaded
    texts, most = onnx.open_dimensions(loaded.proto), at_most(dims)
    formulas = {text: formula_of(text, {*own_names(texts), *dims}) for text in texts}
    names = list(dict.fromkeys(name for formula in formulas.values() for name in formula.names))
    unknown = next((name for name in dims if name not in names and name not in named), None)
    if unknown is not None and not dims.keys() >= set(names):  # rather a misspelt name than a size that is computed
        raise unknown_dimension(unknown, dims[unknown], names)
    sizes = {text: formula.at(most) for text, formula in formulas.items() if all(name in most for name in formula.used)}
    return onnx.specialise(loaded, bind, sizes) if bind or sizes else loaded


def batches_of_one(loaded: LoadedModel, shapes: InputShapes, dims: Mapping[str, DimSize]) -> dict[str, tuple[int, ...]]:
    """Return the shapes that inputs have in a batch of one, where the model leaves the batch open and the user as well:
    what every command takes, and says. `loaded` has the other sizes."""
    if not isinstance(loaded, onnx.LoadedModel):  # a TFLite model has a batch, a program bounds of it
        return {}
    return onnx.batches_of_one(loaded.proto, shapes, dims)


def fixed_sizes(loaded: LoadedModel) -> dict[str, dict[int, int]]:
    """Return the sizes that a program fixes although its export left them open, by input and dimension."""
    inputs = loaded.program.inputs if isinstance(loaded, torch.LoadedModel) else ()
    sizes = {port.name: {axis: port.info.shape[axis] for axis in port.fixed} for port in inputs}
    return {
        one_line(name): {axis: size for axis, size in axes.items() if size is not None}
        for name, axes in sizes.items()
        if axes
    }


def unknown_dimension(name: str, size: DimSize, known: Sequence[str]) -> InputError:
    """Return the error for a size of a dimension that no input has."""
    names = ", ".join(repr(one_line(each)) for each in known)
    way_out = (
        f"the open ones are {names}"
        if names
        else f"it has none with a name; name an axis, --shape x={one_line(name)},28,28"
    )
    return InputError(f"--dim {one_line(name)}={size}: no dimension of an input has this name; {way_out}")


def import_model(
    model: ModelSource | LoadedModel,
    *,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
    tflite_rounding: Rounding = "micro",
    sizes: Mapping[str, int] | None = None,
    ledger: Ledger | None = None,
) -> Imported:
    """Import a model; `shapes` fixes the shapes of inputs that the model leaves open, `sizes` open sizes by name;
    `ledger` has the symbols of sizes that vary from run to run."""
    loaded = model if isinstance(model, LoadedModel) else load_model(model)
    if isinstance(loaded, tflite.LoadedModel):
        return tflite.import_model(loaded, shapes=shapes, name=name, rounding=tflite_rounding, ledger=ledger)
    if isinstance(loaded, torch.LoadedModel):
        return torch.import_model(loaded, shapes=shapes, name=name, sizes=sizes, ledger=ledger)
    return onnx.import_model(loaded, shapes=shapes, name=name, ledger=ledger)


def digest(
    loaded: LoadedModel, bind: Mapping[str, Numbers], dims: Mapping[str, DimSize], named: Collection[str] = ()
) -> str:
    """SHA-256 of the model's file, in hexadecimal; of the specialised model if it came from memory."""
    if isinstance(loaded, tflite.LoadedModel):
        return hashlib.sha256(loaded.data).hexdigest()
    if isinstance(loaded, torch.LoadedModel):
        return loaded.digest()
    path = Path(loaded.label)
    if loaded.folder is not None and path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    made = specialised(loaded, bind, dims, named)
    assert isinstance(made, onnx.LoadedModel)
    return hashlib.sha256(made.proto.SerializeToString(deterministic=True)).hexdigest()
