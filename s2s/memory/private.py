"""Prove that iterations of a loop read of a buffer what they have written themselves, so that each could have its own.

    loop.for %i = 0 to 8 {
      loop.for %j = 0 to 4 { store to s[%j] }             bytes 0 to 15
      loop.for %j = 0 to 3 { load from s[%j + 1] }        bytes 4 to 15: covered
    }

Stores cover what they write in each iteration in any case; a loop covers what all of its iterations do. Gaps that one
loop leaves may be closed by another one, or by another store: vectors of 16 floats at `s[32 * %t + %c]`, with `%t` from
0 to 7 outside of `%c` from 0 to 32 in steps of 16, cover 224 floats. That a store stands in front of a load of the same
buffer says nothing: in `s[%i] = …; … = s[0]` all iterations but one read what the first one has written.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.dialects import loop
from s2s.memory.accesses import Accesses, ByteAccess, Repeated, Span, Terms
from s2s.memory.counters import Counter
from s2s.memory.distances import Hazards, SpanGroup
from s2s.memory.independence import pieces_of

Body = Sequence[ByteAccess | Repeated]
MAX_PARTS = 16
"""What a loop with gaps between its iterations covers is compared with loads up to this number of parts."""


class _Cover(NamedTuple):
    """The bytes from `low` to `high`, moved by `terms`, and by each multiple of a stride below its count in `gaps`."""

    terms: Terms
    gaps: tuple[tuple[int, int], ...]
    low: int
    high: int

    def closed(self) -> "_Cover":
        """Return the same bytes without the gaps that they fill."""
        low, high, gaps = self.low, self.high, list[tuple[int, int]]()
        for stride, count in sorted(self.gaps):
            if stride <= high - low:
                high += stride * (count - 1)
            else:
                gaps.append((stride, count))
        return _Cover(self.terms, tuple(gaps), low, high)

    def spans(self) -> Iterator[Span]:
        """Yield contiguous parts, unless they are too many."""
        if prod(count for _, count in self.gaps) <= MAX_PARTS:
            for steps in product(*(range(0, stride * count, stride) for stride, count in self.gaps)):
                yield Span(self.terms, self.low + sum(steps), self.high + sum(steps))


def is_private(accesses: Accesses, op: loop.ForOp, buffer: SSAValue, *, uncut: bool = False) -> bool:
    """Return whether each iteration of `op` reads only bytes of `buffer`, an argument of the kernel, that it has
    written before or that no iteration writes; and nothing outside of `op` reads what one of its iterations has
    written.

    `uncut` asks it of runs whose sizes cut no loop short.
    """
    inside = accesses.traces_of(op.body.block.ops, buffer)
    uncovered = _uncovered(accesses, op, buffer, uncut=uncut)
    if inside is None or uncovered is None:
        return False
    written = SpanGroup()
    _collect_writes(inside.body, written)
    hazards = Hazards(inside.counters)
    hazards.compare(written.spans(), uncovered, frozenset(), None)
    return all(hazard.spares(0) for hazard in hazards.hazards)


def is_private_in_pieces(kernel: FuncOp, loops: Sequence[loop.ForOp], buffer: SSAValue) -> bool:
    """Return whether each iteration of the innermost one of `loops`, which are nested, reads of `buffer` only what it
    has written before, and nothing else reads it.

    That is proven for the first, the middle and the last iterations of one of the loops separately: it may contain
    loops to `min(%i, 1)` and from `max(%i, 1)`, of which each writes a part of the buffer, or one of them all of it.
    """
    accesses = Accesses(kernel)
    trace, numbers = accesses.own_trace(buffer), [accesses.number_of(op) for op in loops]
    return trace is not None and any(
        number is not None
        and all(
            _uncovered(Accesses(kernel, {op: piece}), loops[-1], buffer) == []
            for piece in pieces_of(trace.counters[number])
        )
        for op, number in zip(loops, numbers, strict=True)
    )


def _uncovered(accesses: Accesses, op: loop.ForOp, buffer: SSAValue, *, uncut: bool = False) -> list[Span] | None:
    """Return the reads of `buffer` by an iteration of `op`, or outside of it, of bytes that it has not written before;
    None if that is unknown."""
    inside, everything = accesses.traces_of(op.body.block.ops, buffer), accesses.own_trace(buffer)
    number = accesses.number_of(op)
    if inside is None or everything is None or number is None:
        return None
    counters = [counter._replace(every=counter.every or (uncut and counter.cut)) for counter in inside.counters]
    search = _Search(counters, hidden=number)
    search.visit(inside.body, [])
    search.visit(everything.body, [])
    return search.uncovered


class _Search:
    """Finds loads that no store in front of them covers. What stands in front of loop `hidden` covers nothing behind
    it, since the loop may write the same bytes."""

    def __init__(self, counters: Sequence[Counter], hidden: int) -> None:
        self.counters, self.hidden = counters, hidden
        self.uncovered: list[Span] = []

    def visit(self, body: Body, before: Sequence[_Cover]) -> list[_Cover]:
        """Return what `body` writes in any case, where `before` is written already."""
        written: list[_Cover] = []
        for step in body:
            if isinstance(step, ByteAccess):
                if not step.writes:
                    self.uncovered += self._rest_of(step.span, [*before, *written])
                elif step.exact:
                    written = _joined([*written, _Cover(step.span.terms, (), step.span.low, step.span.high)])
            elif _holds(step, self.hidden):
                before = written = []
                if step.number != self.hidden:
                    self.visit(step.body, [])
            else:
                inner = self.visit(step.body, [*before, *written])
                written = _joined([*written, *self._of_all(inner, step.number)])
        return written

    def _of_all(self, covers: Iterable[_Cover], number: int) -> Iterator[_Cover]:
        """Yield what all iterations of a loop together cover."""
        counter = self.counters[number]
        for cover in covers if counter.every else ():
            factor = dict(cover.terms).get(number, 0)
            terms = tuple(term for term in cover.terms if term[0] != number)
            first = min(factor * counter.first, factor * counter.last)
            trips = (counter.last - counter.first) // counter.step + 1
            gaps = ((abs(factor) * counter.step, trips),) if factor and trips > 1 else ()
            yield _Cover(terms, (*cover.gaps, *gaps), cover.low + first, cover.high + first).closed()

    def _rest_of(self, read: Span, written: Sequence[_Cover]) -> list[Span]:
        """Return the parts of `read` that `written` does not cover."""
        spans = [span for each in written for span in self._along(each, read).spans()]
        if any(self._covers(each, read) for each in spans):
            return []
        parts = [read]
        for each in spans:
            if each.terms == read.terms:
                cut = [(part.low, min(part.high, each.low)) for part in parts]
                cut += [(max(part.low, each.high), part.high) for part in parts]
                parts = [read._replace(low=low, high=high) for low, high in cut if low < high]
        return parts

    def _along(self, cover: _Cover, read: Span) -> _Cover:
        """The part of a cover that moves with `read`: of rows of 96 bytes that begin every 128 bytes, row `%k`."""
        terms, gaps = list(cover.terms), list[tuple[int, int]]()
        for stride, count in cover.gaps:
            beside = [term for term in read.terms if term not in terms and self._follows(term, stride, count)]
            if len(beside) == 1:
                terms += beside
            else:
                gaps.append((stride, count))
        return cover._replace(terms=tuple(sorted(terms)), gaps=tuple(gaps))

    def _follows(self, term: tuple[int, int], stride: int, count: int) -> bool:
        """Return whether a term moves by multiples of a stride, from 0 to below its count."""
        number, factor = term
        counter = self.counters[number]
        steps = (factor * counter.first, factor * counter.last, factor * counter.grain)
        return not any(each % stride for each in steps) and steps[0] >= 0 and steps[1] < stride * count

    def _covers(self, written: Span, read: Span) -> bool:
        """Return whether `written` holds all bytes of `read`, in each iteration of the loops around both."""
        low, high, moved = read.low, read.high, dict(read.terms)
        for number, factor in written.terms:
            moved[number] = moved.get(number, 0) - factor
        for number, factor in moved.items():
            ends = factor * self.counters[number].first, factor * self.counters[number].last
            low, high = low + min(ends), high + max(ends)
        return written.low <= low and high <= written.high


def _joined(covers: Iterable[_Cover]) -> list[_Cover]:
    """Return covers of which the touching ones are joined."""
    before = list(covers)
    after = _merged(before)
    while len(after) < len(before):
        before, after = after, _merged(after)
    return after


def _merged(covers: Iterable[_Cover]) -> list[_Cover]:
    """Return covers of which neighbours that touch are one. That may close gaps, so that others touch."""
    merged: list[_Cover] = []
    for cover in sorted(covers):
        last = merged[-1] if merged else None
        if last is not None and last[:2] == cover[:2] and cover.low <= last.high:
            merged[-1] = last._replace(high=max(last.high, cover.high)).closed()
        else:
            merged.append(cover)
    return merged


def _holds(step: Repeated, number: int) -> bool:
    """Return whether a loop is loop `number`, or contains it."""
    return step.number == number or any(isinstance(each, Repeated) and _holds(each, number) for each in step.body)


def _collect_writes(body: Body, written: SpanGroup) -> None:
    for step in body:
        if isinstance(step, Repeated):
            _collect_writes(step.body, written)
        elif step.writes:
            written.add(step.span)
