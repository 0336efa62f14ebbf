"""Which iterations at once accessed which cells."""

from __future__ import annotations

import numpy as np

from s2s.prove.values import Lanes, Running

NONE, SEVERAL = -1, -2


class Trace:
    """For each cell of a buffer the one lane that accessed it, where a single one did."""

    def __init__(self, cells: int, lanes: Lanes) -> None:
        self.lanes = lanes
        self.by = np.full(cells, NONE)
        self.loops: list[Running] = []
        """The loops that ran at the last access; lanes of other ones are not compared."""

    def forget(self) -> None:
        """Let no cell be accessed."""
        self.by[:] = NONE

    def note(self, cells: np.ndarray, where: np.ndarray) -> None:
        """Note an access to the cells that `where` marks, in lanes along the last axes of both."""
        self._compare_loops()
        accessed = cells[where]
        if cells.shape != self.lanes.shape and cells.size != np.prod(self.lanes.shape):
            self.by[accessed] = SEVERAL
            return
        lane = np.flatnonzero(where)
        new = self.by[accessed] == NONE
        self.by[accessed[new]] = lane[new]
        self.by[accessed[self.by[accessed] != lane]] = SEVERAL

    def has(self, cells: np.ndarray) -> bool:
        """Whether one of the cells was accessed."""
        return bool(np.any(self.by[cells] != NONE))

    def has_of_others(self, cells: np.ndarray, where: np.ndarray) -> bool:
        """Whether one of the cells that `where` marks was accessed by another lane than its own."""
        accessed = self.by[cells[where]]
        if np.all(accessed == NONE):
            return False
        self._compare_loops()
        accessed = self.by[cells[where]]
        if cells.size != np.prod(self.lanes.shape):
            return True
        return bool(np.any((accessed != NONE) & (accessed != np.flatnonzero(where))))

    def _compare_loops(self) -> None:
        """Where other loops run now than at the last access, no lane of these is known any more."""
        loops = self.lanes.loops
        if len(loops) != len(self.loops) or any(a is not b for a, b in zip(loops, self.loops, strict=True)):
            self.by[self.by >= 0] = SEVERAL
            self.loops = list(loops)
