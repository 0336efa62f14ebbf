"""Buffers of the abstract machine: objects of C that pointers go into, in cells; the forms in cells lie in a pool."""

from __future__ import annotations

import numpy as np

from s2s.prove.ctypes import REAL, IntType, bytes_of
from s2s.support.frozen import frozen

INSIDE = 255
"""The width of a byte inside an element."""


class Pool:
    """The terms of all forms in memory, one after the other."""

    def __init__(self) -> None:
        self.ids = np.zeros(1 << 16, np.int64)
        self.coefficients = np.zeros(1 << 16, np.int64)
        self.used = 0

    def append(self, ids: np.ndarray, coefficients: np.ndarray) -> int:
        """Store terms; return where they begin."""
        start, end = self.used, self.used + len(ids)
        while end > len(self.ids):
            self.ids = np.concatenate([self.ids, np.zeros_like(self.ids)])
            self.coefficients = np.concatenate([self.coefficients, np.zeros_like(self.coefficients)])
        self.ids[start:end], self.coefficients[start:end] = ids, coefficients
        self.used = end
        return start


@frozen(eq=False)
class Content:
    """What a store writes: for each cell a number, and atoms with their coefficients as (cells, terms)."""

    numbers: np.ndarray
    ids: np.ndarray | None = None
    coefficients: np.ndarray | None = None


class Buffer:
    """An object of C of `size` bytes, in cells of `unit` bytes; a constant array has one type."""

    ctype: IntType | None = None

    def __init__(self, name: str, size: int, unit: int = 1, *, constant: bool = False) -> None:
        cells = size // unit
        self.name, self.size, self.unit, self.constant = name, size, unit, constant
        self.read_only = constant
        self.numbers = np.zeros(cells, np.int64)
        self.starts = np.zeros(cells, np.int64)
        self.counts = np.zeros(cells, np.int64)
        self.widths = np.zeros(cells, np.uint8)
        self.marks = np.zeros(0 if constant else cells, np.int32)

    def grow(self, cells: int) -> None:
        """Add cells that hold nothing."""
        more = Buffer(self.name, cells)
        self.numbers, self.starts, self.counts, self.widths, self.marks = (
            np.concatenate(pair)
            for pair in (
                (self.numbers, more.numbers),
                (self.starts, more.starts),
                (self.counts, more.counts),
                (self.widths, more.widths),
                (self.marks, more.marks),
            )
        )
        self.size += cells

    def are_distinct(self, cells: np.ndarray) -> bool:
        """Whether no two cells are the same: of two, one overwrites the other's mark."""
        marks = np.arange(len(cells))
        self.marks[cells] = marks
        return bool(np.all(self.marks[cells] == marks))

    @classmethod
    def of_numbers(cls, name: str, numbers: np.ndarray, ctype: IntType) -> Buffer:
        """A constant array."""
        buffer = cls(name, len(numbers) * ctype.size, ctype.size, constant=True)
        buffer.numbers = numbers.astype(np.int64)
        buffer.widths[:] = ctype.width
        buffer.ctype = ctype
        return buffer

    def write(self, pool: Pool, cells: np.ndarray, width: int, content: Content) -> None:
        """Let elements of a width (`IntType.width`) begin at cells; what they overlap is no more."""
        self._clear(cells, width)
        self.numbers[cells] = content.numbers
        self.counts[cells] = 0
        if content.ids is not None and content.coefficients is not None:
            terms = content.ids.shape[1]
            start = pool.append(content.ids.reshape(-1), content.coefficients.reshape(-1))
            self.starts[cells] = start + terms * np.arange(len(cells))
            self.counts[cells] = (content.ids[:, 0] != 0).astype(np.int64) if terms == 1 else terms

    def _clear(self, cells: np.ndarray, width: int) -> None:
        """Let elements that a store overlaps be no more."""
        units = max(1, bytes_of(width) // self.unit)
        if self.unit > 1 or np.all(self.widths[cells] == width):
            self.widths[cells] = width
            return
        for before in range(1, 8):
            at = cells - before
            at = at[at >= 0]
            widths = self.widths[at]
            self.widths[at[((widths & (REAL - 1)) > before) & (widths != INSIDE)]] = 0
        for inside in range(units):
            self.widths[cells + inside] = INSIDE
        self.widths[cells] = width
