"""Read an operand of `tensor.compute` for a whole box of points at a time."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.lib.stride_tricks import as_strided

from s2s.dialects.tensor import AccessAttr
from s2s.errors import CompilerBug
from s2s.interpret.affine import LinearForm, linear_form
from s2s.types.dtypes import Array

Mask = Array | None
"""The points at which a guarded access is in bounds; None means all."""

BOX_POINTS = 1 << 16
"""Points of a box: few enough for the cache, many enough to amortise the overhead of Python."""


class Box(NamedTuple):
    """A block of the parallel domain: its slices, and the index along each dimension, in shapes that broadcast."""

    slices: tuple[slice, ...]
    grid: tuple[Array, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of points along each dimension."""
        return tuple(part.stop - part.start for part in self.slices)


def boxes(sizes: Sequence[int]) -> Iterator[Box]:
    """Split a domain into boxes of at most `BOX_POINTS` points."""
    steps = [1] * len(sizes)
    for dim in reversed(range(len(sizes))):
        steps[dim] = max(1, min(sizes[dim], BOX_POINTS // prod(steps)))
    starts = [range(0, size, step) for size, step in zip(sizes, steps, strict=True)]
    for corner in product(*starts):
        ends = [min(start + step, size) for start, step, size in zip(corner, steps, sizes, strict=True)]
        axes = [np.arange(start, end) for start, end in zip(corner, ends, strict=True)]
        yield Box(tuple(map(slice, corner, ends)), tuple(np.ix_(*axes)))


class Reader(Protocol):
    """An operand with its access map."""

    def read(self, box: Box, step: Sequence[int]) -> tuple[Array, Mask]:
        """Return the elements for all points of `box` at reduction `step`, and which of them exist; the others are
        0."""
        ...


def reader(place: str, operand: Array, access: AccessAttr, sizes: Sequence[int]) -> Reader:
    """Return the fastest reader of `operand` over a domain of these sizes."""
    affine = [linear_form(result, len(sizes)) for result in access.map.data.results]
    forms = [form for form in affine if form is not None]
    if len(forms) == len(affine) and all(divisor == 1 for divisor in access.division):
        return StridedReader(place, operand, access, sizes, forms)
    return GatherReader(place, operand, access)


class StridedReader:
    """Reads the operand through a strided view over the whole domain; zeros pad it where the access may be out of
    bounds."""

    def __init__(
        self, place: str, operand: Array, access: AccessAttr, sizes: Sequence[int], forms: Sequence[LinearForm]
    ) -> None:
        ranges = [form.range(sizes) for form in forms]
        self.checked = [
            (form, size)
            for form, (low, high), size in zip(forms, ranges, operand.shape, strict=True)
            if low < 0 or high >= size
        ]
        if self.checked and not access.is_guarded:
            raise CompilerBug(f"{place}: {access.map.data} leaves {list(operand.shape)} on the domain {list(sizes)}")
        margins = [(max(0, -low), max(0, high + 1 - n)) for (low, high), n in zip(ranges, operand.shape, strict=True)]
        padded = np.pad(operand, margins) if self.checked else operand
        origin = [slice(form.constant + before, None) for form, (before, _) in zip(forms, margins, strict=True)]
        strides = [
            sum(form.coefficients[dim] * stride for form, stride in zip(forms, padded.strides, strict=True))
            for dim in range(len(sizes))
        ]
        self.moves = [any(form.coefficients[dim] for form in forms) for dim in range(len(sizes))]
        shape = [size if moves else 1 for size, moves in zip(sizes, self.moves, strict=True)]
        self.view: Array = as_strided(padded[tuple(origin)], shape, strides, writeable=False)
        """The operand over the domain, of size 1 along dimensions that the access does not depend on."""

    def read(self, box: Box, step: Sequence[int]) -> tuple[Array, Mask]:
        """See `Reader`."""
        moves = iter(self.moves)
        still = slice(0, 1)
        where = [part if next(moves) else still for part in box.slices]
        value = self.view[(*where, *(index if next(moves) else 0 for index in step))]
        return value, self._mask(box, step)

    def _mask(self, box: Box, step: Sequence[int]) -> Mask:
        mask: Mask = None
        for form, size in self.checked:
            position = form.at((*box.grid, *step))
            hits = (position >= 0) & (position < size)
            mask = np.asarray(hits if mask is None else mask & hits)
        return mask


class GatherReader:
    """Reads each element by its computed position, for access maps and divisors that divide."""

    def __init__(self, place: str, operand: Array, access: AccessAttr) -> None:
        self.place = place
        self.operand = operand
        self.access = access

    def read(self, box: Box, step: Sequence[int]) -> tuple[Array, Mask]:
        """See `Reader`."""
        dims: list[Any] = [*box.grid, *step]
        positions, mask = list[Array](), np.array(True)
        for result, divisor, size in zip(
            self.access.map.data.results, self.access.division, self.operand.shape, strict=True
        ):
            position = np.asarray(result.eval(dims, []))
            mask = mask & (position % divisor == 0) & (position >= 0) & (position // divisor < size)
            positions.append(position // divisor)
        if mask.all():
            return self.operand[tuple(positions)], None
        if not self.access.is_guarded:
            raise CompilerBug(f"{self.place}: {self.access.map.data} leaves {list(self.operand.shape)} at step {step}")
        inside = tuple(np.where(mask, position, 0) for position in positions)
        value = self.operand[inside]
        return np.where(mask, value, np.zeros_like(value)), mask
