"""Collect the reads and writes of a kernel as byte ranges, affine in its loop counters, in program order.

A kernel at loop level is nested loops around operations that list their accesses at affine positions
(`loop.AccessInterface`). In a loop over `i`, a load of two floats at element `8 * i + 3` is the span of bytes from `32
* i + 12` to `32 * i + 20`. `s2s.memory.distances` then compares each write with the reads that follow it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.traits import MemoryEffectKind

from s2s.analysis.memory.buffers import accessed
from s2s.dialects import loop
from s2s.dialects.loop.control import PARALLEL
from s2s.errors import EndsEarly
from s2s.memory.counters import Counter, from_start, grain_from, never_runs
from s2s.types.affine import Range, at_dims, bounds, linear
from s2s.types.dtypes import size_in_bytes
from s2s.types.hints import isa

Terms = tuple[tuple[int, int], ...]
"""Pairs of a loop's number and the bytes by which one step of its counter moves a span, in the order of the loops."""


class Span(NamedTuple):
    """The bytes from `low + terms` to `high + terms`; the end is not included."""

    terms: Terms
    low: int
    high: int


class ByteAccess(NamedTuple):
    """A load from a buffer or a store to one."""

    span: Span
    writes: bool
    buffer: SSAValue
    exact: bool = False
    """Whether it always touches all bytes of the span, and not only some of them."""


class Repeated(NamedTuple):
    """The accesses of one iteration of loop `number`."""

    number: int
    body: tuple["ByteAccess | Repeated", ...]


class Trace(NamedTuple):
    """Loads from one argument of a kernel and stores to another, with the counters of all loops by number."""

    body: tuple[ByteAccess | Repeated, ...]
    counters: tuple[Counter, ...]


class Accesses:
    """All reads and writes of a kernel, collected once for every pair of its arguments.

    `within` restricts the counters of some loops to the iterations between two values, both included.
    """

    def __init__(self, kernel: FuncOp, within: Mapping[loop.ForOp, Range] | None = None) -> None:
        self._tracer = _Tracer(within or {})
        try:
            self._body: tuple[ByteAccess | Repeated, ...] | None = tuple(self._tracer.block(kernel.body.block))
        except _NotAffineError:
            self._body = None

    def trace(self, read: SSAValue, written: SSAValue) -> Trace | None:
        """Return the reads of argument `read` and the writes of argument `written`; None if they are unknown, or if the
        kernel also writes `read` or reads `written`."""
        if read in self._tracer.written or written in self._tracer.read:
            return None
        return self._pair(read, written)

    def own_trace(self, buffer: SSAValue) -> Trace | None:
        """Return the reads and writes of argument `buffer`; None if they are unknown."""
        return self._pair(buffer, buffer)

    def traces_of(self, ops: Iterable[Operation], buffer: SSAValue) -> Trace | None:
        """Return the reads and writes of argument `buffer` by some operations of the kernel, or by what is nested in
        them; None if they are unknown."""
        if self._body is None or buffer in self._tracer.unknown:
            return None
        body = [step for op in ops for step in self._tracer.steps.get(op, ())]
        return Trace(tuple(_of(body, buffer, buffer)), tuple(self._tracer.counters))

    def number_of(self, op: loop.ForOp) -> int | None:
        """Return the number of the counter of a loop; None for one that never runs."""
        return self._tracer.numbers.get(op)

    def _pair(self, read: SSAValue, written: SSAValue) -> Trace | None:
        if self._body is None or self._tracer.unknown & {read, written}:
            return None
        return Trace(tuple(_of(self._body, read, written)), tuple(self._tracer.counters))


def _of(body: Sequence[ByteAccess | Repeated], read: SSAValue, written: SSAValue) -> Iterator[ByteAccess | Repeated]:
    """Return the loads from `read` and the stores to `written`."""
    for step in body:
        if isinstance(step, Repeated):
            inner = tuple(_of(step.body, read, written))
            if inner:
                yield Repeated(step.number, inner)
        elif step.buffer is (written if step.writes else read):
            yield step


def _of_branches(
    branches: Sequence[tuple["ByteAccess | Repeated", ...]], op: loop.IfOp
) -> Iterator["ByteAccess | Repeated"]:
    """Return the accesses of all branches of a condition: exact behind the last one if all branches have them."""
    shared = set[ByteAccess | Repeated]()
    if len(branches) == len(op.regions) > 1:
        shared = set(branches[-1]).intersection(*branches)
    for branch in branches[:-1]:
        yield from map(_at_times, branch)
    yield from (step if step in shared else _at_times(step) for step in branches[-1])


def _at_times(step: "ByteAccess | Repeated") -> "ByteAccess | Repeated":
    """Return accesses that a run may leave out."""
    if isinstance(step, Repeated):
        return step._replace(body=tuple(map(_at_times, step.body)))
    return step._replace(exact=False)


def parallel_loops(kernel: FuncOp) -> list[loop.ForOp]:
    """Return the outermost loops of `kernel` whose iterations may run at the same time."""
    return [op for op in kernel.body.block.ops if isinstance(op, loop.ForOp) and op.kind.data == PARALLEL]


def buffer_bytes(buffer: SSAValue) -> int:
    """Return the bytes of a flat buffer."""
    type = _type(buffer)
    return type.get_shape()[0] * size_in_bytes(type.element_type)


def _whole(buffer: SSAValue, *, writes: bool) -> ByteAccess:
    return ByteAccess(Span((), 0, buffer_bytes(buffer)), writes, buffer)


def _type(buffer: SSAValue) -> MemRefType[Attribute]:
    assert isa(buffer.type, MemRefType)
    return buffer.type


def _unknown_accesses(op: Operation) -> list[loop.Access]:
    """Return the accesses of an operation that does not list them: to any element, by the kinds of its effects."""
    kinds = (MemoryEffectKind.WRITE, MemoryEffectKind.READ)
    return [loop.Access(buffer, kind) for kind in kinds for buffer in accessed(op, kind)]


class _NotAffineError(EndsEarly):
    """Raised where a loop bound or a position depends on data."""


class _Tracer:
    """Walks the blocks of a kernel in program order and collects accesses."""

    def __init__(self, within: Mapping[loop.ForOp, Range]) -> None:
        self.within = within
        self.counters: list[Counter] = []
        self.read: set[SSAValue] = set()
        self.written: set[SSAValue] = set()
        self.unknown: set[SSAValue] = set()
        """Buffers that are accessed at positions that depend on data."""
        self.indices: dict[SSAValue, AffineExpr] = {}
        self.sizes_by_name: dict[Attribute, int] = {}
        """For each size of the run the number of its counter."""
        self.shifted: dict[SSAValue, tuple[SSAValue, AffineExpr]] = {}
        """For each buffer that begins inside of another one that one, and the element that it begins with."""
        self.steps: dict[Operation, tuple[ByteAccess | Repeated, ...]] = {}
        """The accesses of each operation that has any."""
        self.numbers: dict[loop.ForOp, int] = {}
        """The numbers of the counters of loops."""

    def block(self, block: Block) -> Iterator[ByteAccess | Repeated]:
        """Return the accesses of a block's operations in order; the branches of a condition follow each other."""
        for op in block.ops:
            if found := tuple(self._of_operation(op)):
                self.steps[op] = found
                yield from found

    def _of_operation(self, op: Operation) -> Iterator[ByteAccess | Repeated]:
        match op:
            case loop.ForOp():
                yield from self._loop(op)
            case loop.IfOp():
                yield from _of_branches([tuple(self.block(each.block)) for each in op.regions if each.blocks], op)
            case loop.ApplyOp() if all(index in self.indices for index in op.indices):
                self.indices[op.result] = self._replaced(op.map.data.results[0], op.indices)
            case loop.SizeOp():
                if op.size not in self.sizes_by_name:
                    self.sizes_by_name[op.size] = len(self.counters)
                    self.counters.append(Counter(*op.bounds, 1, 1))
                self.indices[op.result] = AffineDimExpr(self.sizes_by_name[op.size])
            case loop.ShiftOp():
                self.shifted[op.result] = op.source, self._replaced(op.map.data.results[0], op.indices)
            case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
                self.indices[op.result] = AffineConstantExpr(op.value.value.data)
            case _:
                yield from self._touched(op)

    def _touched(self, op: Operation) -> Iterator[ByteAccess | Repeated]:
        """Return the accesses of one operation, writes first, because it may write before it has read everything."""
        accesses = op.accesses() if isinstance(op, loop.AccessInterface) else _unknown_accesses(op)
        read = {access.buffer for access in accesses if access.kind is not MemoryEffectKind.WRITE}
        for access in sorted(accesses, key=lambda access: access.kind is not MemoryEffectKind.WRITE):
            source, first = self.shifted.get(access.buffer, (access.buffer, AffineConstantExpr(0)))
            (self.written if access.kind is MemoryEffectKind.WRITE else self.read).add(source)
            try:
                yield from self._access(access, source, first, is_read=access.buffer in read)
            except _NotAffineError:
                self.unknown.add(source)

    def _loop(self, op: loop.ForOp) -> Iterator[Repeated]:
        lower = [self._replaced(expr, op.dims) for expr in op.lower.data.results]
        upper = [self._replaced(expr, op.dims) for expr in op.upper.data.results]
        if self.within and never_runs(lower, upper, self._ranges):
            return
        number = self.numbers[op] = len(self.counters)
        counted = None
        if self._starts_anywhere(op):
            counted = from_start(lower, upper, op.step.value.data, self._ranges, self.sizes)
        self.indices[op.index] = AffineDimExpr(number) if counted is None else counted[0] + AffineDimExpr(number)
        self.counters.append(self._counter(op, lower, upper) if counted is None else counted[1])
        body = tuple(self.block(op.body.block))
        if body:
            yield Repeated(number, body)

    def _starts_anywhere(self, op: loop.ForOp) -> bool:
        """Return whether the counter of `op` is taken relative to its start, as in restricted kernels, whose start may
        vary."""
        return bool(self.within) and op.fixed_bounds is None and op.down is None

    def _counter(self, op: loop.ForOp, lower: Sequence[AffineExpr], upper: Sequence[AffineExpr]) -> Counter:
        step = op.step.value.data
        if op in self.within:
            return Counter(*self.within[op], step, step)
        starts, ends = [self._bounds(expr) for expr in lower], [self._bounds(expr) for expr in upper]
        first, last = max(low for low, _ in starts), min(high for _, high in ends) - 1
        last = max(first, last)
        if len(starts) == 1 and starts[0][0] == starts[0][1]:
            last -= (last - first) % step
            every = len(ends) == 1 and first < ends[0][0] == ends[0][1]
            cuts = self._cuts(upper, ends, last + step) if first < min(high for _, high in ends) else ()
            return Counter(first, last, step, step, op.down is not None, op.kind.data == PARALLEL, every, cuts)
        grain = grain_from(lower[0], step, self.counters) if self.within and len(lower) == 1 else 1
        return Counter(first, last - (last - first) % grain, step, grain)

    def _cuts(self, upper: Sequence[AffineExpr], ends: Sequence[Range], end: int) -> tuple[AffineExpr, ...]:
        """Return how far each end of a loop that depends on sizes is from `end`, the one at the greatest sizes in steps
        of the loop; nothing where another end is not constant."""
        sized = [expr for expr in upper if not expr.used_dims().isdisjoint(self.sizes)]
        others = [end for expr, end in zip(upper, ends, strict=True) if expr not in sized]
        if any(low != high for low, high in others):
            return ()
        return tuple(expr + -end for expr in sized)

    def _access(
        self, access: loop.Access, source: SSAValue, begin: AffineExpr, *, is_read: bool
    ) -> Iterator[ByteAccess | Repeated]:
        """Return the bytes of one access of a buffer that begins with element `begin` of `source`: contiguous elements
        are one span, any other extent becomes a loop of its own. What its operation reads, too, it does not write in
        front of all that follows."""
        writes = access.kind is MemoryEffectKind.WRITE
        if access.start is None:
            yield _whole(source, writes=writes)
            return
        position, reach, numbers = self._replaced(access.start, access.indices) + begin, (0, 0), list[int]()
        exact = not (writes and is_read) and all(each.low is None and each.high is None for each in access.extents)
        for extent in access.extents:
            first, last = self._clipped(extent, access.indices)
            if first > last:
                return
            if extent.stride in (0, 1) or first == last:
                reach = (reach[0] + first * extent.stride, reach[1] + last * extent.stride)
                continue
            numbers.append(len(self.counters))
            self.counters.append(Counter(first, last, 1, 1, every=exact))
            position += AffineDimExpr(numbers[-1]) * extent.stride
        span, is_affine = self._bytes(source, position, reach)
        found: ByteAccess | Repeated = ByteAccess(span, writes, source, exact and is_affine)
        for number in reversed(numbers):
            found = Repeated(number, (found,))
        yield found

    def _clipped(self, extent: loop.Extent, indices: Sequence[SSAValue]) -> Range:
        """Return an upper bound of the first and the last index along an extent."""
        first, last = 0, extent.count - 1
        if extent.low is not None:
            first = max(first, self._bounds(self._replaced(extent.low, indices))[0])
        if extent.high is not None:
            last = min(last, self._bounds(self._replaced(extent.high, indices))[1] - 1)
        return first, last

    def _bytes(self, buffer: SSAValue, position: AffineExpr, reach: Range) -> tuple[Span, bool]:
        """Return the bytes of the elements of `reach` relative to `position`, and whether these are no more: a position
        that is not affine is taken for any within its bounds."""
        size = size_in_bytes(_type(buffer).element_type)
        form = linear(position, self._ranges)
        low = high = form.constant
        terms: list[tuple[int, int]] = []
        for atom, factor in form.terms.items():
            if isinstance(atom, AffineDimExpr):
                terms.append((atom.position, factor * size))
                continue
            ends = [factor * end for end in bounds(atom, self._ranges)]
            low, high = low + min(ends), high + max(ends)
        return Span(tuple(sorted(terms)), (low + reach[0]) * size, (high + reach[1] + 1) * size), low == high

    @property
    def sizes(self) -> Collection[int]:
        """The numbers of the counters that stand for sizes of the run."""
        return self.sizes_by_name.values()

    @property
    def _ranges(self) -> list[Range]:
        return [(counter.first, counter.last) for counter in self.counters]

    def _bounds(self, expr: AffineExpr) -> Range:
        return bounds(expr, self._ranges)

    def _replaced(self, expr: AffineExpr, indices: Sequence[SSAValue]) -> AffineExpr:
        """Rewrite `expr` over the counters of the loops."""
        if not all(index in self.indices for index in indices):
            raise _NotAffineError
        return at_dims(expr, [self.indices[index] for index in indices])
