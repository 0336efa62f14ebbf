"""What loops that run at once load and store, so that memory is as if their iterations ran in order.

A store to places that differ in all lanes waits until the outermost loop has run; no load may meet it, nor another
store. A store to the same place in all iterations of some loops, as to a scratch that each iteration fills again, goes
to a copy of these loops' own (`Private`): a load finds what its own iteration stored there. In order, the last
iteration's copy is what remains, and it becomes the loop's own store when the loop has run.

    for (oh = 0; oh < 8; oh++) {                        rows is private to the loop over oh:
        for (i = 0; i < 9; i++) rows[i] = x[oh + i];    8 copies, of which lane oh fills its own
        for (i = 0; i < 9; i++) y[oh][i] = rows[i];     lane oh reads its own; y[oh][i] waits
    }                                                   rows becomes the copy of oh = 7

A load of a place that another iteration stored and its own did not, or that was loaded before a store to it, is a
`Conflict`: then the loop runs in order.
"""

from __future__ import annotations

import numpy as np

from s2s.prove.buffers import Buffer, Content, Pool
from s2s.prove.control import Conflict
from s2s.prove.ctypes import bytes_of
from s2s.prove.private import Level, Private, Shared
from s2s.prove.values import Lanes


class Transaction:
    """What loops that run at once have read and will write."""

    def __init__(self, lanes: Lanes, pool: Pool) -> None:
        self.lanes, self.pool = lanes, pool
        self.shared: dict[int, Shared] = {}
        """By buffer."""
        self.private: dict[int, list[Private]] = {}
        """By buffer, the copies of fewer loops first."""

    def load(self, buffer: Buffer, cells: np.ndarray, width: int) -> tuple[Buffer, np.ndarray]:
        """The buffer and the cells that hold what is at `cells` of a buffer in each lane."""
        if buffer.read_only:
            return buffer, cells
        levels = self.private.get(id(buffer), [])
        while levels and not levels[-1].holds_any(cells):
            levels = levels[:-1]
        if levels:
            cells = np.broadcast_to(cells, np.broadcast_shapes(cells.shape, levels[-1].shape))
        searched: list[Level] = [self._shared(buffer), *levels]
        for byte in range(width):
            rest = np.ones(cells.shape, bool)
            for level in reversed(searched):
                rest &= ~level.load(cells + byte, rest)
                if not np.any(rest):
                    break
        if not levels:
            return buffer, cells
        levels[-1].claim(cells, levels[:-1])
        return levels[-1].copies, levels[-1].at(cells)

    def store(self, buffer: Buffer, cells: np.ndarray, width: int, content: Content, depth: int) -> None:
        """Write to cells, one a lane, that are the same in all iterations of some of the `depth` outermost loops."""
        places = [cells + byte for byte in range(bytes_of(width))]
        if depth:
            self._store_in_copies(buffer, places, width, content, depth)
            return
        shared = self._shared(buffer)
        for at in places:
            if any(np.any(level.anywhere[at]) for level in self.private.get(id(buffer), [])):
                raise Conflict(self.lanes.loops[0][0])
            shared.store(at)
        if not buffer.are_distinct(cells):
            raise Conflict(self.lanes.loops[-1][0])
        shared.waiting.append((cells, width, content))

    def _store_in_copies(
        self, buffer: Buffer, places: list[np.ndarray], width: int, content: Content, depth: int
    ) -> None:
        """Write to the copies that belong to the outermost loops; `places` are the cells of each byte."""
        level = self._level(buffer, depth)
        levels = self.private[id(buffer)]
        at = levels.index(level)
        lower: list[Level] = [self._shared(buffer), *levels[:at]]
        deeper = levels[at + 1 :]
        for cells in places:
            if any(other.meets(cells) for other in lower) or any(other.holds_any(cells) for other in deeper):
                raise Conflict(level.loops[-1][0])
            level.store(cells)
        level.claim(places[0], levels[:at])
        level.write(self.pool, places[0], width, content)

    def leave(self) -> None:
        """The innermost loop has run: let its copies be what its last iteration stored; at last, write all."""
        for levels in self.private.values():
            if not levels or levels[-1].depth <= self.lanes.depth:
                continue
            level = levels.pop()
            parent = self._level(level.buffer, self.lanes.depth) if self.lanes.depth else None
            level.finish(parent, [other for other in levels if other is not parent])
        if not self.lanes.depth:
            for shared in self.shared.values():
                shared.write(self.pool)

    def _shared(self, buffer: Buffer) -> Shared:
        """What all lanes share of a buffer."""
        shared = self.shared.get(id(buffer))
        if shared is None:
            shared = self.shared[id(buffer)] = Shared(buffer, self.lanes)
        return shared

    def _level(self, buffer: Buffer, depth: int) -> Private:
        """The copies of a buffer that belong to the `depth` outermost loops."""
        levels = self.private.setdefault(id(buffer), [])
        private = next((level for level in levels if level.depth == depth), None)
        if private is None:
            private = Private(buffer, self.lanes, depth)
            levels.append(private)
            levels.sort(key=lambda level: level.depth)
        return private
