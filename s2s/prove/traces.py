"""Which iterations at once accessed which cells."""

from __future__ import annotations

import numpy as np

from s2s.prove.values import Lanes, Running

NONE, SEVERAL = -1, -2


class Trace:
    """For each cell of a buffer the one iteration that accessed it, where a single one did.

    An iteration is one of the loops that ran at the access. Those of them that have run since do not matter: whatever
    comes later in an iteration of the loops around them comes after all of theirs.

        for (a ...) {                             at the store, x[9] is accessed by the iterations (a = 1, b = 2)
            for (b ...) rows[b] = x[7 * a + b];   and, as the loop over b has run, by the one a = 1,
            for (c ...) x[7 * a + c] = rows[c];   which is the one that stores
        }
    """

    def __init__(self, cells: int, lanes: Lanes) -> None:
        self.lanes = lanes
        self.by = np.full(cells, NONE)
        """The lane of the accessing loops, or one of the above."""
        self.depth = np.zeros(cells, np.int8)
        """How many of the loops of the last access these are."""
        self.loops: list[Running] = []
        """The loops of the last access."""

    def forget(self) -> None:
        """Let no cell be accessed."""
        self.by[:] = NONE

    def note(self, cells: np.ndarray, where: np.ndarray) -> None:
        """Note an access to the cells that `where` marks."""
        self._follow()
        accessed = cells[where]
        if cells.size != np.prod(self.lanes.shape):
            self.by[accessed] = SEVERAL
            return
        lane = np.flatnonzero(where)
        same = ~self._differ(accessed, lane)
        self.by[accessed] = np.where(same, lane, SEVERAL)
        self.depth[accessed] = self.lanes.depth
        self.by[accessed[self.by[accessed] != lane]] = SEVERAL

    def has(self, cells: np.ndarray) -> bool:
        """Whether one of the cells was accessed."""
        return bool(np.any(self.by[cells] != NONE))

    def has_of_others(self, cells: np.ndarray, where: np.ndarray) -> bool:
        """Whether one of the cells that `where` marks was accessed by an iteration that is not its own."""
        accessed = cells[where]
        if not self.has(accessed):
            return False
        self._follow()
        return cells.size != np.prod(self.lanes.shape) or bool(np.any(self._differ(accessed, np.flatnonzero(where))))

    def _differ(self, cells: np.ndarray, lane: np.ndarray) -> np.ndarray:
        """Which of the cells, one a lane, another iteration accessed."""
        by = self.by[cells]
        lanes = np.cumprod([1, *(count for _, count in self.lanes.loops)])
        depth = np.where(by >= 0, self.depth[cells], 0)
        return (by != NONE) & (by != lane % lanes[depth])

    def _follow(self) -> None:
        """Let accesses be of the loops that still run."""
        loops = self.lanes.loops
        pairs = enumerate(zip(loops, self.loops, strict=False))
        common = next((at for at, (now, then) in pairs if now is not then), min(len(loops), len(self.loops)))
        ended = (self.depth > common) & (self.by >= 0) if common < len(self.loops) else None
        if ended is not None and np.any(ended):
            outer = int(np.prod([count for _, count in loops[:common]]))
            self.by[ended] = self.by[ended] % outer if common else SEVERAL
            self.depth[ended] = common
        self.loops = list(loops)
