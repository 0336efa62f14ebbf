"""Which iterations at once accessed which cells."""

from __future__ import annotations

import numpy as np

from s2s.prove.values import Lanes, Running

NONE = -1


class Trace:
    """For each cell of a buffer the last iteration that accessed it, and whether it is the only one.

    Iterations are numbered in the order in which C runs them, and are those of the loops that ran at the access. Loops
    of these that have run since do not matter: what comes later in an iteration of the loops around them comes after
    all of theirs.

        for (a ...) {                             at the store, x[9] is accessed by the iteration (a = 1, b = 2)
            for (b ...) rows[b] = x[7 * a + b];   and, as the loop over b has run, by the one a = 1,
            for (c ...) x[7 * a + c] = rows[c];   which is the one that stores
        }
    """

    def __init__(self, cells: int, lanes: Lanes) -> None:
        self.lanes = lanes
        self.by = np.full(cells, NONE)
        """The number of the last iteration."""
        self.single = np.zeros(cells, bool)
        self.depth = np.zeros(cells, np.int8)
        """How many of the loops of the last access the iteration is one of."""
        self.loops: list[Running] = []
        """The loops of the last access."""

    def forget(self) -> None:
        """Let no cell be accessed."""
        self.by[:] = NONE

    def note(self, cells: np.ndarray, where: np.ndarray) -> None:
        """Note an access to the cells that `where` marks."""
        self._follow()
        accessed, number = cells[where], self._numbers(cells)[where]
        before, times = self.by[accessed], self._times()[self.depth[accessed]]
        alone = (before == NONE) | (self.single[accessed] & (before == number // times))
        self.single[accessed] = alone if cells.size == self.lanes.count else False
        later = (before == NONE) | (number >= before * times)
        self.by[accessed[later]] = np.where(before == NONE, NONE, before * times)[later]
        self.depth[accessed[later]] = self.lanes.depth
        np.maximum.at(self.by, accessed[later], number[later])
        self.single[accessed[self.by[accessed] != number]] = False

    def has(self, cells: np.ndarray) -> bool:
        """Whether one of the cells was accessed."""
        return bool(np.any(self.by[cells] != NONE))

    def has_of_others(self, cells: np.ndarray, where: np.ndarray) -> bool:
        """Whether one of the cells that `where` marks was accessed by an iteration that is not its own."""
        accessed = cells[where]
        if not self.has(accessed):
            return False
        current = self._current(cells, where)
        by = self.by[accessed]
        return bool(np.any((by != NONE) & ((by != current) | ~self.single[accessed]))) or cells.size != self.lanes.count

    def has_of_later(self, cells: np.ndarray, where: np.ndarray) -> bool:
        """Whether one of the cells that `where` marks, one a lane, was accessed by a later iteration."""
        accessed = cells[where]
        return self.has(accessed) and bool(np.any(self.by[accessed] > self._current(cells, where)))

    def _current(self, cells: np.ndarray, where: np.ndarray) -> np.ndarray:
        """The numbers of the iterations that access cells now, as of the loops of the last accesses to them."""
        self._follow()
        return self._numbers(cells)[where] // self._times()[self.depth[cells[where]]]

    def _numbers(self, cells: np.ndarray) -> np.ndarray:
        """The number of the last iteration that cells, an array with an axis a loop or flat, are of."""
        shape = self.lanes.shape
        numbers = np.arange(self.lanes.count).reshape(shape[::-1]).transpose()
        if cells.size == self.lanes.count:
            return numbers.reshape(cells.shape)
        full = (1,) * (len(shape) - cells.ndim) + cells.shape
        last = tuple(slice(None if extent == count else -1, None) for extent, count in zip(full, shape, strict=True))
        return np.broadcast_to(numbers[last].reshape(cells.shape), cells.shape)

    def _times(self) -> np.ndarray:
        """For each number of loops, how many iterations of all loops one of theirs is."""
        counts = [count for _, count in self.lanes.loops]
        return np.cumprod([1, *reversed(counts)])[::-1]

    def _follow(self) -> None:
        """Let accesses be of the loops that still run."""
        loops = self.lanes.loops
        pairs = enumerate(zip(loops, self.loops, strict=False))
        common = next((at for at, (now, then) in pairs if now is not then), min(len(loops), len(self.loops)))
        if common < len(self.loops):
            ended = np.flatnonzero((self.depth > common) & (self.by != NONE))
            inside = np.cumprod([1, *(count for _, count in self.loops[common:])])
            self.by[ended] //= inside[self.depth[ended] - common]
        self.depth[self.depth > common] = common
        self.loops = list(loops)
