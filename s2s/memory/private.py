"""Prove that iterations of a loop read of a buffer what they have written themselves, so that each could have its own.

    loop.for %i = 0 to 8 {
      loop.for %j = 0 to 4 { store to s[%j] }             bytes 0 to 15
      loop.for %j = 0 to 3 { load from s[%j + 1] }        bytes 4 to 15: covered
    }

Stores cover what they write in each iteration in any case; a loop whose steps leave no gap covers what all of its
iterations do. That a store stands in front of a load of the same buffer says nothing: in `s[%i] = …; … = s[0]` all
iterations but one read what the first one has written.
"""

from collections.abc import Iterable, Sequence

from xdsl.ir import SSAValue

from s2s.dialects import loop
from s2s.memory.accesses import Accesses, ByteAccess, Repeated, Span
from s2s.memory.counters import Counter
from s2s.memory.distances import Hazards, SpanGroup

Body = Sequence[ByteAccess | Repeated]
MAX_GAPS = 16
"""Spans of a loop with gaps between what its iterations write are told apart up to this number of iterations."""


def is_private(accesses: Accesses, op: loop.ForOp, buffer: SSAValue) -> bool:
    """Return whether each iteration of `op` reads of `buffer`, an argument of the kernel, only what it has written
    before, or what no iteration writes; and nothing outside of `op` reads what one of its iterations has written."""
    inside, everything = accesses.traces_of(op.body.block.ops, buffer), accesses.own_trace(buffer)
    number = accesses.number_of(op)
    if inside is None or everything is None or number is None:
        return False
    written = SpanGroup()
    _collect_writes(inside.body, written)
    search = _Search(inside.counters, hidden=number)
    search.visit(inside.body, [])
    search.visit(everything.body, [])
    hazards = Hazards(inside.counters)
    hazards.compare(written.spans(), search.uncovered, frozenset(), None)
    return all(hazard.spares(0) for hazard in hazards.hazards)


class _Search:
    """Finds loads that no store in front of them covers; those of loop `hidden` cover nothing outside of it."""

    def __init__(self, counters: Sequence[Counter], hidden: int) -> None:
        self.counters, self.hidden = counters, hidden
        self.uncovered: list[Span] = []

    def visit(self, body: Body, before: Sequence[Span]) -> list[Span]:
        """Return what `body` writes in any case, where `before` is written already."""
        written: list[Span] = []
        for step in body:
            if isinstance(step, Repeated):
                if step.number != self.hidden:
                    inner = self.visit(step.body, [*before, *written])
                    written = _joined([*written, *self._of_all_iterations(inner, step.number)])
            elif not step.writes:
                self.uncovered += self._rest_of(step.span, [*before, *written])
            elif step.exact:
                written = _joined([*written, step.span])
        return written

    def _of_all_iterations(self, spans: Iterable[Span], number: int) -> list[Span]:
        """Return the spans that all iterations of a loop together cover: one, or a few with gaps."""
        counter, found = self.counters[number], list[Span]()
        if not counter.every:
            return found
        for span in spans:
            factor = dict(span.terms).get(number, 0)
            terms = tuple(term for term in span.terms if term[0] != number)
            if abs(factor) * counter.step <= span.high - span.low:
                ends = factor * counter.first, factor * counter.last
                found.append(Span(terms, span.low + min(ends), span.high + max(ends)))
            elif counter.last - counter.first < MAX_GAPS * counter.step:
                places = [factor * value for value in range(counter.first, counter.last + 1, counter.step)]
                found += [Span(terms, span.low + place, span.high + place) for place in places]
        return found

    def _rest_of(self, read: Span, written: Sequence[Span]) -> list[Span]:
        """Return the parts of `read` that `written` does not cover."""
        if any(self._covers(each, read) for each in written):
            return []
        parts = [read]
        for each in written:
            if each.terms == read.terms:
                cut = [(part.low, min(part.high, each.low)) for part in parts]
                cut += [(max(part.low, each.high), part.high) for part in parts]
                parts = [read._replace(low=low, high=high) for low, high in cut if low < high]
        return parts

    def _covers(self, written: Span, read: Span) -> bool:
        """Return whether `written` holds all bytes of `read`, in each iteration of the loops around both."""
        low, high, moved = read.low, read.high, dict(read.terms)
        for number, factor in written.terms:
            moved[number] = moved.get(number, 0) - factor
        for number, factor in moved.items():
            ends = factor * self.counters[number].first, factor * self.counters[number].last
            low, high = low + min(ends), high + max(ends)
        return written.low <= low and high <= written.high


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans of which those that touch are one."""
    joined: list[Span] = []
    for span in sorted(spans):
        last = joined[-1] if joined else None
        if last is not None and last.terms == span.terms and span.low <= last.high:
            joined[-1] = last._replace(high=max(last.high, span.high))
        else:
            joined.append(span)
    return joined


def _collect_writes(body: Body, written: SpanGroup) -> None:
    for step in body:
        if isinstance(step, Repeated):
            _collect_writes(step.body, written)
        elif step.writes:
            written.add(step.span)
