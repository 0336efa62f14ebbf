"""Derive the lifetimes and the permitted overlaps of a network's buffers from its kernel calls."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise

from xdsl.dialects.builtin import IntegerType, MemRefType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.dialects import loop
from s2s.memory.accesses import Accesses, buffer_bytes
from s2s.memory.buffers import Overlap
from s2s.memory.distances import Distances, Interval, distances
from s2s.support.mutable import mutable
from s2s.types.hints import isa
from s2s.types.shapes.sliding import ROW_OF_X, last_free_distance, moving


@mutable
class Lifetime:
    """The first and the last step at which a buffer holds a value."""

    first: int
    last: int


@mutable
class Calls:
    """The kernel calls of a network in order, the planned buffers by name, and their lifetimes."""

    steps: Sequence[Operation]
    kernels: Mapping[str, FuncOp]
    names: Mapping[SSAValue, str]
    lives: Mapping[SSAValue, Lifetime]
    align: int
    reverse: Callable[[str], FuncOp | None] = lambda _: None
    """Returns the version of a kernel that runs from the end to the start, or None if there is none."""
    backwards: dict[str, FuncOp] = field(default_factory=dict[str, FuncOp])
    """The reversed kernels found so far, by name."""
    _accesses: dict[tuple[str, bool], Accesses] = field(default_factory=dict[tuple[str, bool], Accesses])
    _known: dict[tuple[str, int, bool], Distances] = field(default_factory=dict[tuple[str, int, bool], Distances])

    def reversible(self, least: int) -> list[str]:
        """Return the kernels that can run backwards and whose result may overlap an operand.

        They are sorted by the bytes of result and operand together, largest first; those with less than `least` are
        left out.
        """
        sizes: dict[str, int] = {}
        for step, op in enumerate(self.steps):
            if isinstance(op, CallOp):
                made = op.arguments[0]
                for dying in dict.fromkeys(op.arguments[1:]):
                    if self._may_overlap(made, dying, step):
                        name = op.callee.string_value()
                        sizes[name] = max(sizes.get(name, 0), buffer_bytes(made) + buffer_bytes(dying))
        wanted = sorted((name for name, size in sizes.items() if size >= least), key=lambda name: -sizes[name])
        for name in wanted:
            if name not in self.backwards and (found := self.reverse(name)) is not None:
                self.backwards[name] = found
        return [name for name in wanted if name in self.backwards]

    def overlaps(self, reversed_kernels: Collection[str] = ()) -> list[Overlap]:
        """Return for every step the outputs that may overlap inputs that die there, as far as the kernel permits.

        The kernels in `reversed_kernels` run backwards.
        """
        found: list[Overlap] = []
        for step, op in enumerate(self.steps):
            if isinstance(op, loop.CopyOp) and self._may_overlap(op.target, op.source, step):
                sizes = buffer_bytes(op.target), buffer_bytes(op.source)
                apart = ((-sizes[0], 0), (0, sizes[1]))
                found.append(Overlap(self.names[op.target], self.names[op.source], apart))
            if isinstance(op, loop.CallRowsOp) and op.count is None:
                found += self._over_rows(op, step)
            if isinstance(op, CallOp):
                made = op.arguments[0]
                for dying in dict.fromkeys(op.arguments[1:]):
                    if self._may_overlap(made, dying, step):
                        found.append(
                            Overlap(self.names[made], self.names[dying], self._forbidden(op, dying, reversed_kernels))
                        )
        return found

    def _over_rows(self, op: loop.CallRowsOp, step: int) -> Iterator[Overlap]:
        """Yield the results that may lie over rows of the input that no body reads any more."""
        x, pieces, rings = op.buffers[ROW_OF_X], op.pieces, moving(op.pieces)
        for at, piece in enumerate(pieces):
            reads_row = any(ROW_OF_X in later.reads for later in pieces[at:])
            for number in piece.gets:
                result = op.buffers[number]
                if number in rings or not self._may_overlap(result, x, step):
                    continue
                size, rows = buffer_bytes(result), piece.steps
                x_row = buffer_bytes(x) // op.rows
                free = last_free_distance((piece.first, piece.last), size // rows, rows, x_row, reads_row=reads_row)
                apart = max(free, -size), buffer_bytes(x)
                yield Overlap(self.names[result], self.names[x], (apart,) if apart[0] < apart[1] else ())

    def _may_overlap(self, made: SSAValue, dying: SSAValue, step: int) -> bool:
        """Return whether `made` is born in the step in which the older `dying` ends, and whether C lets their types
        alias."""
        if made is dying or made not in self.lives or dying not in self.lives:
            return False
        step_reads = [operand for operand in self.steps[step].operands if operand is not dying]
        if dying in map(loop.whole_of, step_reads):
            return False
        first, last = self.lives[made].first, self.lives[dying].last
        return self.lives[dying].first < last == step == first and _may_alias(made, dying)

    def _forbidden(self, call: CallOp, dying: SSAValue, reversed_kernels: Collection[str]) -> tuple[Interval, ...]:
        """Return the distances that the kernel forbids, over all its arguments that are `dying`."""
        name = call.callee.string_value()
        known = [
            self._distances(name, number, name in reversed_kernels)
            for number, each in enumerate(call.arguments)
            if each is dying
        ]
        output, read = known[0].output, known[0].input
        candidates = [
            distance
            for distance in (0, (read - output) // self.align * self.align, -output, read)
            if all(each.allows(distance) for each in known)
        ]
        intervals = [interval for each in known if (interval := each.interval) is not None]
        if not intervals:
            return ()
        low, high = min(low for low, _ in intervals), max(high for _, high in intervals)
        edges = sorted({low, high, *(each for each in candidates if low < each < high)})
        return tuple(pairwise(edges))

    def _distances(self, name: str, number: int, is_reversed: bool) -> Distances:
        if (name, number, is_reversed) not in self._known:
            kernel = (self.backwards if is_reversed else self.kernels)[name]
            output, read = kernel.body.block.args[0], kernel.body.block.args[number]
            if (name, is_reversed) not in self._accesses:
                self._accesses[name, is_reversed] = Accesses(kernel)
            self._known[name, number, is_reversed] = distances(kernel, output, read, self._accesses[name, is_reversed])
        return self._known[name, number, is_reversed]


def _may_alias(made: SSAValue, dying: SSAValue) -> bool:
    """Return whether C lets elements of one buffer be accessed as elements of the other: equal types, or bytes."""
    mine, theirs = _element(made), _element(dying)
    return mine == theirs or any(isa(each, IntegerType) and each.width.data == 8 for each in (mine, theirs))


def _element(buffer: SSAValue) -> Attribute:
    assert isa(buffer.type, MemRefType)
    return buffer.type.element_type
