"""Inputs of networks as readers of data see them, and samples that are checked against them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

NAMES_SHOWN = 8


@frozen
class InputSpec:
    """An input of a model; open dimensions are None."""

    name: str
    dtype: np.dtype[np.generic]
    shape: tuple[int | None, ...]
    rate: int | None = None
    """The samples of sound in a second, where the network states them."""

    def fits(self, shape: Sequence[int]) -> bool:
        """Return whether an array of `shape` is a value of this input."""
        return len(shape) == len(self.shape) and all(
            mine is None or mine == theirs for mine, theirs in zip(self.shape, shape, strict=True)
        )

    @property
    def text(self) -> str:
        """The shape as messages show it."""
        return f"[{', '.join('?' if size is None else str(size) for size in self.shape)}]"

    def constant_shape(self, place: str) -> tuple[int, ...]:
        """Return the shape; raise `InputError` where it is open."""
        sizes = tuple(size for size in self.shape if size is not None)
        if len(sizes) < len(self.shape):
            raise InputError(f"{place}: input {self.name!r} has the open shape {self.text}; give --shape {self.name}:…")
        return sizes


@frozen
class Samples:
    """Arrays by input name; the first dimension counts samples."""

    arrays: Mapping[str, Array]
    count: int
    labels: Sequence[int] | None = None
    """The class of each sample, from 0, where it is known."""
    classes: Sequence[str] = ()
    """The names of the classes, where they have some."""
    names: Sequence[str] = ()
    """The files that the samples are from, where each has one."""

    def __iter__(self) -> Iterator[dict[str, Array]]:
        for number in range(self.count):
            yield {name: array[number, ...] for name, array in self.arrays.items()}

    def named(self, number: int) -> str:
        """The name of a sample for readers: its file, or its number."""
        return self.names[number] if self.names else str(number)

    def title(self, label: int) -> str:
        """The name of a class for readers, or its number."""
        return self.classes[label] if label < len(self.classes) else str(label)


class Labels(NamedTuple):
    """The array or column with the class of each sample."""

    name: str
    required: bool = True
    """Whether a source without it is refused."""

    def of(self, held: Mapping[str, Any], place: str) -> Any:
        """Return what a source holds under the name; None where it holds nothing, and need not."""
        if self.name not in held and self.required:
            shown = ", ".join(map(repr, list(held)[:NAMES_SHOWN])) or "nothing"
            raise InputError(f"{place}: holds {shown}, but no {self.name!r}; give --labels the name of one of these")
        return held.get(self.name)


class Content(NamedTuple):
    """What a source holds: arrays by input name, and labels with one entry for each sample."""

    arrays: Mapping[str, Array]
    labels: Array | None = None
    classes: Sequence[str] = ()
    names: Sequence[str] = ()


def checked(content: Content, inputs: Sequence[InputSpec], place: str) -> Samples:
    """Return the samples of a source in the shapes and types of `inputs`; errors begin with `place`."""
    arrays = content.arrays
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
    if content.labels is None:
        return Samples(shaped, count, names=content.names)
    labels, classes = numbered(content.labels, content.classes, count, place)
    return Samples(shaped, count, labels, classes, content.names)


def numbered(labels: Array, classes: Sequence[str], count: int, place: str) -> tuple[list[int], Sequence[str]]:
    """Return the class of each sample as a number from 0, and the names of the classes; texts are numbered in order."""
    flat = labels.reshape(-1)
    if len(flat) != count or flat.dtype.kind not in "iuU":
        fact = f"labels are {labels.dtype}{list(labels.shape)}, and there are {count} samples"
        raise InputError(f"{place}: {fact}; give one whole number from 0, or one text, for each")
    if flat.dtype.kind == "U":
        classes = sorted({str(label) for label in flat})
        return [classes.index(str(label)) for label in flat], classes
    if flat.min(initial=0) < 0:
        raise InputError(f"{place}: labels hold {flat.min()}; number the classes from 0")
    return [int(label) for label in flat], classes


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
