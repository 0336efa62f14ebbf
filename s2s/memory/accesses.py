"""What a kernel reads of one buffer and writes to another, in the order in which it does so.

A kernel at loop level is nested loops around loads and stores at affine positions. This file reads them off as spans of
bytes over the counters of the loops; `s2s.memory.distances` then compares what is written with what is read later.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, MemRefType, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.traits import MemoryEffectKind, only_has_effect
from xdsl.utils.hints import isa

from s2s.dialects import loop
from s2s.dialects.loop.control import PARALLEL
from s2s.memory.counters import Counter, from_start, grain_from, never_runs
from s2s.types.affine import Range, bounds, linear
from s2s.types.dtypes import size_in_bytes

Terms = tuple[tuple[int, int], ...]
"""Pairs of a loop's number and the bytes that a step of its counter moves, in the order of the loops."""


@dataclass(frozen=True)
class Span:
    """The bytes from `low + terms` to `high + terms`, the second not included."""

    terms: Terms
    low: int
    high: int


@dataclass(frozen=True)
class Access:
    """A load from a buffer or a store to one."""

    span: Span
    writes: bool
    buffer: SSAValue


@dataclass(frozen=True)
class Repeated:
    """What a loop does in each iteration; `number` is the loop's."""

    number: int
    body: tuple["Access | Repeated", ...]


@dataclass(frozen=True)
class Trace:
    """Loads from one argument of a kernel and stores to another, with the counters of all loops by number."""

    body: tuple[Access | Repeated, ...]
    counters: tuple[Counter, ...]


class Accesses:
    """All that a kernel reads and writes, read off once for any pair of its arguments.

    Where `within` narrows the counters of some loops, only their iterations between these values, both included.
    """

    def __init__(self, kernel: FuncOp, within: Mapping[loop.ForOp, Range] | None = None) -> None:
        self._tracer = _Tracer(within or {})
        try:
            self._body: tuple[Access | Repeated, ...] | None = tuple(self._tracer.block(kernel.body.block))
        except _NotAffineError:
            self._body = None

    def trace(self, read: SSAValue, written: SSAValue) -> Trace | None:
        """How the kernel reads argument `read` and writes argument `written`; None where that cannot be told."""
        if not all(
            only_has_effect(use.operation, MemoryEffectKind.READ) or _stages(use) or _fetches(use) for use in read.uses
        ):
            return None
        if not all(
            isinstance(use.operation, loop.StoreOp | loop.StoreAtOp | loop.StoreInterleavedOp) for use in written.uses
        ):
            return None
        return self._pair(read, written)

    def own_trace(self, buffer: SSAValue) -> Trace | None:
        """How the kernel reads and writes its argument `buffer`; None where that cannot be told."""
        if not all(
            isinstance(use.operation, loop.LoadOp | loop.StoreOp | loop.StoreInterleavedOp) for use in buffer.uses
        ):
            return None
        return self._pair(buffer, buffer)

    def _pair(self, read: SSAValue, written: SSAValue) -> Trace | None:
        if self._body is None or self._tracer.unknown & {read, written}:
            return None
        return Trace(tuple(_of(self._body, read, written)), tuple(self._tracer.counters))


def _of(body: Sequence[Access | Repeated], read: SSAValue, written: SSAValue) -> Iterator[Access | Repeated]:
    """The loads from `read` and the stores to `written`."""
    for step in body:
        if isinstance(step, Repeated):
            inner = tuple(_of(step.body, read, written))
            if inner:
                yield Repeated(step.number, inner)
        elif step.buffer is (written if step.writes else read):
            yield step


def parallel_loops(kernel: FuncOp) -> list[loop.ForOp]:
    """The outermost loops of `kernel` whose iterations may run at the same time."""
    return [op for op in kernel.body.block.ops if isinstance(op, loop.ForOp) and op.kind.data == PARALLEL]


def buffer_bytes(buffer: SSAValue) -> int:
    """The size of a flat buffer."""
    type = _type(buffer)
    return type.get_shape()[0] * size_in_bytes(type.element_type)


def _whole(buffer: SSAValue, *, writes: bool) -> Access:
    return Access(Span((), 0, buffer_bytes(buffer)), writes, buffer)


def _type(buffer: SSAValue) -> MemRefType[Attribute]:
    assert isa(buffer.type, MemRefType)
    return buffer.type


def _stages(use: Use) -> bool:
    """Whether a buffer is copied from."""
    return isinstance(use.operation, loop.StageOp) and use.operation.source is use.operation.operands[use.index]


def _fetches(use: Use) -> bool:
    """Whether a buffer is brought nearer, which neither reads nor writes it."""
    return isinstance(use.operation, loop.PrefetchOp)


class _NotAffineError(Exception):
    """A bound or a position depends on data."""


class _Tracer:
    """Walks the blocks of a kernel in order."""

    def __init__(self, within: Mapping[loop.ForOp, Range]) -> None:
        self.within = within
        self.counters: list[Counter] = []
        self.unknown: set[SSAValue] = set()
        """Buffers that are accessed at positions that depend on data."""
        self.indices: dict[SSAValue, AffineExpr] = {}

    def block(self, block: Block) -> Iterator[Access | Repeated]:
        """What the operations of a block do, in order; both branches of a condition, one after the other."""
        for op in block.ops:
            match op:
                case loop.ForOp():
                    yield from self._loop(op)
                case loop.IfOp():
                    for region in op.regions:
                        if region.blocks:
                            yield from self.block(region.block)
                case loop.ApplyOp() if all(index in self.indices for index in op.indices):
                    self.indices[op.result] = self._replaced(op.map.data.results[0], op.indices)
                case arith.ConstantOp() if isinstance(op.value, IntegerAttr):
                    self.indices[op.result] = AffineConstantExpr(op.value.value.data)
                case _:
                    yield from self._touched(op)

    def _touched(self, op: Operation) -> Iterator[Access | Repeated]:
        """What one operation reads and writes."""
        buffers = [operand for operand in op.operands if isa(operand.type, MemRefType)]
        try:
            yield from self._accesses(op, buffers)
        except _NotAffineError:
            self.unknown.update(buffers)

    def _accesses(self, op: Operation, buffers: Sequence[SSAValue]) -> Iterator[Access | Repeated]:
        match op:
            case loop.LoadOp() | loop.LoadAtOp():
                yield self._access(op, op.result.type, writes=False)
            case loop.StageOp():
                yield from self._staged(op)
            case loop.StoreOp() | loop.StoreAtOp():
                yield self._access(op, op.value.type, writes=True)
            case loop.StoreInterleavedOp():
                yield self._woven(op)
            case loop.DotRowsOp() if op.x is not op.w:
                row = (0, op.steps.value.data - 1)
                yield self._row(op.x, self._replaced(op.map.data.results[0], op.indices), row, 1, writes=False)
                yield _whole(op.w, writes=False)
            case loop.PrefetchOp():
                pass
            case _:
                yield from (_whole(buffer, writes=False) for buffer in buffers)

    def _loop(self, op: loop.ForOp) -> Iterator[Repeated]:
        lower = [self._replaced(expr, op.dims) for expr in op.lower.data.results]
        upper = [self._replaced(expr, op.dims) for expr in op.upper.data.results]
        if self.within and never_runs(lower, upper, self._ranges):
            return
        number = len(self.counters)
        counted = from_start(lower, upper, op.step.value.data, self._ranges) if self._starts_anywhere(op) else None
        self.indices[op.index] = AffineDimExpr(number) if counted is None else counted[0] + AffineDimExpr(number)
        self.counters.append(self._counter(op, lower, upper) if counted is None else counted[1])
        body = tuple(self.block(op.body.block))
        if body:
            yield Repeated(number, body)

    def _starts_anywhere(self, op: loop.ForOp) -> bool:
        """Whether positions are told from the start of a loop: in narrowed kernels, where the start may move."""
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
            return Counter(first, last, step, step, down=op.down is not None, parallel=op.kind.data == PARALLEL)
        grain = grain_from(lower[0], step, self.counters) if self.within and len(lower) == 1 else 1
        return Counter(first, last - (last - first) % grain, step, grain)

    def _access(
        self, op: loop.LoadOp | loop.StoreOp | loop.LoadAtOp | loop.StoreAtOp, type: Attribute, *, writes: bool
    ) -> Access | Repeated:
        """One access; of all of the buffer where the position is not affine."""
        if isinstance(op, loop.LoadAtOp | loop.StoreAtOp):
            return _whole(op.buffer, writes=writes)
        position, lanes = self._replaced(op.map.data.results[0], op.indices), 1
        if isa(type, VectorType):
            lanes = type.get_shape()[0] if op.lanes is None else op.lanes.value.data
        return self._row(op.buffer, position, (0, lanes - 1), op.lane_stride, writes=writes)

    def _staged(self, op: loop.StageOp) -> Iterator[Access | Repeated]:
        """The elements that a widening copy reads, at most; none where it stores nothing but zeros."""
        results = [self._replaced(expr, op.indices) for expr in op.map.data.results]
        first, last = 0, op.count.value.data - 1
        if op.is_clipped:
            first, last = max(first, self._bounds(results[2])[0]), min(last, self._bounds(results[3])[1] - 1)
        if first <= last:
            yield self._row(op.source, results[1], (first, last), op.stride.value.data, writes=False)

    def _woven(self, op: loop.StoreInterleavedOp) -> Repeated:
        """Neighbours for each lane."""
        number = len(self.counters)
        self.counters.append(Counter(0, op.active - 1, 1, 1))
        position = self._replaced(op.map.data.results[0], op.indices) + AffineDimExpr(number) * op.lane_stride
        span = self._bytes(op.buffer, position, (0, len(op.values) - 1))
        return Repeated(number, (Access(span, True, op.buffer),))

    def _row(
        self, buffer: SSAValue, position: AffineExpr, places: Range, stride: int, *, writes: bool
    ) -> Access | Repeated:
        """Elements at `position + i * stride` for every `i` of `places`; neighbours are one access."""
        if stride == 1 or places[0] == places[1]:
            ends = (places[0] * stride, places[1] * stride)
            return Access(self._bytes(buffer, position, ends), writes, buffer)
        number = len(self.counters)
        self.counters.append(Counter(*places, 1, 1))
        span = self._bytes(buffer, position + AffineDimExpr(number) * stride, (0, 0))
        return Repeated(number, (Access(span, writes, buffer),))

    def _bytes(self, buffer: SSAValue, position: AffineExpr, reach: Range) -> Span:
        """The bytes of the elements of `reach` around `position`."""
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
        return Span(tuple(sorted(terms)), (low + reach[0]) * size, (high + reach[1] + 1) * size)

    @property
    def _ranges(self) -> list[Range]:
        return [(counter.first, counter.last) for counter in self.counters]

    def _bounds(self, expr: AffineExpr) -> Range:
        return bounds(expr, self._ranges)

    def _replaced(self, expr: AffineExpr, indices: Sequence[SSAValue]) -> AffineExpr:
        """`expr` over the counters of the loops."""
        if not all(index in self.indices for index in indices):
            raise _NotAffineError
        return expr.replace_dims_and_symbols([self.indices[index] for index in indices], ())
