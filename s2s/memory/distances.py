"""Compute the distances at which the output of a kernel may overlap one of its inputs in memory.

Let the output start `d` bytes behind the start of the input (`d < 0`: before it). That is safe if no byte of the input
is read after the kernel has overwritten it. For each store and each load that may come later in the order of the loops,

    bytes stored  [w0 + d, w1 + d)    and bytes read  [r0, r1)    must not meet,

so `d <= r0 - w1` is safe, and so is `d >= r1 - w0`. The least and the largest of these differences over all such pairs
bound an open interval outside of which every `d` is safe.

Example: `for i in 0..10: y[i] = x[i] + x[i + 1]` on floats. Iteration `i` stores bytes `[4i, 4i + 4)`, a later
iteration `j` reads `[4j, 4j + 8)`. The differences `r0 - w1 = 4(j - i) - 4` are at least 0, and
`r1 - w0 = 4(j - i) + 8` at most 44. So `y` may start at `x` or before it, or behind all 44 bytes of `x`, and the
interval is (0, 44).

Positions are affine in the loop counters, and the counters of a store and a later load differ in the outermost loop
that has advanced between them, so both extremes lie at corners of a few boxes. The iterations of a parallel loop may
run in either order, so each is later than every other. Inside of the interval a single `d` may still be safe, because
stored and read bytes never coincide there (a kernel that goes channel by channel over interleaved channels):
`Distances.allows` decides that by divisibility.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import gcd
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.memory.accesses import Accesses, ByteAccess, Repeated, Span, Terms, Trace, buffer_bytes, parallel_loops
from s2s.memory.counters import Counter

Interval = tuple[int, int]
"""An open interval: both ends are allowed, the integers between them are not."""

MAX_SPANS = 16
"""Spans with equal terms are kept apart up to this number; more are merged into their common hull."""


class Hazard(NamedTuple):
    """A store and the loads that may follow it, as the difference of their positions.

    `low` is the least distance from the end of a store to the start of a later load, `high` the largest distance from
    the start of a store to the end of a later load. The distance from start to start is `base + sum of factor * k` with
    `0 <= k <= count` for the pairs (factor, count) of `terms`.
    """

    low: int
    high: int
    base: int
    stored: int
    read: int
    """Bytes of one store (`stored`) and of one load (`read`)."""
    terms: tuple[tuple[int, int], ...]

    def spares(self, distance: int) -> bool:
        """Return whether an output at `distance` never overwrites bytes that are read later."""
        if distance <= self.low or distance >= self.high:
            return True
        return not _attains(self.terms, distance - self.base - self.read + 1, distance - self.base + self.stored - 1)


class Distances(NamedTuple):
    """The distances at which an output of `output` bytes may start behind the start of an input of `input` bytes."""

    input: int
    output: int
    hazards: tuple[Hazard, ...]

    @property
    def interval(self) -> Interval | None:
        """The open interval outside of which every distance is safe; None if all distances are safe."""
        if not self.hazards:
            return None
        low = max(min(hazard.low for hazard in self.hazards), -self.output)
        high = min(max(hazard.high for hazard in self.hazards), self.input)
        return (low, high) if low < high else None

    def allows(self, distance: int) -> bool:
        """Return whether the output may start `distance` bytes behind the input."""
        if distance <= -self.output or distance >= self.input:
            return True
        return all(hazard.spares(distance) for hazard in self.hazards)

    def forbidden(self, candidates: Iterable[int] = ()) -> tuple[Interval, ...]:
        """Return open intervals that contain no safe distance among the `candidates`. The interval (0, 44) with the
        safe candidate 8 gives (0, 8) and (8, 44)."""
        if self.interval is None:
            return ()
        low, high = self.interval
        found: list[Interval] = []
        for candidate in sorted(set(candidates)):
            if low < candidate < high and self.allows(candidate):
                found.append((low, candidate))
                low = candidate
        return (*found, (low, high))


def distances(kernel: FuncOp, output: SSAValue, read: SSAValue, accesses: Accesses | None = None) -> Distances:
    """Compute the distances at which `output`, an argument that `kernel` writes, may overlap the argument `read`.
    `accesses` are those of the kernel if the caller has them already."""
    input_bytes, output_bytes = buffer_bytes(read), buffer_bytes(output)
    seen = (accesses or Accesses(kernel)).trace(read, output)
    if seen is None or len(parallel_loops(kernel)) > 1:
        whole = Hazard(-output_bytes, input_bytes, -output_bytes, 0, input_bytes + output_bytes, ())
        return Distances(input_bytes, output_bytes, (whole,))
    found = Hazards(seen.counters)
    found.visit(seen.body, frozenset())
    return Distances(input_bytes, output_bytes, tuple(found.hazards))


class SpanGroup(dict[Terms, list[Interval]]):
    """Spans grouped by terms; spans that touch are merged, and more than `MAX_SPANS` become their hull."""

    def add(self, span: Span) -> None:
        """Add one span."""
        known = self.setdefault(span.terms, [])
        low, high = span.low, span.high
        if any(start <= low and high <= end for start, end in known):
            return
        apart = [interval for interval in known if interval[1] < low or high < interval[0]]
        touching = [interval for interval in known if not (interval[1] < low or high < interval[0])]
        apart.append((min([low, *(start for start, _ in touching)]), max([high, *(end for _, end in touching)])))
        if len(apart) > MAX_SPANS:
            apart = [(min(start for start, _ in apart), max(end for _, end in apart))]
        self[span.terms] = apart

    def join(self, other: "SpanGroup") -> None:
        """Add all spans of another group."""
        for span in other.spans():
            self.add(span)

    def spans(self) -> Iterator[Span]:
        """Yield all spans."""
        for terms, intervals in self.items():
            for low, high in intervals:
                yield Span(terms, low, high)


class _Variable(NamedTuple):
    """A term of a distance: `factor` times a counter, or times the difference of two of its values."""

    factor: int
    first: int
    last: int
    grain: int


class Hazards:
    """Collects the hazards of a trace, from the innermost loops outwards."""

    def __init__(self, counters: Sequence[Counter]) -> None:
        self.counters = counters
        self.hazards: list[Hazard] = []

    def visit(self, body: Sequence[ByteAccess | Repeated], outer: frozenset[int]) -> tuple[SpanGroup, SpanGroup]:
        """Collect the hazards inside of `body` and return what it reads and writes; `outer` are the enclosing loops."""
        reads, writes = SpanGroup(), SpanGroup()
        for step in body:
            if isinstance(step, ByteAccess):
                (writes if step.writes else reads).add(step.span)
                if not step.writes:
                    self.compare(writes.spans(), [step.span], outer, None)
                continue
            inner_reads, inner_writes = self.visit(step.body, outer | {step.number})
            if inner_reads:
                later = list(inner_reads.spans())
                if self.counters[step.number].goes_on:
                    self.compare(inner_writes.spans(), later, outer, step.number)
                self.compare(writes.spans(), later, outer, None)
            reads.join(inner_reads)
            writes.join(inner_writes)
        return reads, writes

    def compare(
        self, writes: Iterator[Span], reads: Sequence[Span], shared: frozenset[int], carried: int | None
    ) -> None:
        """Record each write with each later read: in the same iterations of the loops `shared`, and in a later
        iteration of the loop `carried`."""
        downwards = (False,) if carried is None else self.counters[carried].directions
        for write in writes:
            for read in reads:
                self.hazards += [self._hazard(write, read, shared, carried, down=down) for down in downwards]

    def _hazard(self, write: Span, read: Span, shared: frozenset[int], carried: int | None, *, down: bool) -> Hazard:
        stored, loaded = dict(write.terms), dict(read.terms)
        least = most = 0
        variables: list[_Variable] = []
        for number in sorted({*stored, *loaded}):
            counter = self.counters[number]
            w, r = stored.get(number, 0), loaded.get(number, 0)
            if number == carried:
                ends = [r * later - w * sooner for sooner, later in _corners(counter, down)]
                span = counter.last - counter.first
                gap = (-span, -counter.step) if down else (counter.step, span)
                variables += [
                    _Variable(r - w, counter.first, counter.last, counter.grain),
                    _Variable(r, *gap, counter.grain),
                ]
            elif number in shared:
                ends = [(r - w) * counter.first, (r - w) * counter.last]
                variables.append(_Variable(r - w, counter.first, counter.last, counter.grain))
            else:
                ends = [r * a - w * b for a in (counter.first, counter.last) for b in (counter.first, counter.last)]
                variables += [_Variable(factor, counter.first, counter.last, counter.grain) for factor in (r, -w)]
            least, most = least + min(ends), most + max(ends)
        base, terms = _steps(variables)
        return Hazard(
            least + read.low - write.high,
            most + read.high - write.low,
            base + read.low - write.low,
            write.high - write.low,
            read.high - read.low,
            terms,
        )


def _corners(counter: Counter, down: bool) -> list[tuple[int, int]]:
    """Return the corners of the triangle of pairs (earlier value, later value) of a counter. A counter from 0 to 9 that
    runs up in steps of 1 has pairs `(i, j)` with `0 <= i < j <= 9`, whose corners are (0, 1), (0, 9) and (8, 9)."""
    first, last, step = counter.first, counter.last, counter.step
    upwards = [(first, first + step), (first, last), (last - step, last)]
    return [(later, sooner) for sooner, later in upwards] if down else upwards


def _steps(variables: Sequence[_Variable]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Return the sum of `variables` as a base and terms that each run from 0 to a count."""
    base, terms = 0, list[tuple[int, int]]()
    for variable in variables:
        base += variable.factor * variable.first
        count = (variable.last - variable.first) // variable.grain
        if variable.factor and count:
            terms.append((variable.factor * variable.grain, count))
    return base, tuple(terms)


def _attains(terms: Sequence[tuple[int, int]], low: int, high: int) -> bool:
    """Return whether `sum of factor * k` with `0 <= k <= count` may lie in `[low, high]`; False is a proof.

    Small factors together cover a range; the larger ones move it by multiples of their common divisor. With the terms
    (1, 3) and (16, 5) the small factor covers 0 to 3 and the large one adds multiples of 16, so that no sum lies in [8,
    12].
    """
    ordered = sorted(terms, key=lambda term: abs(term[0]))
    small_low = small_high = 0
    for position in range(len(ordered) + 1):
        rest = ordered[position:]
        divisor = gcd(*(factor for factor, _ in rest))
        rest_low = max(sum(min(0, factor * count) for factor, count in rest), low - small_high)
        rest_high = min(sum(max(0, factor * count) for factor, count in rest), high - small_low)
        if (-(-rest_low // divisor) * divisor if divisor else max(rest_low, 0)) > rest_high:
            return False
        if rest:
            factor, count = rest[0]
            small_low, small_high = small_low + min(0, factor * count), small_high + max(0, factor * count)
    return True


__all__ = ["Distances", "Hazard", "Interval", "Trace", "distances"]
