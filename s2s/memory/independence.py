"""Whether the iterations of loops may run at the same time.

They may where no byte that one iteration writes is read or written by another one. Positions are compared as for
outputs that lie over inputs (`s2s.memory.distances`), in either order and at distance 0.
"""

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.memory.accesses import Access, Accesses, Repeated, Span, Trace
from s2s.memory.distances import Hazards, SpanGroup


def are_independent(kernel: FuncOp, depth: int, read: SSAValue, written: SSAValue) -> bool:
    """Whether what the iterations of the `depth` outermost loops of `kernel` read and write of two buffers at the same
    place, or of one buffer, is apart.

    Where several loops follow each other their iterations are taken together: each runs iteration i of all of them.
    """
    accesses = Accesses(kernel)
    touched = accesses.own_trace(read) if read is written else accesses.trace(read, written)
    if touched is None:
        return False
    body, outer = touched.body, frozenset[int]()
    for _ in range(depth):
        loops = [step for step in body if isinstance(step, Repeated)]
        if len(loops) < len(body):
            return False
        if not loops:
            return True
        number = loops[0].number
        inner = tuple(step for each in loops for step in _renumbered(each.body, each.number, number))
        if not _are_apart(touched, inner, outer, number):
            return False
        body, outer = inner, outer | {number}
    return True


def _are_apart(touched: Trace, body: Sequence[Access | Repeated], outer: frozenset[int], number: int) -> bool:
    """Whether `body` touches different bytes in different iterations of loop `number`, those of `outer` being equal."""
    counters = list(touched.counters)
    if not counters[number].goes_on:
        return True
    counters[number] = replace(counters[number], parallel=True)
    reads, writes = SpanGroup(), SpanGroup()
    _collect(body, reads, writes)
    hazards = Hazards(counters)
    hazards.compare(writes.spans(), [*reads.spans(), *writes.spans()], outer, number)
    return all(hazard.spares(0) for hazard in hazards.hazards)


def _collect(body: Sequence[Access | Repeated], reads: SpanGroup, writes: SpanGroup) -> None:
    for step in body:
        if isinstance(step, Access):
            (writes if step.writes else reads).add(step.span)
        else:
            _collect(step.body, reads, writes)


def _renumbered(body: Sequence[Access | Repeated], old: int, new: int) -> list[Access | Repeated]:
    """`body` with the counter `new` in place of `old`, which takes the same values."""
    if old == new:
        return list(body)
    return [
        replace(step, span=_span(step.span, old, new))
        if isinstance(step, Access)
        else replace(step, body=tuple(_renumbered(step.body, old, new)))
        for step in body
    ]


def _span(span: Span, old: int, new: int) -> Span:
    terms = [(new if number == old else number, factor) for number, factor in span.terms]
    return replace(span, terms=tuple(sorted(terms)))
