"""Linear forms of atoms: canonical rows of terms, and primitive forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from s2s.support.frozen import frozen


@frozen(eq=False)
class Base:
    """A primitive linear form and its interval."""

    ids: np.ndarray
    coefficients: np.ndarray
    low: int
    high: int


@dataclass
class Rows:
    """Linear forms, one a row: terms of row i at bounds[i] to bounds[i + 1], ids ascending, no coefficient 0."""

    bounds: np.ndarray
    ids: np.ndarray
    coefficients: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """Terms of each row."""
        return np.diff(self.bounds)

    def picked(self, rows: np.ndarray) -> Rows:
        """Some of the rows."""
        counts = self.counts[rows]
        bounds = np.concatenate([[0], np.cumsum(counts)])
        moved: np.ndarray = np.repeat(self.bounds[rows] - bounds[:-1], counts)
        at = np.arange(len(moved)) + moved
        return Rows(bounds, self.ids[at], self.coefficients[at])

    def summed(self, terms: np.ndarray) -> np.ndarray:
        """The sum of `terms` over each row."""
        sums = np.concatenate([[0], np.cumsum(terms)])
        return sums[self.bounds[1:]] - sums[self.bounds[:-1]]


def rows_of(ids: np.ndarray, coefficients: np.ndarray) -> Rows:
    """Canonical linear forms of terms given as arrays of shape (rows, terms)."""
    count, width = len(ids), ids.shape[1]
    order = np.argsort(ids, axis=1, kind="stable")
    ids = np.take_along_axis(ids, order, 1).ravel()
    coefficients = np.take_along_axis(coefficients, order, 1).ravel()
    row: np.ndarray = np.repeat(np.arange(count), width)
    if ids.size:
        new = np.concatenate([[True], (ids[1:] != ids[:-1]) | (row[1:] != row[:-1])])
        starts = np.flatnonzero(new)
        coefficients = np.add.reduceat(coefficients, starts)
        keep = (coefficients != 0) & (ids[starts] != 0)
        ids, row, coefficients = ids[starts][keep], row[starts][keep], coefficients[keep]
    return Rows(np.searchsorted(row, np.arange(count + 1)), ids, coefficients)
