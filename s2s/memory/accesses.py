"""What a kernel reads of one buffer and writes to another, in the order in which it does so.

A kernel at loop level is nested loops around loads and stores at affine positions. This file reads them off as spans of
bytes over the counters of the loops; `s2s.memory.distances` then compares what is written with what is read later.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, MemRefType, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.utils.hints import isa

from s2s.analysis.affine import Range, bounds, linear
from s2s.analysis.dtypes import size_in_bytes
from s2s.dialects import loop

Terms = tuple[tuple[int, int], ...]
"""Pairs of a loop's number and the bytes that a step of its counter moves, in the order of the loops."""


@dataclass(frozen=True)
class Counter:
    """The counter of a loop: it goes from `first` to `last`, both included, at least `step` at a time.

    `grain` divides the distance of any two of its values. `down` loops begin at `last`.
    """

    first: int
    last: int
    step: int
    grain: int
    down: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether there may be a second iteration."""
        return self.last - self.first >= self.step


@dataclass(frozen=True)
class Span:
    """The bytes from `low + terms` to `high + terms`, the second not included."""

    terms: Terms
    low: int
    high: int


@dataclass(frozen=True)
class Access:
    """A load from the one buffer or a store to the other."""

    span: Span
    writes: bool


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


def trace(kernel: FuncOp, read: SSAValue, written: SSAValue) -> Trace | None:
    """How `kernel` reads its argument `read` and writes its argument `written`; None where that cannot be told."""
    if not _is_understood(read, (loop.LoadOp, loop.LoadAtOp)):
        return None
    if not _is_understood(written, (loop.StoreOp, loop.StoreAtOp, loop.LoadOp, loop.LoadAtOp)):
        return None
    tracer = _Tracer(read, written)
    try:
        body = tuple(tracer.block(kernel.body.block))
    except _NotAffineError:
        return None
    return Trace(body, tuple(tracer.counters))


def buffer_bytes(buffer: SSAValue) -> int:
    """The size of a flat buffer."""
    type = _type(buffer)
    return type.get_shape()[0] * size_in_bytes(type.element_type)


def _type(buffer: SSAValue) -> MemRefType[Attribute]:
    assert isa(buffer.type, MemRefType[Attribute])
    return buffer.type


def _is_understood(buffer: SSAValue, known: tuple[type[Operation], ...]) -> bool:
    return all(isinstance(use.operation, known) for use in buffer.uses)


class _NotAffineError(Exception):
    """A bound or a position depends on data."""


class _Tracer:
    """Walks the blocks of a kernel in order."""

    def __init__(self, read: SSAValue, written: SSAValue) -> None:
        self.read, self.written = read, written
        self.counters: list[Counter] = []
        self.indices: dict[SSAValue, AffineExpr] = {}

    def block(self, block: Block) -> Iterator[Access | Repeated]:
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
                case loop.LoadOp() | loop.LoadAtOp() if op.buffer is self.read:
                    yield Access(self._span(op, op.result.type), writes=False)
                case loop.StoreOp() | loop.StoreAtOp() if op.buffer is self.written:
                    yield Access(self._span(op, op.value.type), writes=True)
                case _:
                    pass

    def _loop(self, op: loop.ForOp) -> Iterator[Repeated]:
        number = len(self.counters)
        self.counters.append(self._counter(op))
        self.indices[op.index] = AffineDimExpr(number)
        body = tuple(self.block(op.body.block))
        if body:
            yield Repeated(number, body)

    def _counter(self, op: loop.ForOp) -> Counter:
        lower = [self._bounds(self._replaced(expr, op.dims)) for expr in op.lower.data.results]
        upper = [self._bounds(self._replaced(expr, op.dims)) for expr in op.upper.data.results]
        step = op.step.value.data
        first, last = max(low for low, _ in lower), min(high for _, high in upper) - 1
        last = max(first, last)
        if len(lower) == 1 and lower[0][0] == lower[0][1]:
            return Counter(first, last - (last - first) % step, step, step)
        return Counter(first, last, step, 1)

    def _span(self, op: loop.LoadOp | loop.StoreOp | loop.LoadAtOp | loop.StoreAtOp, type: Attribute) -> Span:
        """The bytes of one access; all of the buffer where the position is not affine."""
        buffer = _type(op.buffer)
        size = size_in_bytes(buffer.element_type)
        if isinstance(op, loop.LoadAtOp | loop.StoreAtOp):
            return Span((), 0, buffer.get_shape()[0] * size)
        form = linear(self._replaced(op.map.data.results[0], op.indices), self._ranges)
        low = high = form.constant
        terms: list[tuple[int, int]] = []
        for atom, factor in form.terms.items():
            if isinstance(atom, AffineDimExpr):
                terms.append((atom.position, factor * size))
                continue
            ends = [factor * end for end in bounds(atom, self._ranges)]
            low, high = low + min(ends), high + max(ends)
        before, behind = _lanes(op, type)
        return Span(tuple(sorted(terms)), (low + before) * size, (high + behind + 1) * size)

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


def _lanes(op: loop.LoadOp | loop.StoreOp, type: Attribute) -> Range:
    """The first and the last element that a vector touches, counted from its position."""
    if not isa(type, VectorType[Attribute]):
        return 0, 0
    count = type.get_shape()[0] if op.lanes is None else op.lanes.value.data
    reach = (count - 1) * op.lane_stride
    return min(0, reach), max(0, reach)
