"""Prove that the iterations of loops touch different bytes, so that they may run in parallel.

They may if no byte that one iteration writes is read or written by another. Positions are compared as for outputs that
overlap inputs (`s2s.memory.distances`), in both orders and at distance 0. If iteration `i` writes bytes `[16 * i, 16 *
i + 16)`, two iterations are at least 16 bytes apart, so no byte is shared; if it writes `[16 * i, 16 * i + 20)`,
iteration `i + 1` writes 4 of them again.

A loop over blocks may contain loops up to `min(block + 12, 40)`. Over all blocks it is unknown which of the two bounds
applies, and the blocks seem to overlap. So the accesses of the first block, the middle ones and the last one are
collected separately, and also compared with each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, SSAValue

from s2s.dialects import loop
from s2s.dialects.walk import walk
from s2s.memory.accesses import Accesses, ByteAccess, Repeated, Span, Trace
from s2s.memory.counters import Counter
from s2s.memory.distances import Hazards, SpanGroup
from s2s.types.affine import Range

Steps = tuple[ByteAccess | Repeated, ...]


class Iteration(NamedTuple):
    """The accesses of one iteration of loop `number`; `outer` are the enclosing loops, `counters` the counters of all
    loops."""

    body: Steps
    counters: tuple[Counter, ...]
    outer: frozenset[int]
    number: int


class Independence:
    """Decides whether the iterations of the outermost loops of a kernel are independent.

    Several loops in sequence are taken together: iteration i of all of them runs as one.
    """

    def __init__(self, kernel: FuncOp) -> None:
        self._kernel = kernel
        self._accesses: dict[tuple[int, Range] | None, Accesses] = {}
        self._ends_vary = any(op.fixed_bounds is None for op in walk(kernel) if isinstance(op, loop.ForOp))

    def holds(self, depth: int, read: SSAValue, written: SSAValue) -> bool:
        """Return whether the iterations of the `depth` outermost loops share no bytes of two buffers at one address, or
        of one buffer."""
        whole = self._iterations(depth, read, written, None)
        return whole is not None and all(
            is_apart(iteration) or self._are_blocks_apart(level, read, written, iteration)
            for level, iteration in enumerate(whole)
        )

    def _are_blocks_apart(self, level: int, read: SSAValue, written: SSAValue, whole: Iteration) -> bool:
        """Return whether first, middle and last iterations of the loops at `level` share no bytes, with separately
        collected accesses."""
        if not self._ends_vary:
            return False
        pieces: list[Iteration] = []
        for piece in pieces_of(whole.counters[whole.number]):
            levels = self._iterations(level + 1, read, written, (level, piece))
            if levels is None:
                return False
            pieces += levels[level:]
        return all(is_apart(piece) for piece in pieces) and all(
            _are_apart(one, other) for one, other in combinations(pieces, 2)
        )

    def _iterations(
        self, depth: int, read: SSAValue, written: SSAValue, piece: tuple[int, Range] | None
    ) -> list[Iteration] | None:
        """Return the iterations of the `depth` outermost loops; `piece` restricts iterations at one level to a
        range."""
        if piece not in self._accesses:
            loops = [] if piece is None else _loops_at(self._kernel.body.block, piece[0])
            within = {} if piece is None else dict.fromkeys(loops, piece[1])
            self._accesses[piece] = Accesses(self._kernel, within)
        accesses = self._accesses[piece]
        trace = accesses.own_trace(read) if read is written else accesses.trace(read, written)
        return None if trace is None else _levels(trace, depth)


def _levels(trace: Trace, depth: int) -> list[Iteration] | None:
    """Return the iterations of up to `depth` outermost loops; None if other accesses stand beside a loop."""
    found: list[Iteration] = []
    body, outer = trace.body, frozenset[int]()
    while len(found) < depth and body:
        loops = [step for step in body if isinstance(step, Repeated)]
        if len(loops) < len(body):
            return None
        number = loops[0].number
        body = tuple(step for each in loops for step in _renumbered(each.body, {each.number: number}))
        found.append(Iteration(body, trace.counters, outer, number))
        outer |= {number}
    return found


def is_apart(iteration: Iteration) -> bool:
    """Return whether each iteration touches bytes of its own, for fixed iterations of the enclosing loops."""
    counters, number = list(iteration.counters), iteration.number
    if not counters[number].goes_on:
        return True
    counters[number] = counters[number]._replace(parallel=True)
    reads, writes = touched(iteration.body)
    hazards = Hazards(counters)
    hazards.compare(writes.spans(), [*reads.spans(), *writes.spans()], iteration.outer, number)
    return all(hazard.spares(0) for hazard in hazards.hazards)


def _loops_at(block: Block, level: int) -> list[loop.ForOp]:
    """Return the loops in `block`, or the loops nested `level` deeper."""
    loops = [op for op in block.ops if isinstance(op, loop.ForOp)]
    return loops if level == 0 else [each for op in loops for each in _loops_at(op.body.block, level - 1)]


def pieces_of(counter: Counter) -> Iterator[Range]:
    """Yield the first value of a counter, the middle ones, and the last one."""
    first, last, step = counter.first, counter.last, counter.step
    yield first, first
    if first + step <= last - step:
        yield first + step, last - step
    yield last, last


def _are_apart(one: Iteration, other: Iteration) -> bool:
    """Return whether iterations with different values of a counter touch different bytes, for fixed iterations of the
    enclosing loops."""
    if one.outer != other.outer:
        return False
    shift = {number: number + len(one.counters) for number in range(len(other.counters)) if number not in other.outer}
    hazards = Hazards([*one.counters, *other.counters])
    (reads, writes), (others_reads, others_writes) = touched(one.body), touched(_renumbered(other.body, shift))
    hazards.compare(writes.spans(), [*others_reads.spans(), *others_writes.spans()], one.outer, None)
    hazards.compare(others_writes.spans(), list(reads.spans()), one.outer, None)
    return all(hazard.spares(0) for hazard in hazards.hazards)


def touched(body: Steps) -> tuple[SpanGroup, SpanGroup]:
    """Return what `body` reads and writes."""
    reads, writes = SpanGroup(), SpanGroup()
    _collect(body, reads, writes)
    return reads, writes


def _collect(body: Steps, reads: SpanGroup, writes: SpanGroup) -> None:
    for step in body:
        if isinstance(step, ByteAccess):
            (writes if step.writes else reads).add(step.span)
        else:
            _collect(step.body, reads, writes)


def _renumbered(body: Sequence[ByteAccess | Repeated], numbers: Mapping[int, int]) -> Steps:
    """Return `body` with its counters renumbered by `numbers`."""
    return tuple(
        step._replace(span=_span(step.span, numbers))
        if isinstance(step, ByteAccess)
        else step._replace(number=numbers.get(step.number, step.number), body=_renumbered(step.body, numbers))
        for step in body
    )


def _span(span: Span, numbers: Mapping[int, int]) -> Span:
    terms = [(numbers.get(number, number), factor) for number, factor in span.terms]
    return span._replace(terms=tuple(sorted(terms)))
