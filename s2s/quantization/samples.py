"""Read samples of a network's inputs, from arrays or an `.npz` file, and check them before use."""

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from s2s.data.arrays import UNREADABLE, why
from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

NAMES_SHOWN = 8
_NAMED = "name the arrays after the inputs of the model"
SamplesSource = str | Path | Mapping[str, Array]


@frozen
class InputSpec:
    """An input of a model; open dimensions are None."""

    name: str
    dtype: np.dtype[np.generic]
    shape: tuple[int | None, ...]

    def fits(self, shape: Sequence[int]) -> bool:
        """Return whether an array of `shape` is a value of this input."""
        return len(shape) == len(self.shape) and all(
            mine is None or mine == theirs for mine, theirs in zip(self.shape, shape, strict=True)
        )

    @property
    def text(self) -> str:
        """The shape as messages show it."""
        return f"[{', '.join('?' if size is None else str(size) for size in self.shape)}]"


@frozen
class Samples:
    """Arrays by input name; the first dimension counts samples."""

    arrays: Mapping[str, Array]
    count: int

    def __iter__(self) -> Iterator[dict[str, Array]]:
        for number in range(self.count):
            yield {name: array[number, ...] for name, array in self.arrays.items()}


def read_samples(source: SamplesSource, inputs: Sequence[InputSpec]) -> Samples:
    """Return the samples of an `.npz` file, or of a mapping of arrays, in the shapes of `inputs`."""
    if isinstance(source, Mapping):
        return _checked(source, inputs, "samples")
    if not isinstance(source, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"samples: {type(source).__name__} given; give an .npz file, or arrays by input name")
    path = Path(source)
    with opened(path) as archive:
        wanted = {spec.name: _member(archive, path, spec.name, _NAMED) for spec in inputs}
    return _checked(wanted, inputs, str(path))


def read_array(source: SamplesSource, name: str) -> Array:
    """Return an array of a source by its name."""
    if isinstance(source, Mapping):
        if name not in source:
            raise InputError(f"samples: hold no {name!r}; give an array of that name")
        return np.asarray(source[name])
    path = Path(source)
    with opened(path) as archive:
        return _member(archive, path, name, "give the name of one of these")


def without(source: SamplesSource, name: str) -> SamplesSource:
    """Return a source without an array that is no input."""
    return {key: array for key, array in source.items() if key != name} if isinstance(source, Mapping) else source


def opened(path: Path) -> "np.lib.npyio.NpzFile[Any]":
    """Open the archive, without executing or reading anything in it."""
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; give an .npz file with an array for each input")
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path}: is no .npz file; write it with numpy.savez")
    try:
        archive = np.load(path, allow_pickle=False)
    except UNREADABLE as error:
        raise InputError(f"{path}: cannot be read ({why(error)}); write it again with numpy.savez") from None
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise InputError(f"{path}: is no .npz file; write it with numpy.savez")
    return cast("np.lib.npyio.NpzFile[Any]", archive)


def _member(archive: "np.lib.npyio.NpzFile[Any]", path: Path, name: str, way_out: str) -> Array:
    if name not in archive.files:
        held = ", ".join(map(repr, archive.files[:NAMES_SHOWN])) or "nothing"
        raise InputError(f"{path}: holds {held}, but no {name!r}; {way_out}")
    try:
        return archive[name]
    except UNREADABLE as error:
        raise InputError(
            f"{path}: array {name!r} cannot be read ({why(error)}); write it again with numpy.savez"
        ) from None


def _checked(arrays: Mapping[str, Array], inputs: Sequence[InputSpec], place: str) -> Samples:
    unknown = sorted(set(arrays) - {spec.name for spec in inputs})
    if unknown:
        names = ", ".join(repr(spec.name) for spec in inputs)
        raise InputError(f"{place}: {unknown[0]!r} is no input of the model; its inputs are {names}")
    for spec in inputs:
        if spec.name not in arrays:
            raise InputError(f"{place}: holds no {spec.name!r}; give an array for each input of the model")
    shaped = {spec.name: _one_by_one(np.asarray(arrays[spec.name]), spec, place) for spec in inputs}
    counts = {name: len(array) for name, array in shaped.items()}
    if len(set(counts.values())) > 1:
        raise InputError(f"{place}: holds {counts} samples; give as many for one input as for another")
    count = next(iter(counts.values()), 0)
    if count == 0:
        raise InputError(f"{place}: holds no sample; some hundred typical ones are a good number")
    return Samples(shaped, count)


def _one_by_one(array: Array, spec: InputSpec, place: str) -> Array:
    """Return the array with a first dimension that counts samples of the shape of the input."""
    if array.dtype != spec.dtype:
        raise InputError(f"{place}: {spec.name!r} holds {array.dtype}, the model wants {spec.dtype}; convert it")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise InputError(f"{place}: {spec.name!r} holds infinities or NaN; leave these samples out")
    if array.ndim and spec.fits(array.shape[1:]):
        return array
    batched = (array.shape[0], 1, *array.shape[1:]) if array.ndim else ()
    if batched and spec.fits(batched[1:]):
        return array.reshape(batched)
    raise InputError(
        f"{place}: {spec.name!r} has shape {list(array.shape)}; the model wants samples of shape {spec.text}, "
        "one after the other along a new first dimension"
    )
