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
from itertools import permutations, product
from math import gcd, prod
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.dialects import loop
from s2s.memory.accesses import Accesses, ByteAccess, Repeated, Span, Terms
from s2s.memory.counters import Counter
from s2s.memory.distances import Hazards, SpanGroup
from s2s.memory.independence import pieces_of
from s2s.types.affine import Range, linear

Body = Sequence[ByteAccess | Repeated]
MAX_PARTS = 16
"""What a loop with gaps between its iterations covers is compared with loads up to this number of parts."""


class _Cut(NamedTuple):
    """A loop that a run may cut short in steps of `step`, the bytes by which it moves what is written, and the stride
    of the gap that its iterations leave; 0 where they leave none."""

    number: int
    factor: int
    step: int
    gap: int = 0


class _Cover(NamedTuple):
    """The bytes from `low` to `high`, moved by `terms`, and by each multiple of a stride below its count in `gaps`.

    Sizes of a run may cut the loops in `cuts` short: the bytes then end earlier, in each of their repetitions, or the
    last repetitions of a gap are left out.
    """

    terms: Terms
    gaps: tuple[tuple[int, int], ...]
    cuts: tuple[_Cut, ...]
    low: int
    high: int

    def closed(self) -> "_Cover":
        """Return the same bytes without the gaps that they fill: 32 bytes 4 times every 32 bytes are 128 bytes. What a
        run may cut short fills none, but is 8 times 8 times the same at strides of 128 and 1,024 bytes 64 times."""
        low, high, gaps, cut = self.low, self.high, list[tuple[int, int]](), {shortened.gap for shortened in self.cuts}
        for stride, count in sorted(self.gaps):
            if stride <= high - low and not self.cuts:
                high += stride * (count - 1)
            elif gaps and stride == prod(gaps[-1]) and cut.isdisjoint((stride, gaps[-1][0])):
                gaps[-1] = gaps[-1][0], gaps[-1][1] * count
            else:
                gaps.append((stride, count))
        return _Cover(self.terms, tuple(gaps), self.cuts, low, high)

    def repeated(self, count: int, cut: _Cut) -> "_Cover":
        """Return the bytes of all iterations of a loop that a run may cut short."""
        stride = abs(cut.factor) * cut.step
        if not stride or count == 1 or (stride <= self.high - self.low and not self.cuts):
            return self._replace(cuts=(*self.cuts, cut), high=self.high + stride * (count - 1))
        cuts = (*self.cuts, cut._replace(gap=stride))
        return self._replace(cuts=cuts, gaps=(*self.gaps, (stride, count))).closed()

    def spans(self) -> Iterator[Span]:
        """Yield contiguous parts, unless they are too many."""
        if prod(count for _, count in self.gaps) <= MAX_PARTS:
            for steps in product(*(range(0, stride * count, stride) for stride, count in self.gaps)):
                yield Span(self.terms, self.low + sum(steps), self.high + sum(steps))


def is_private(accesses: Accesses, op: loop.ForOp, buffer: SSAValue) -> bool:
    """Return whether each iteration of `op` reads only bytes of `buffer`, an argument of the kernel, that it has
    written before or that no iteration writes; and nothing outside of `op` reads what one of its iterations has
    written.
    """
    inside = accesses.traces_of(op.body.block.ops, buffer)
    uncovered = _uncovered(accesses, op, buffer)
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


def _uncovered(accesses: Accesses, op: loop.ForOp, buffer: SSAValue) -> list[Span] | None:
    """Return the reads of `buffer` by an iteration of `op`, or outside of it, of bytes that it has not written before;
    None if that is unknown."""
    inside, everything = accesses.traces_of(op.body.block.ops, buffer), accesses.own_trace(buffer)
    number = accesses.number_of(op)
    if inside is None or everything is None or number is None:
        return None
    search = _Search(inside.counters, hidden=number)
    search.visit(inside.body, [])
    search.visit(everything.body, [])
    return search.uncovered


class _Search:
    """Finds loads that no store in front of them covers. What stands in front of loop `hidden` covers nothing behind
    it, since the loop may write the same bytes."""

    def __init__(self, counters: Sequence[Counter], hidden: int) -> None:
        self.counters, self.hidden = counters, hidden
        self.uncovered: list[Span] = []
        self._ranges = [(counter.first, counter.last) for counter in counters]
        self._around: list[int] = []
        """The loops around what is visited."""

    def visit(self, body: Body, before: Sequence[_Cover]) -> list[_Cover]:
        """Return what `body` writes in any case, where `before` is written already."""
        written: list[_Cover] = []
        for step in body:
            if isinstance(step, ByteAccess):
                if not step.writes:
                    self.uncovered += self._rest_of(step.span, [*before, *written])
                elif step.exact:
                    written = self._joined([*written, _Cover(step.span.terms, (), (), step.span.low, step.span.high)])
            elif _holds(step, self.hidden):
                before = written = []
                if step.number != self.hidden:
                    self._visit_loop(step, [])
            else:
                inner = self._visit_loop(step, [*before, *written])
                written = self._joined([*written, *self._of_all(inner, step.number)])
        return written

    def _visit_loop(self, step: Repeated, before: Sequence[_Cover]) -> list[_Cover]:
        self._around.append(step.number)
        inner = self.visit(step.body, before)
        self._around.pop()
        return inner

    def _of_all(self, covers: Iterable[_Cover], number: int) -> Iterator[_Cover]:
        """Yield what all iterations of a loop together cover, where a run does not cut it short."""
        counter = self.counters[number]
        for cover in covers if counter.every or counter.cuts else ():
            factor = dict(cover.terms).get(number, 0)
            terms = tuple(term for term in cover.terms if term[0] != number)
            first = min(factor * counter.first, factor * counter.last)
            start = cover._replace(terms=terms, low=cover.low + first, high=cover.high + first)
            stride, trips = abs(factor) * counter.step, (counter.last - counter.first) // counter.step + 1
            if counter.cuts:
                yield start.repeated(trips, _Cut(number, factor, counter.step))
            elif factor and trips > 1:
                yield start._replace(gaps=(*cover.gaps, (stride, trips))).closed()
            else:
                yield start

    def _joined(self, covers: Iterable[_Cover]) -> list[_Cover]:
        """Return covers of which the touching ones are joined."""
        before = list(covers)
        after = self._merged(before)
        while len(after) < len(before):
            before, after = after, self._merged(after)
        return after

    def _merged(self, covers: Iterable[_Cover]) -> list[_Cover]:
        """Return covers of which neighbours that touch are one. That may close gaps, so that others touch."""
        merged: list[_Cover] = []
        for cover in sorted(covers, key=lambda cover: (cover.terms, cover.gaps, cover.low, cover.high, cover.cuts)):
            last = merged[-1] if merged else None
            if last is not None and (both := self._both(last, cover)) is not None:
                merged[-1] = both
            else:
                merged.append(cover)
        return merged

    def _both(self, one: _Cover, next: _Cover) -> _Cover | None:
        """Return a cover and the next one as one; None where they do not touch."""
        if one[:2] != next[:2]:
            return None
        if not one.cuts and not next.cuts and next.low <= one.high:
            return one._replace(high=max(one.high, next.high)).closed()
        if len(one.cuts) == len(next.cuts) == 1 and next.low == one.high and self._goes_on(one.cuts[0], next.cuts[0]):
            step = gcd(one.cuts[0].step, next.cuts[0].step)
            return next._replace(low=one.low, cuts=(next.cuts[0]._replace(factor=one.cuts[0].factor, step=step),))
        return None

    def _goes_on(self, one: _Cut, next: _Cut) -> bool:
        """Return whether a loop goes on where another one ends, to the same size of the run: of loops to `min(126, n)`
        in steps of 6 and from 126 to `n` in steps of 2, the second one ends where both together do."""
        first, second = self.counters[one.number], self.counters[next.number]
        is_moved_alike = one.factor == next.factor or not second.goes_on
        if one.gap or next.gap or not is_moved_alike or second.first != first.end:
            return False
        ends = [{linear(cut + counter.end, self._ranges).key for cut in counter.cuts} for counter in (first, second)]
        return ends[0] == ends[1]

    def _rest_of(self, read: Span, written: Sequence[_Cover]) -> list[Span]:
        """Return the parts of `read` that `written` does not cover."""
        alike = [cover for cover in written if self._are_cut_alike(cover, read)]
        spans = [(span, bool(cover.cuts)) for cover in alike for span in self._along(cover, read).spans()]
        if any(self._covers(span, read) for span, _ in spans):
            return []
        parts = [read]
        for span in (span for span, is_cut in spans if not is_cut):
            if span.terms == read.terms:
                cut = [(part.low, min(part.high, span.low)) for part in parts]
                cut += [(max(part.low, span.high), part.high) for part in parts]
                parts = [read._replace(low=low, high=high) for low, high in cut if low < high]
        return parts

    def _are_cut_alike(self, cover: _Cover, read: Span) -> bool:
        """Return whether each size that cuts a loop of `cover` short cuts another one around `read` short, by no fewer
        bytes.

        Then bytes that the cover holds before a cut, it holds behind it: of rows written for `%t` from 0 to
        `min(10, n + 2)` and read at `%u` to `%u + 2`, `%u` from 0 to `min(8, n)`, both end `n - 8` rows earlier.
        """
        return any(
            all(self._is_cut_before(other, cut, read) for other, cut in zip(others, cover.cuts, strict=True))
            for others in permutations(self._around, len(cover.cuts))
        )

    def _is_cut_before(self, other: int, cut: _Cut, read: Span) -> bool:
        """Return whether a run cuts the loop `other` around `read` short by no fewer bytes than the loop of `cut`."""
        factor = cut.factor
        writer, reader, moved = self.counters[cut.number], self.counters[other], dict(read.terms).get(other, 0)
        if writer.down or reader.down:
            return False
        later = _later_ends(writer, reader, self._ranges)
        if later is not None and (not factor or not writer.goes_on) and later + writer.span >= reader.span:
            return True
        if factor and (factor == moved or not reader.goes_on):
            return later is not None and later >= least_later(cut.step, reader.step)
        if not factor or not moved or reader.step > 1:
            return False
        ends = [linear(expr * moved, self._ranges) for expr in reader.cuts]
        return all(linear(expr * factor, self._ranges) in ends for expr in writer.cuts)

    def _along(self, cover: _Cover, read: Span) -> _Cover:
        """The part of a cover that moves with `read`: of rows of 96 bytes that begin every 128 bytes, row `%k`, or row
        `8 * %j + %k`."""
        terms, gaps = list(cover.terms), list[tuple[int, int]]()
        for stride, count in cover.gaps:
            beside = [term for term in read.terms if term not in terms and self._follows(term, stride)]
            if beside and sum(factor * self.counters[number].last for number, factor in beside) < stride * count:
                terms += beside
            else:
                gaps.append((stride, count))
        return cover._replace(terms=tuple(sorted(terms)), gaps=tuple(gaps))

    def _follows(self, term: tuple[int, int], stride: int) -> bool:
        """Return whether a term moves by multiples of a stride, from 0 on."""
        number, factor = term
        counter = self.counters[number]
        steps = (factor * counter.first, factor * counter.last, factor * counter.grain)
        return not any(each % stride for each in steps) and steps[0] >= 0 and steps[1] > 0

    def _covers(self, written: Span, read: Span) -> bool:
        """Return whether `written` holds all bytes of `read`, in each iteration of the loops around both."""
        low, high, moved = read.low, read.high, dict(read.terms)
        for number, factor in written.terms:
            moved[number] = moved.get(number, 0) - factor
        for number, factor in moved.items():
            ends = factor * self.counters[number].first, factor * self.counters[number].last
            low, high = low + min(ends), high + max(ends)
        return written.low <= low and high <= written.high


def _later_ends(writer: Counter, reader: Counter, ranges: Sequence[Range]) -> int | None:
    """Return by how many values a writer's loop ends later, in any run, than a reader's one, each beside its end at the
    greatest sizes; None where that is unknown."""
    ends = list[int]()
    for cut in reader.cuts:
        later = [linear(end + cut * -1, ranges) for end in writer.cuts]
        if not any(form.terms for form in later):
            ends.append(min(form.constant for form in later))
    return max(ends, default=None)


def least_later(writer: int, reader: int) -> int:
    """Return by how many values a loop in steps of `writer` has to end later than one in steps of `reader`, so that it
    covers the last step of that one: 8 for steps of 8 and 16, 0 for steps of 16 and 8, 5 for steps of 16 and 6."""
    if writer % reader == 0:
        return 0
    return reader - writer if reader % writer == 0 else reader - 1


def _holds(step: Repeated, number: int) -> bool:
    """Return whether a loop is loop `number`, or contains it."""
    return step.number == number or any(isinstance(each, Repeated) and _holds(each, number) for each in step.body)


def _collect_writes(body: Body, written: SpanGroup) -> None:
    for step in body:
        if isinstance(step, Repeated):
            _collect_writes(step.body, written)
        elif step.writes:
            written.add(step.span)
