"""The numpy meanings of the routines of the runtime that `tensor.extern` and `loop.extern` call."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from s2s.errors import CompilerBug
from s2s.interpret.determinant import determinant
from s2s.interpret.fixed_fourier import fixed_fourier, fixed_inverse
from s2s.interpret.regions import max_regions, roi_align
from s2s.types.dtypes import Array

Routine = Callable[[Sequence[Array], Sequence[int]], list[Array]]
"""Takes the inputs as flat arrays, whose integers have the type that the name of the routine says, and the numbers."""

ELEMENTS: Mapping[str, str] = {
    "f32": "float32",
    "f64": "float64",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u64": "uint64",
    "bool": "bool",
}
"""The element types of routines, by the ends of their names."""


def first_places(x: Array, count: int, *, largest: bool) -> Array:
    """Return the positions of the first `count` elements along the last dimension in order.

    NaN counts as larger than every number; among equal elements the one with the lower position comes first.
    """
    if not largest:
        return np.argsort(x, axis=-1, kind="stable")[..., :count]
    back = np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return (x.shape[-1] - 1 - back)[..., :count]


def row_order(x: Array) -> Array:
    """Return the positions of the rows of a matrix in ascending lexicographic order, NaN behind all numbers."""
    return np.lexsort(x.T[::-1]).astype(np.int32)


def _select(inputs: Sequence[Array], numbers: Sequence[int], *, largest: bool) -> list[Array]:
    rows, size, count = numbers
    return [first_places(inputs[0].reshape(rows, size), count, largest=largest).astype(np.int32)]


def fourier(x: Array, bins: int, *, inverse: bool) -> Array:
    """Return the first `bins` numbers of Fourier transforms along the last dimension but one; the last dimension holds
    the parts of a number. The inverse transform is not divided by the size."""
    numbers = x[..., 0] + 1j * x[..., 1] if x.shape[-1] == 2 else x[..., 0].astype(np.float64)
    found = np.fft.ifft(numbers, norm="forward") if inverse else np.fft.fft(numbers)
    kept = found[..., :bins]
    return np.stack([kept.real, kept.imag], -1).astype(x.dtype)


def _fft(inputs: Sequence[Array], numbers: Sequence[int]) -> list[Array]:
    rows, size, parts, bins, inverse, _ = numbers
    return [fourier(inputs[0].reshape(rows, size, parts), bins, inverse=inverse != 0)]


def _fixed_fft(inputs: Sequence[Array], numbers: Sequence[int]) -> list[Array]:
    x, roots, turns = inputs
    return [fixed_fourier(x.reshape(tuple(numbers)), roots.reshape(-1, 2), turns.reshape(-1, 2))]


def _fixed_inverse(inputs: Sequence[Array], numbers: Sequence[int]) -> list[Array]:
    (x, roots, turns), (rows, size) = inputs, numbers
    return [fixed_inverse(x.reshape(rows, size // 2 + 1, 2), roots.reshape(-1, 2), turns.reshape(-1, 2))]


def first_nonzero(mask: Array, bound: int) -> Array:
    """Return the positions of the first `bound` true elements in a row, and zeros behind them if there are fewer."""
    found, places = np.flatnonzero(mask)[:bound], np.zeros(bound, np.int32)
    places[: found.size] = found
    return places


def suppressed(boxes: Array, scores: Array, overlap: Array, least: Array, most: int, *, is_centered: bool) -> Array:
    """Return for each image and class the numbers of at most `most` boxes that overlap little, -1 behind them."""
    found = np.full((*scores.shape[:2], most), -1, np.int32)
    low, high = _corners(boxes, is_centered=is_centered)
    areas = (high - low).prod(-1, dtype=np.float32)
    for image, kind in np.ndindex(scores.shape[:2]):
        row, taken = scores[image, kind], list[int]()
        for box in first_places(row, row.size, largest=True):
            if len(taken) == most or not row[box] > least:
                break
            sides = np.minimum(high[image, taken], high[image, box]) - np.maximum(low[image, taken], low[image, box])
            inner = sides.prod(-1, dtype=np.float32)
            union = areas[image, taken] + areas[image, box] - inner
            shares = (sides > 0).all(-1) & (areas[image, taken] > 0) & (areas[image, box] > 0)
            if not (shares & (inner / np.where(shares, union, np.float32(1)) > overlap)).any():
                taken.append(int(box))
        found[image, kind, : len(taken)] = taken
    return found


def _corners(boxes: Array, *, is_centered: bool) -> tuple[Array, Array]:
    """Return the lower and the upper corner of each box."""
    first, second = boxes[..., :2], boxes[..., 2:]
    if is_centered:
        half = second / np.float32(2)
        return first - half, first + half
    return np.minimum(first, second), np.maximum(first, second)


def _suppressed(inputs: Sequence[Array], numbers: Sequence[int]) -> list[Array]:
    images, classes, count, most, centered = numbers
    boxes, scores, overlap, least = inputs
    shaped = boxes.reshape(images, count, 4), scores.reshape(images, classes, count)
    return [suppressed(*shaped, overlap[0], least[0], most, is_centered=bool(centered))]


def _aligned(inputs: Sequence[Array], numbers: Sequence[int]) -> list[Array]:
    regions, rows, columns, ratio, largest, *image = numbers
    pixels, batch, starts, bins, sizes = inputs
    places = starts.reshape(regions, 2), bins.reshape(regions, 2)
    return [roi_align(pixels.reshape(image), batch, *places, sizes, (rows, columns), ratio, bool(largest))]


def _max_regions(inputs: Sequence[Array], numbers: Sequence[int]) -> list[Array]:
    regions, rows, columns, *image = numbers
    pixels, batch, high, wide = inputs
    ends = high.reshape(regions, rows, 2), wide.reshape(regions, columns, 2)
    return [max_regions(pixels.reshape(image), batch, *ends)]


def _determinant(inputs: Sequence[Array], numbers: Sequence[int]) -> list[Array]:
    count, size = numbers
    return [determinant(inputs[0].reshape(count, size, size))]


ROUTINES: Mapping[str, Routine] = {
    "determinant": _determinant,
    "largest": lambda inputs, numbers: _select(inputs, numbers, largest=True),
    "fft": _fft,
    "fixed_dft": _fixed_fft,
    "fixed_idft": _fixed_inverse,
    "max_regions": _max_regions,
    "nonzero": lambda inputs, numbers: [first_nonzero(inputs[0], numbers[1])],
    "roi_align": _aligned,
    "row_order": lambda inputs, numbers: [row_order(inputs[0].reshape(tuple(numbers)))],
    "suppressed": _suppressed,
    "smallest": lambda inputs, numbers: _select(inputs, numbers, largest=False),
}


def run_routine(name: str, inputs: Sequence[Array], numbers: Sequence[int]) -> list[Array]:
    """Compute the results of a routine, as flat arrays."""
    kind, _, element = name.rpartition("_")
    if kind not in ROUTINES or element not in ELEMENTS:
        raise CompilerBug(f"the runtime has no routine {name}")
    typed = [_typed(np.asarray(each, order="C").reshape(-1), np.dtype(ELEMENTS[element])) for each in inputs]
    return [np.asarray(each, order="C").reshape(-1) for each in ROUTINES[kind](typed, numbers)]


def _typed(x: Array, element: np.dtype[np.generic]) -> Array:
    """Return the elements of `x` as the integers that the routine is named after, where they are integers of that
    width."""
    return x.view(element) if element.kind != "f" and x.dtype.itemsize == element.itemsize else x
