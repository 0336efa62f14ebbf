"""Derive the timeline of a network: its steps, the dependences between them, and the buffers of the arena over time.

A step is an operation of `main`: the call of a kernel, a copy, or control flow around networks of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.utils.hints import isa

from s2s.analysis.memory.buffers import outputs_of, read_by, written_by
from s2s.analysis.network.arguments import SHAPE, Role, arguments_in, role_of
from s2s.analysis.network.functions import NAME, STATE, main_of
from s2s.dialects import loop
from s2s.dialects.graph.traits import provenance
from s2s.passes.loop.plan_memory import OFFSET
from s2s.support.frozen import frozen
from s2s.types.dtypes import size_in_bytes

BEFORE = -1
"""The step of what is there before the first one: inputs and state."""


@frozen
class Step:
    """One step of a run."""

    kernel: str
    """The symbol of the kernel in the module, or the name of the operation."""
    names: tuple[str, ...]
    """The source nodes."""
    reads: tuple[int, ...]
    """The steps whose results it reads; -1 for inputs and state."""
    weights: int
    """Bytes of the constants that it is given."""
    result: int
    """Bytes that it writes, scratch memory not included."""
    shape: tuple[int, ...]
    """The shape of its first result; empty where nobody stated it."""

    @property
    def nodes(self) -> str:
        """The source nodes, separated by commas."""
        return ", ".join(self.names)


@frozen
class Occupied:
    """A value that occupies the bytes `offset` to `offset + size` of the arena from step `first` to step `last`."""

    name: str
    offset: int
    size: int
    first: int
    last: int
    kind: str
    """`input`, `state`, `result` or `scratch`."""
    value: SSAValue
    """The view of the arena, or the argument of `main`, that names these bytes."""


@frozen
class Timeline:
    """All steps, and all buffers of the arena in the order in which they are written."""

    steps: tuple[Step, ...]
    buffers: tuple[Occupied, ...]

    @property
    def fullest(self) -> int:
        """The first step in which live buffers reach furthest into the arena."""
        ends = np.zeros(max(1, len(self.steps)), np.int64)
        for buffer in self.buffers:
            live = ends[max(0, buffer.first) : max(0, buffer.last + 1)]
            np.maximum(live, buffer.offset + buffer.size, out=live)
        return int(ends.argmax())

    def live(self, step: int) -> list[Occupied]:
        """Return the buffers that hold a value at `step`, the largest first."""
        return sorted(
            (buffer for buffer in self.buffers if buffer.first <= step <= buffer.last), key=lambda buffer: -buffer.size
        )


@frozen
class _Bytes:
    """A byte range of the arena or of a buffer of the caller, as `base` says."""

    base: SSAValue | str
    start: int
    end: int

    def meets(self, other: "_Bytes") -> bool:
        """Return whether the two ranges share a byte."""
        return self.base == other.base and self.start < other.end and other.start < self.end

    def without(self, other: "_Bytes") -> Iterator["_Bytes"]:
        """Return the rest of the range without `other`."""
        if not self.meets(other):
            yield self
            return
        if self.start < other.start:
            yield replace(self, end=other.start)
        if other.end < self.end:
            yield replace(self, start=other.end)


ARENA = "arena"


@dataclass
class _Memory:
    """The contents of the memory after the steps so far: the writer of each byte, and its buffer."""

    held: list[tuple[_Bytes, int, int]] = field(default_factory=list[tuple[_Bytes, int, int]])
    """Ranges with the step that wrote them and the number of their buffer."""
    buffers: list[Occupied] = field(default_factory=list[Occupied])
    elsewhere: int = -1

    def write(self, value: SSAValue, step: int, name: str, kind: str) -> None:
        """Record that `step` writes `value`."""
        place, number = _place(value), self.elsewhere
        if place.base == ARENA:
            number = len(self.buffers)
            self.buffers.append(Occupied(name, place.start, place.end - place.start, step, step, kind, value))
        left = [(part, by, buffer) for held, by, buffer in self.held for part in held.without(place)]
        self.held = [*left, (place, step, number)]

    def read(self, place: _Bytes, step: int) -> set[int]:
        """Record that `step` reads `place`; return the steps that wrote it."""
        writers: set[int] = set()
        for held, by, buffer in self.held:
            if held.meets(place):
                writers.add(by)
                if buffer != self.elsewhere:
                    self.buffers[buffer] = replace(self.buffers[buffer], last=step)
        return writers


def timeline_of(module: ModuleOp) -> Timeline:
    """Return the timeline of a module after `loop-plan-memory`."""
    return timeline_of_network(main_of(module), module)


def timeline_of_network(main: FuncOp, module: ModuleOp) -> Timeline:
    """Return the timeline of `main`, whose kernels `module` defines."""
    kernels = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    memory, steps = _Memory(), list[Step]()
    _fill_inputs(main, memory)
    for op in main.body.block.ops:
        if isinstance(op, loop.ViewOp):
            if isinstance(name := op.attributes.get(STATE), StringAttr):
                memory.write(op.result, BEFORE, name.data, "state")
        elif read_by(op) or written_by(op) or isinstance(op, CallOp):
            steps.append(_step(op, kernels, memory, len(steps)))
    return Timeline(tuple(steps), tuple(_until_the_end(main, memory.buffers, len(steps) - 1)))


def _fill_inputs(main: FuncOp, memory: _Memory) -> None:
    for argument in arguments_in(main, Role.INPUT):
        name = _described(argument).get(NAME)
        memory.write(argument, BEFORE, name.data if isinstance(name, StringAttr) else "input", "input")


def _step(op: Operation, kernels: dict[str, FuncOp], memory: _Memory, number: int) -> Step:
    reads, results, scratch = _uses(op, kernels)
    kernel = op.callee.string_value() if isinstance(op, CallOp) else op.name
    names = tuple(provenance(op))
    nodes = ", ".join(names)
    weights = sum(_size(value) for value in dict.fromkeys(reads) if isinstance(value.owner, loop.WeightOp))
    before = {step for value in reads for step in memory.read(_place(value), number)}
    for value in results:
        memory.write(value, number, nodes or kernel, "result")
    for value in scratch:
        memory.write(value, number, nodes or kernel, "scratch")
    stated = op.attributes.get(SHAPE)
    shape = tuple(map(int, stated.get_values())) if isinstance(stated, DenseArrayBase) else ()
    return Step(kernel, names, tuple(sorted(before - {number})), weights, sum(map(_size, results)), shape)


def _uses(op: Operation, kernels: dict[str, FuncOp]) -> tuple[list[SSAValue], list[SSAValue], list[SSAValue]]:
    """Return the buffers that a step reads, the buffers of its results, and its scratch buffers."""
    if not isinstance(op, CallOp):
        return list(read_by(op)), list(written_by(op)), []
    kernel = kernels[op.callee.string_value()]
    outputs, written, read = set(outputs_of(kernel)), written_by(kernel), read_by(kernel)
    passed = list(zip(kernel.args, op.arguments, strict=True))
    scratch = [value for parameter, value in passed if parameter in written - outputs]
    reads = [value for parameter, value in passed if parameter in read and value not in scratch]
    return reads, [value for parameter, value in passed if parameter in outputs], scratch


def _until_the_end(main: FuncOp, buffers: Sequence[Occupied], last: int) -> Iterator[Occupied]:
    """Return whether a buffer is live at the end of a run, as state and outputs are."""
    outputs = map(_place, arguments_in(main, Role.OUTPUT))
    kept = [place for place in outputs if place.base == ARENA]
    for number, buffer in enumerate(buffers):
        place = _Bytes(ARENA, buffer.offset, buffer.offset + buffer.size)
        ends = buffer.kind == "state" or (
            any(place.meets(other) for other in kept)
            and not any(
                place.meets(_Bytes(ARENA, other.offset, other.offset + other.size)) for other in buffers[number + 1 :]
            )
        )
        yield replace(buffer, last=last) if ends else buffer


def _place(value: SSAValue) -> _Bytes:
    """Return the byte range of a buffer, in the arena or in a buffer outside of it."""
    start, base = 0, value
    if isinstance(value.owner, loop.ViewOp):
        start, base = value.owner.start, value.owner.whole
    described = _described(base)
    if role_of(described) == Role.ARENA:
        return _Bytes(ARENA, start, start + _size(value))
    offset = described.get(OFFSET)
    if isinstance(offset, IntegerAttr):
        return _Bytes(ARENA, start + offset.value.data, start + offset.value.data + _size(value))
    return _Bytes(base, start, start + _size(value))


def _described(value: SSAValue) -> Mapping[str, Attribute]:
    """Return the attributes of an argument of `main`; none for any other value."""
    main = value.owner.parent_op() if isinstance(value, BlockArgument) else None
    if not isinstance(value, BlockArgument) or not isinstance(main, FuncOp) or main.arg_attrs is None:
        return {}
    return main.arg_attrs.data[value.index].data


def _size(value: SSAValue) -> int:
    if not isa(value.type, MemRefType):
        return 0
    return value.type.get_shape()[0] * size_in_bytes(value.type.element_type)
