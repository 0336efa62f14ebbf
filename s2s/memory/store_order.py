"""Prove that steps of a kernel may change places: none of them writes a byte that the other one reads or writes.

    loop.for %i = 0 to 64 { store to y[%i] }             the base of an insert
    loop.for %i = 0 to 4 { store to y[60 + %i] }         the new elements over it

Both write bytes 240 to 255 of `y`, so that the second one has to stay behind the first. Had the first one stopped at
60, the two might swap. A loop may run backwards if no two of its iterations touch the same byte, one of them by a
write: one that stores to `y[2 * i]` and `y[2 * i + 1]` may, one that stores to `y[i]` and `y[i + 1]` may not.
"""

from collections.abc import Iterable

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from s2s.analysis.memory.buffers import written_by
from s2s.dialects import loop
from s2s.memory.accesses import Accesses
from s2s.memory.distances import Hazards
from s2s.memory.independence import Iteration, is_apart, touched
from s2s.memory.private import is_private


class StoreOrder:
    """Decides whether steps of a kernel may change places as far as one of its buffers goes."""

    def __init__(self, kernel: FuncOp, buffer: SSAValue) -> None:
        self._accesses, self._buffer = Accesses(kernel), buffer

    def may_swap(self, one: Iterable[Operation], other: Iterable[Operation], outer: Iterable[loop.ForOp]) -> bool:
        """Return whether operations of one block, inside of the loops `outer`, may run in either order."""
        first, second = (self._accesses.traces_of(ops, self._buffer) for ops in (one, other))
        if first is None or second is None:
            return False
        hazards, shared = Hazards(first.counters), self._numbers(outer)
        (reads, writes), (others_reads, others_writes) = touched(first.body), touched(second.body)
        hazards.compare(writes.spans(), [*others_reads.spans(), *others_writes.spans()], shared, None)
        hazards.compare(others_writes.spans(), list(reads.spans()), shared, None)
        return all(hazard.spares(0) for hazard in hazards.hazards)

    def may_reverse(self, op: loop.ForOp, outer: Iterable[loop.ForOp]) -> bool:
        """Return whether the iterations of a loop, inside of the loops `outer`, may run in either order: they touch
        other bytes of the buffer, and of other buffers that they write, too, or only what they have written before."""
        scratch = written_by(op) - {self._buffer}
        return self._is_apart(op, outer, self._buffer) and all(
            self._is_apart(op, outer, each) or is_private(self._accesses, op, each) for each in scratch
        )

    def _is_apart(self, op: loop.ForOp, outer: Iterable[loop.ForOp], buffer: SSAValue) -> bool:
        trace, number = self._accesses.traces_of(op.body.block.ops, buffer), self._accesses.number_of(op)
        if trace is None or number is None:
            return False
        return is_apart(Iteration(trace.body, trace.counters, self._numbers(outer), number))

    def _numbers(self, loops: Iterable[loop.ForOp]) -> frozenset[int]:
        numbers = (self._accesses.number_of(each) for each in loops)
        return frozenset(number for number in numbers if number is not None)
