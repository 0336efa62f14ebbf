"""Read a folder of images or sounds: each file is a sample of the network's only input, each subfolder a class."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from s2s.data.media import Taken, decode, is_media
from s2s.data.specs import Content, InputSpec, Labels
from s2s.errors import InputError
from s2s.support import progress


def read(folder: Path, inputs: Sequence[InputSpec], labels: Labels | None) -> Content:
    """Decode the files below a folder. Subfolders are the classes, in the order of their names, or of their numbers
    where all are numbers; a folder without subfolders has no classes."""
    if labels is not None and labels.required:
        raise InputError(f"{folder}: its subfolders are the classes; leave --labels {labels.name} out")
    if len(inputs) != 1:
        raise InputError(f"{folder}: files of one input, and the model has {len(inputs)}; give an .npz file")
    files = sorted(file for file in folder.rglob("*") if file.is_file() and is_media(file))
    if not files:
        raise InputError(f"{folder}: holds no image and no sound; give a folder of these, or of Arrow or Parquet files")
    classes = _classes(folder, files)
    taken = Taken(inputs[0].constant_shape(str(folder)), inputs[0].dtype, inputs[0].rate)
    arrays = np.empty((len(files), *taken.shape), taken.dtype)
    for number, file in enumerate(files):
        progress.step(f"reading sample {number + 1} of {len(files)}")
        arrays[number] = decode(file, str(file), taken).array
    names = [str(file.relative_to(folder)) for file in files]
    numbers = np.array([classes.index(Path(name).parts[0]) for name in names]) if classes else None
    return Content({inputs[0].name: arrays}, numbers, classes, names)


def _classes(folder: Path, files: Sequence[Path]) -> list[str]:
    """Return the names of the subfolders; none where no file lies in one."""
    below = [file.relative_to(folder).parts for file in files]
    classes = sorted({parts[0] for parts in below if len(parts) > 1})
    loose = next((parts[0] for parts in below if len(parts) == 1), None)
    if classes and loose is not None:
        raise InputError(f"{folder}: {loose} lies in no subfolder, and others do; sort it into the one of its class")
    return sorted(classes, key=int) if all(name.isdecimal() for name in classes) else classes
