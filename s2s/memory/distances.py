"""How far the output of a kernel may lie over one of its inputs.

Let the output start `d` bytes behind the start of the input (`d < 0`: before it). That is safe when no byte of the
input is read after the kernel has stored over it. For each store and each load that may come later in the order of the
loops,

    bytes stored  [w0 + d, w1 + d)    and bytes read  [r0, r1)    must not meet,

so `d <= r0 - w1` is safe, and `d >= r1 - w0` is. The least and the largest of these differences over all such pairs
bound an interval in which `d` must not lie. Positions are affine in the counters of the loops, and the counters of a
store and a later load differ in the outermost loop that has gone on between them, so both are found at the corners of a
few boxes. The iterations of a parallel loop are later than each other in either order. Inside of the interval a single
`d` may still be safe, because bytes stored and read never coincide there (a kernel that goes channel by channel over
interleaved channels): `Distances.allows` decides by divisibility.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.memory.accesses import Accesses, ByteAccess, Repeated, Span, Terms, Trace, buffer_bytes, parallel_loops
from s2s.memory.counters import Counter

Interval = tuple[int, int]
"""Both ends are allowed, what lies between them is not."""

MAX_SPANS = 16
"""Spans that move alike and are looked at one by one; of more, only the whole that they span."""


@dataclass(frozen=True)
class Hazard:
    """A store and the loads that may come after it, as the difference of their positions.

    `low` and `high` are the least distance from the end of what is stored to the start of what is read, and the largest
    from the start of what is stored to the end of what is read. From the start of the one to the start of the other it
    is `base + sum of factor * k` with `0 <= k <= count` for the pairs (factor, count) of `terms`.
    """

    low: int
    high: int
    base: int
    stored: int
    read: int
    """Bytes stored, and read, at once."""
    terms: tuple[tuple[int, int], ...]

    def spares(self, distance: int) -> bool:
        """Whether an output at `distance` never stores to what is read later."""
        if distance <= self.low or distance >= self.high:
            return True
        return not _attains(self.terms, distance - self.base - self.read + 1, distance - self.base + self.stored - 1)


@dataclass(frozen=True)
class Distances:
    """The distances at which an output of `output` bytes may start behind the start of an input of `input` bytes."""

    input: int
    output: int
    hazards: tuple[Hazard, ...]

    @property
    def interval(self) -> Interval | None:
        """Outside of it every distance is safe; None where every distance is."""
        if not self.hazards:
            return None
        low = max(min(hazard.low for hazard in self.hazards), -self.output)
        high = min(max(hazard.high for hazard in self.hazards), self.input)
        return (low, high) if low < high else None

    def allows(self, distance: int) -> bool:
        """Whether the output may start `distance` bytes behind the input."""
        if distance <= -self.output or distance >= self.input:
            return True
        return all(hazard.spares(distance) for hazard in self.hazards)

    def forbidden(self, candidates: Iterable[int] = ()) -> tuple[Interval, ...]:
        """Open intervals in which no distance is safe, but for the `candidates` that are."""
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
    """How far `output`, an argument that `kernel` writes, may lie over the argument `read`; `accesses` are those of
    the kernel, where they are known already."""
    input_bytes, output_bytes = buffer_bytes(read), buffer_bytes(output)
    seen = (accesses or Accesses(kernel)).trace(read, output)
    if seen is None or len(parallel_loops(kernel)) > 1:
        whole = Hazard(-output_bytes, input_bytes, -output_bytes, 0, input_bytes + output_bytes, ())
        return Distances(input_bytes, output_bytes, (whole,))
    found = Hazards(seen.counters)
    found.visit(seen.body, frozenset())
    return Distances(input_bytes, output_bytes, tuple(found.hazards))


class SpanGroup(dict[Terms, list[Interval]]):
    """Spans by how they move: those that touch as one, and all as one where they are many."""

    def add(self, span: Span) -> None:
        """Take in a span."""
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
        """Take in all spans of another group."""
        for span in other.spans():
            self.add(span)

    def spans(self) -> Iterator[Span]:
        """All of them."""
        for terms, intervals in self.items():
            for low, high in intervals:
                yield Span(terms, low, high)


@dataclass(frozen=True)
class _Variable:
    """`factor` times a counter, or times the steps between two of its values."""

    factor: int
    first: int
    last: int
    grain: int


class Hazards:
    """Collects the hazards of a trace from the inside out."""

    def __init__(self, counters: Sequence[Counter]) -> None:
        self.counters = counters
        self.hazards: list[Hazard] = []

    def visit(self, body: Sequence[ByteAccess | Repeated], outer: frozenset[int]) -> tuple[SpanGroup, SpanGroup]:
        """What `body` reads and writes, once the pairs inside of it are known; `outer` are the loops around."""
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
        """Note each write with each read behind it: in the same iterations of the loops `shared`, and in a later one
        of the loop `carried`."""
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
    """The corners of the triangle of an earlier and a later value of a counter."""
    first, last, step = counter.first, counter.last, counter.step
    upwards = [(first, first + step), (first, last), (last - step, last)]
    return [(later, sooner) for sooner, later in upwards] if down else upwards


def _steps(variables: Sequence[_Variable]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """The sum of `variables` as a base and steps from it, each from 0 to a count."""
    base, terms = 0, list[tuple[int, int]]()
    for variable in variables:
        base += variable.factor * variable.first
        count = (variable.last - variable.first) // variable.grain
        if variable.factor and count:
            terms.append((variable.factor * variable.grain, count))
    return base, tuple(terms)


def _attains(terms: Sequence[tuple[int, int]], low: int, high: int) -> bool:
    """Whether `sum of factor * k` with `0 <= k <= count` may lie in `[low, high]`; a no is certain.

    Small factors together span a range; the larger ones move it by multiples of their common divisor.
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
