"""Read samples of a network's inputs from what people have: arrays, files of numpy, tables, folders, a function.

| source | becomes |
|---|---|
| arrays by name, `.npz` | one array for each input, samples along the first dimension |
| `.npy` | the array of the only input |
| `.csv`, `.parquet`, `.arrow` | columns (`s2s/data/tables.py`) |
| a folder of images or sounds | one sample a file, classes by subfolder (`s2s/data/folders.py`) |
| a folder of `datasets` | its Arrow or Parquet files |
| `FILE.py:FUNCTION` | what the function returns (`s2s/data/functions.py`) |
"""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from s2s.data.arrays import UNREADABLE, read_array, why
from s2s.data.specs import NAMES_SHOWN, Content, InputSpec, Labels, Samples, checked
from s2s.errors import InputError
from s2s.types.dtypes import Array

TABLES = (".csv", ".tsv", ".parquet", ".arrow")
SamplesSource = str | Path | Mapping[str, Array]


def read_samples(source: SamplesSource, inputs: Sequence[InputSpec], labels: Labels | None = None) -> Samples:
    """Return the samples of a source in the shapes of `inputs`. `labels` names the array or column with the class of
    each; a folder with subfolders needs no such name."""
    if isinstance(source, Mapping):
        arrays = {name: array for name, array in source.items() if labels is None or name != labels.name}
        numbers = None if labels is None else labels.of(source, "samples")
        return checked(Content(arrays, None if numbers is None else np.asarray(numbers)), inputs, "samples")
    if not isinstance(source, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"samples: {type(source).__name__} given; give a file or a folder, or arrays by input name")
    return checked(_content(Path(source), inputs, labels), inputs, str(source))


def _content(path: Path, inputs: Sequence[InputSpec], labels: Labels | None) -> Content:
    """Read a source of any kind."""
    file, colon, function = str(path).rpartition(":")
    if colon and file.endswith(".py"):
        from s2s.data.functions import called

        return called(Path(file), function, inputs, labels)
    if path.is_dir() or path.suffix.lower() in TABLES:
        from s2s.data import folders, tables

        if path.is_dir() and not tables.parts(path):
            return folders.read(path, inputs, labels)
        return tables.read(path, inputs, labels)
    if path.suffix == ".npy":
        if len(inputs) != 1 or (labels is not None and labels.required):
            raise InputError(f"{path}: holds one array; write inputs and labels by name with numpy.savez")
        return Content({inputs[0].name: read_array(path, str(path))})
    with opened(path) as archive:
        arrays = {spec.name: _member(archive, path, spec.name) for spec in inputs}
        named = None if labels is None else labels.of(dict.fromkeys(archive.files, labels.name), str(path))
        return Content(arrays, None if named is None else _member(archive, path, named))


def opened(path: Path) -> "np.lib.npyio.NpzFile[Any]":
    """Open the archive, without executing or reading anything in it."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; give a file of numpy, a table, a folder, or FILE.py:FUNCTION")
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path}: is no .npz file; write it with numpy.savez")
    try:
        archive = np.load(path, allow_pickle=False)
    except UNREADABLE as error:
        raise InputError(f"{path}: cannot be read ({why(error)}); write it again with numpy.savez") from None
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise InputError(f"{path}: is no .npz file; write it with numpy.savez")
    return cast("np.lib.npyio.NpzFile[Any]", archive)


def _member(archive: "np.lib.npyio.NpzFile[Any]", path: Path, name: str) -> Array:
    if name not in archive.files:
        held = ", ".join(map(repr, archive.files[:NAMES_SHOWN])) or "nothing"
        raise InputError(f"{path}: holds {held}, but no {name!r}; name the arrays after the inputs of the model")
    try:
        return archive[name]
    except UNREADABLE as error:
        raise InputError(
            f"{path}: array {name!r} cannot be read ({why(error)}); write it again with numpy.savez"
        ) from None
