"""Plan offsets for buffers that may partly overlap.

An output may start at some distances from an input that dies as it is made (`s2s.memory.distances`). So two buffers
that live at one time are related by open intervals that must not contain the difference of their offsets. Buffers `a`
of 100 bytes and `b` of 60 that must not overlap forbid `b - a` in (-60, 100); if `b` may be computed over the start of
`a`, only (0, 100) is forbidden, and both start at 0 in an arena of 100 bytes. Buffers are placed one after the other,
each at the end of the interval where the arena grows least. The arena may grow at both ends, so that a chain of kernels
that each move a few bytes down finds room. The search varies the order of placement.
"""

import random
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from math import lcm
from typing import NamedTuple

from s2s.memory.buffers import Buffer, Overlap, align_up
from s2s.memory.distances import Interval

SEED = 20
WORK = 400_000
"""The number of intervals that one search may examine."""


class Slides(NamedTuple):
    """Buffers, and for each one the others that live at the same time, with the forbidden differences `mine -
    theirs`."""

    buffers: tuple[Buffer, ...]
    related: tuple[Mapping[int, tuple[Interval, ...]], ...]

    @classmethod
    def of(cls, buffers: Sequence[Buffer], overlaps: Sequence[Overlap]) -> "Slides":
        """Relate all nonempty buffers that live at the same time."""
        kept = tuple(buffer for buffer in buffers if buffer.size)
        allowed = {(overlap.output, overlap.input): overlap.forbidden for overlap in overlaps}
        related: list[dict[int, tuple[Interval, ...]]] = [{} for _ in kept]
        active: list[int] = []
        for index in sorted(range(len(kept)), key=lambda i: (kept[i].first, i)):
            mine = kept[index]
            active = [other for other in active if kept[other].last >= mine.first]
            for other in active:
                theirs = kept[other]
                known = allowed.get((mine.name, theirs.name))
                intervals = ((-mine.size, theirs.size),) if known is None else known
                related[index][other] = intervals
                related[other][index] = tuple((-high, -low) for low, high in reversed(intervals))
            active.append(index)
        return cls(kept, tuple(related))

    def extent(self, offsets: Sequence[int]) -> int:
        """Return the bytes from the start of the lowest buffer to the end of the highest."""
        if not offsets:
            return 0
        ends = [offset + buffer.size for offset, buffer in zip(offsets, self.buffers, strict=True)]
        return max(ends) - min(offsets)

    def place(self, order: Sequence[int]) -> list[int]:
        """Return the offsets when the buffers are placed in this order; the lowest may be negative."""
        offsets: dict[int, int] = {}
        low: int = 0
        high: int = 0
        for index in order:
            size = self.buffers[index].size
            best = min(
                self._candidates(index, offsets, low, high),
                key=lambda offset: (max(high, offset + size) - min(low, offset), offset),
            )
            if not offsets:
                low, high = best, best + size
            offsets[index] = best
            low, high = min(low, best), max(high, best + size)
        return [offsets[index] for index in range(len(order))]

    def _candidates(self, index: int, offsets: Mapping[int, int], low: int, high: int) -> Iterator[int]:
        """Yield candidate offsets of buffer `index`: the ends of intervals that placed buffers forbid, and both ends of
        the arena."""
        align, size = self.buffers[index].align, self.buffers[index].size
        forbidden = _union(
            (offsets[other] + start, offsets[other] + end)
            for other, intervals in self.related[index].items()
            if other in offsets
            for start, end in intervals
        )
        starts = [start for start, _ in forbidden]
        edges = {align_up(low, align), (high - size) // align * align}
        edges |= {start // align * align for start, _ in forbidden} | {align_up(end, align) for _, end in forbidden}
        for edge in edges:
            at = bisect_left(starts, edge) - 1
            if at < 0 or forbidden[at][1] <= edge:
                yield edge


def _union(intervals: Iterator[Interval]) -> list[Interval]:
    """Merge open intervals that overlap, in ascending order."""
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def slide(
    buffers: Sequence[Buffer], overlaps: Sequence[Overlap], bound: int, work: int = WORK
) -> tuple[dict[str, int], int]:
    """Return offsets by name and the size of the arena; the search stops when the size reaches `bound`."""
    slides = Slides.of(buffers, overlaps)
    align = lcm(*(buffer.align for buffer in slides.buffers))
    best = _search(slides, bound, work)
    shift = -(min(best, default=0) // align) * align
    offsets = {buffer.name: 0 for buffer in buffers}
    offsets |= {buffer.name: offset + shift for buffer, offset in zip(slides.buffers, best, strict=True)}
    return offsets, max((offset + shift + b.size for b, offset in zip(slides.buffers, best, strict=True)), default=0)


def _search(slides: Slides, bound: int, work: int) -> list[int]:
    """Return the best placement: of some good orders, then of their neighbours by threshold accepting."""
    count = len(slides.buffers)
    rounds = min(2_000, work // max(1, count + sum(map(len, slides.related))))
    found = [
        (slides.extent(offsets := slides.place(order)), number, order, offsets)
        for number, order in enumerate(_orders(slides))
    ]
    size, _, order, best = min(found)
    current, rng = size, random.Random(SEED)
    for number in range(rounds):
        if size <= bound or count < 2:
            break
        candidate = list(order)
        moved = candidate.pop(rng.randrange(count))
        candidate.insert(rng.randrange(count), moved)
        offsets = slides.place(candidate)
        extent = slides.extent(offsets)
        if extent <= current + 0.02 * bound * (1 - number / rounds):
            order, current = candidate, extent
            if extent < size:
                size, best = extent, offsets
    return best


def _orders(slides: Slides) -> Iterator[list[int]]:
    """Yield orders: large buffers first, long-lived first, and by time from the fullest step in both directions."""
    buffers = slides.buffers
    everything = range(len(buffers))
    yield sorted(everything, key=lambda i: (-buffers[i].size, buffers[i].first, i))
    yield sorted(everything, key=lambda i: (buffers[i].first, -buffers[i].size, i))
    yield sorted(everything, key=lambda i: (-buffers[i].last, -buffers[i].size, i))
    yield sorted(everything, key=lambda i: (buffers[i].first - buffers[i].last, -buffers[i].size, i))
    full = {i: buffers[i].size + sum(buffers[other].size for other in slides.related[i]) for i in everything}
    if full:
        peak = buffers[max(everything, key=lambda i: (full[i], -i))].first
        yield sorted(everything, key=lambda i: (abs(buffers[i].first - peak), -buffers[i].size, i))
        yield sorted(everything, key=lambda i: (-full[i], -buffers[i].size, i))


__all__ = ["Slides", "slide"]
