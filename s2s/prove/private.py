"""The levels of memory while loops run at once: what all lanes share, and copies that belong to some loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from s2s.prove.buffers import Buffer, Content, Pool
from s2s.prove.control import Conflict
from s2s.prove.ctypes import bytes_of
from s2s.prove.traces import Trace
from s2s.prove.values import Lanes, Running

PAGE = 8
"""Bytes that are copied together: no element goes beyond, as each lies at a multiple of its width."""
BYTES = np.arange(PAGE)
MAX_COPIES = 1 << 23
"""Cells of all copies of a buffer."""


class Shared:
    """A buffer as it was before the loops, and the stores to it that wait."""

    depth = 0

    def __init__(self, buffer: Buffer, lanes: Lanes) -> None:
        self.buffer, self.lanes = buffer, lanes
        self.loaded = Trace(len(buffer.numbers), lanes)
        self.stored = np.zeros(len(buffer.numbers), bool)
        self.waiting: list[tuple[np.ndarray, int, Content]] = []

    def load(self, cells: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """Note a load of the cells that `rest` marks, which may meet no store; all of them are here."""
        if np.any(self.stored[cells[rest]]):
            raise Conflict(self.lanes.loops[0][0])
        self.loaded.note(cells, rest)
        return rest

    def store(self, cells: np.ndarray) -> None:
        """Note a store, which may meet no store, nor a load of a later iteration, as loads find what was before."""
        if np.any(self.stored[cells]) or self.loaded.has_of_later(cells, np.ones(cells.shape, bool)):
            raise Conflict(self.lanes.loops[0][0])
        self.stored[cells] = True

    def meets(self, cells: np.ndarray) -> bool:
        """Whether one of the cells was loaded or stored."""
        return bool(np.any(self.stored[cells])) or self.loaded.has(cells)

    def write(self, pool: Pool) -> None:
        """Write what waited."""
        for cells, width, content in self.waiting:
            self.buffer.write(pool, cells, width, content)


class Private:
    """Copies of parts of a buffer, one for each iteration of the outermost loops, by pages."""

    def __init__(self, buffer: Buffer, lanes: Lanes, depth: int) -> None:
        self.buffer, self.lanes, self.depth = buffer, lanes, depth
        self.loops = lanes.loops[:depth]
        self.shape = tuple(count for _, count in reversed(self.loops))
        self.count = int(np.prod(self.shape))
        """Copies."""
        self.places = np.full(-(-len(buffer.numbers) // PAGE), -1)
        """Where the copies of a page are; -1 of one that has none."""
        self.pages = np.zeros(0, np.int64)
        """The pages that have copies."""
        self.copies = Buffer(buffer.name, 0)
        self.written = np.zeros(0, bool)
        """Which cells of the copies their own iteration wrote."""
        self.anywhere = np.zeros(len(buffer.numbers), bool)
        """Which cells of the buffer some iteration wrote."""
        self.inner: Running | None = None
        """The loop inside of this level's that ran at the last access; its iterations share each copy."""
        self.loaded = Trace(len(buffer.numbers), lanes)
        self.stored = Trace(len(buffer.numbers), lanes)
        """What the iterations of the inner loop loaded and stored."""

    def holds_any(self, cells: np.ndarray) -> bool:
        """Whether there are copies of one of the cells."""
        return bool(np.any(self.places[cells // PAGE] >= 0))

    def at(self, cells: np.ndarray) -> np.ndarray:
        """Where each lane's copies of cells are, of which the last axes are all of this level's lanes."""
        lane = np.arange(cells.size).reshape(cells.shape) % self.count
        return (self.places[cells // PAGE] * self.count + lane) * PAGE + cells % PAGE

    def load(self, cells: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """Note a load of the cells that `rest` marks; tell which of all cells the lane itself wrote."""
        inner = self._inner_loop()
        if inner is not None:
            if self.stored.has_of_others(cells, rest):
                raise Conflict(inner[0])
            self.loaded.note(cells, rest)
        own = self.places[cells // PAGE] >= 0
        own[own] = self.written[self.at(cells)[own]]
        if np.any(self.anywhere[cells] & rest & ~own):
            raise Conflict(self.loops[-1][0])
        return own

    def store(self, cells: np.ndarray) -> None:
        """Note a store, which may not meet another one, nor a load, of other iterations of the inner loop."""
        inner = self._inner_loop()
        if inner is not None:
            where = np.ones(cells.shape, bool)
            if self.stored.has_of_others(cells, where) or self.loaded.has_of_others(cells, where):
                raise Conflict(inner[0])
            self.stored.note(cells, where)
        self.anywhere[cells] = True

    def meets(self, cells: np.ndarray) -> bool:
        """Whether the inner loop loaded or stored one of the cells."""
        return self._inner_loop() is not None and (self.stored.has(cells) or self.loaded.has(cells))

    def _inner_loop(self) -> Running | None:
        """The loop that runs inside of this level's; what another one did before is no conflict."""
        inner = self.lanes.loops[self.depth] if self.lanes.depth > self.depth else None
        if inner is not self.inner:
            self.inner = inner
            self.loaded.forget()
            self.stored.forget()
        return inner

    def claim(self, cells: np.ndarray, lower: Sequence[Private]) -> None:
        """Make copies of the pages of cells: of what the levels below hold, the last one first, or the buffer."""
        wanted = cells // PAGE
        if np.all(self.places[wanted] >= 0):
            return
        wanted = np.unique(wanted)
        wanted = wanted[self.places[wanted] < 0]
        self._grow(wanted)
        lanes = np.arange(self.count)
        for level in reversed(lower):
            held = level.places[wanted] >= 0
            at = self._cells(self.places[wanted[held]], lanes)
            _copy(level.copies, level._cells(level.places[wanted[held]], lanes % level.count), self.copies, at)
            wanted = wanted[~held]
        source = np.minimum(wanted[:, None, None] * PAGE + BYTES, len(self.buffer.numbers) - 1)
        at = self._cells(self.places[wanted], lanes)
        _copy(self.buffer, np.broadcast_to(source, at.shape), self.copies, at)

    def _grow(self, wanted: np.ndarray) -> None:
        """Make place for the copies of more pages."""
        used = len(self.pages)
        self.places[wanted] = used + np.arange(len(wanted))
        self.pages = np.concatenate([self.pages, wanted])
        cells = len(self.pages) * self.count * PAGE
        if cells > MAX_COPIES:
            raise Conflict(self.loops[-1][0])
        if cells > len(self.written):
            more = max(cells, 2 * len(self.written)) - len(self.written)
            self.written = np.concatenate([self.written, np.zeros(more, bool)])
            self.copies.grow(more)

    def _cells(self, places: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """The cells of copies, as (places, lanes, bytes)."""
        return ((places[:, None] * self.count + lanes) * PAGE)[..., None] + BYTES

    def write(self, pool: Pool, cells: np.ndarray, width: int, content: Content) -> None:
        """Store in the copies, at one cell a lane."""
        at = self.at(cells)
        if not self.copies.are_distinct(at):
            raise Conflict(self.lanes.loops[-1][0])
        self.copies.write(pool, at, width, content)
        for byte in range(bytes_of(width)):
            self.written[at + byte] = True

    def finish(self, parent: Private | None, lower: Sequence[Private]) -> None:
        """The innermost loop has run: let its last iteration's copies be its parent's, or the buffer.

        Raises Conflict where another iteration wrote more.
        """
        loop, times = self.loops[-1]
        outer = self.count // times
        used = len(self.pages) * self.count * PAGE
        written = self.written[:used].reshape(len(self.pages), times, outer, PAGE)
        if np.any(written[:, :-1] & ~written[:, -1:]):
            raise Conflict(loop)
        some = np.flatnonzero(np.any(written[:, -1], axis=(1, 2)))
        pages = self.pages[some]
        at = self._cells(some, (times - 1) * outer + np.arange(outer))
        if parent is None:
            cells = pages[:, None, None] * PAGE + BYTES
            there = cells < len(self.buffer.numbers)
            _copy(self.copies, at[there], self.buffer, cells[there])
            return
        parent.claim(pages * PAGE, lower)
        to = parent._cells(parent.places[pages], np.arange(outer))
        _copy(self.copies, at, parent.copies, to)
        parent.written[to] |= self.written[at]
        parent.anywhere |= self.anywhere


Level = Shared | Private


def _copy(source: Buffer, cells: np.ndarray, to: Buffer, at: np.ndarray) -> None:
    """Let cells of a buffer be as others are."""
    to.numbers[at] = source.numbers[cells]
    to.starts[at] = source.starts[cells]
    to.counts[at] = source.counts[cells]
    to.widths[at] = source.widths[cells]
