"""Interpret loads and stores with checked positions, views of the arena, and weights."""

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, Position, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import AnyMemRef, Scope, Step, buffer_name, length, memref
from s2s.interpret.scalar import dtype_of, signless
from s2s.types.dtypes import Array, size_in_bytes, to_numpy
from s2s.types.hints import isa

PATTERN = -91
"""The value of poisoned bytes: 0xA5."""


def allocate(type: AnyMemRef, *, poison: bool) -> Array:
    """Allocate a buffer without defined contents."""
    dtype = to_numpy(type.element_type)
    count = type.get_shape()[0]
    return np.full(count * dtype.itemsize, 0xFF if poison else 0, np.uint8).view(dtype)


def flat(array: Array) -> Array:
    """Return the elements of `array` as one row, without a copy even if it is a splat."""
    if array.size and not any(array.strides):
        return np.broadcast_to(array[(0,) * array.ndim], (array.size,))
    return array.reshape(-1)


@MEANINGS.register(loop.LoadOp)
def load(scope: Scope, op: loop.LoadOp) -> Step:
    """`loop.load`."""
    at = position(op.map.data.results[0], scope.operands(op.indices))
    buffer, size = scope.place(op.buffer), length(op.buffer)
    result = scope.new(op.result)
    if not isa(op.result.type, VectorType):
        return _load_scalar(scope, op, op.buffer, at, result)
    lanes = _Lanes(op.result.type, op.lanes, op.lane_stride)
    rest = None if op.lanes is None else np.zeros(op.result.type.get_shape(), dtype_of(op.result.type))

    def step(frame: Frame) -> None:
        first = at(frame)
        if first + lanes.low < 0 or first + lanes.high >= size:
            raise _outside(scope, op, op.buffer, lanes.wrong(first))
        value = frame[buffer][lanes.at(first)].copy()
        if rest is not None:
            value = np.concatenate([value, rest[lanes.count :]])
        frame[result] = value

    return step


@MEANINGS.register(loop.StoreOp)
def store(scope: Scope, op: loop.StoreOp) -> Step:
    """`loop.store`."""
    at = position(op.map.data.results[0], scope.operands(op.indices))
    buffer, size, value = scope.place(op.buffer), length(op.buffer), scope.place(op.value)
    if not isa(op.value.type, VectorType):
        return _store_scalar(scope, op, op.buffer, at, value)
    lanes = _Lanes(op.value.type, op.lanes, op.lane_stride)

    def step(frame: Frame) -> None:
        first = at(frame)
        if first + lanes.low < 0 or first + lanes.high >= size:
            raise _outside(scope, op, op.buffer, lanes.wrong(first))
        try:
            frame[buffer][lanes.at(first)] = frame[value][: lanes.count]
        except ValueError as error:
            raise _constant(scope, op, op.buffer) from error

    return step


class _Lanes:
    """The elements that a vector access touches, relative to its position."""

    def __init__(self, vector: VectorType[Attribute], lanes: IntegerAttr[Any] | None, stride: int) -> None:
        self.count = vector.get_shape()[0] if lanes is None else int(lanes.value.data)
        self.low, self.high = sorted((0, (self.count - 1) * stride))
        self.at: Callable[[int], Any] = self._row if stride == 1 else self._scattered
        self.offsets = np.arange(self.count) * stride

    def wrong(self, first: int) -> int:
        """Return the first index out of bounds, for the error message."""
        return first + (self.low if first + self.low < 0 else self.high)

    def _row(self, first: int) -> slice:
        return slice(first, first + self.count)

    def _scattered(self, first: int) -> Array:
        return first + self.offsets


@MEANINGS.register(loop.LoadAtOp)
def load_at(scope: Scope, op: loop.LoadAtOp) -> Step:
    """`loop.load_at`."""
    place = scope.place(op.index)
    return _load_scalar(scope, op, op.buffer, lambda frame: frame[place], scope.new(op.result))


@MEANINGS.register(loop.StoreAtOp)
def store_at(scope: Scope, op: loop.StoreAtOp) -> Step:
    """`loop.store_at`."""
    place = scope.place(op.index)
    return _store_scalar(scope, op, op.buffer, lambda frame: frame[place], scope.place(op.value))


@MEANINGS.register(loop.PrefetchOp)
def prefetch(scope: Scope, op: loop.PrefetchOp) -> Step:
    """`loop.prefetch`: checks only that the position is not negative."""
    at = position(op.map.data.results[0], scope.operands(op.indices))

    def step(frame: Frame) -> None:
        if at(frame) < 0:
            raise _outside(scope, op, op.buffer, at(frame))

    return step


@MEANINGS.register(loop.ViewOp)
def view(scope: Scope, op: loop.ViewOp) -> Step:
    """`loop.view`."""
    type, start = memref(op.result), op.offset.value.data
    end = start + length(op.result) * size_in_bytes(type.element_type)
    arena, result, dtype = scope.place(op.arena), scope.new(op.result), dtype_of(type.element_type)

    def step(frame: Frame) -> None:
        frame[result] = frame[arena].view(np.uint8)[start:end].view(dtype)

    return step


@MEANINGS.register(loop.ShiftOp)
def shift(scope: Scope, op: loop.ShiftOp) -> Step:
    """`loop.shift`."""
    at = position(op.map.data.results[0], scope.operands(op.indices))
    source, result, size, count = scope.place(op.source), scope.new(op.result), length(op.source), length(op.result)

    def step(frame: Frame) -> None:
        first = at(frame)
        if first < 0 or first + count > size:
            raise _outside(scope, op, op.source, first)
        frame[result] = frame[source][first : first + count]

    return step


@MEANINGS.register(loop.AllocOp)
def alloc(scope: Scope, op: loop.AllocOp) -> Step:
    """`loop.alloc`: its contents are undefined."""
    type, result, poison = memref(op.result), scope.new(op.result), scope.options.poison

    def step(frame: Frame) -> None:
        frame[result] = signless(allocate(type, poison=poison))

    return step


@MEANINGS.register(loop.PoisonOp)
def poison(scope: Scope, op: loop.PoisonOp) -> Step:
    """`loop.poison`."""
    buffer = scope.place(op.buffer)

    def step(frame: Frame) -> None:
        frame[buffer][:] = PATTERN

    return step


@MEANINGS.register(loop.WeightOp)
def weight(scope: Scope, op: loop.WeightOp) -> Step | None:
    """`loop.weight`: a constant, which the frame holds from the start."""
    type, values = memref(op.result), flat(scope.weights.get(op.weight.data))
    if len(values) != length(op.result) or values.dtype != to_numpy(type.element_type):
        raise CompilerBug(f"{scope.where(op)}: weight {op.weight.data!r} is {len(values)} {values.dtype}, not {type}")
    scope.new(op.result, signless(values))
    return None


def _load_scalar(scope: Scope, op: Operation, source: SSAValue, at: Position, result: int) -> Step:
    buffer, size = scope.place(source), length(source)

    def step(frame: Frame) -> None:
        index = at(frame)
        if not 0 <= index < size:
            raise _outside(scope, op, source, index)
        frame[result] = frame[buffer][index]

    return step


def _store_scalar(scope: Scope, op: Operation, target: SSAValue, at: Position, value: int) -> Step:
    buffer, size = scope.place(target), length(target)

    def step(frame: Frame) -> None:
        index = at(frame)
        if not 0 <= index < size:
            raise _outside(scope, op, target, index)
        try:
            frame[buffer][index] = frame[value]
        except ValueError as error:
            raise _constant(scope, op, target) from error

    return step


def _outside(scope: Scope, op: Operation, buffer: SSAValue, index: int) -> CompilerBug:
    return CompilerBug(f"{scope.where(op)}: index {index} is outside of {buffer_name(buffer)}")


def _constant(scope: Scope, op: Operation, buffer: SSAValue) -> CompilerBug:
    return CompilerBug(f"{scope.where(op)}: {buffer_name(buffer)} is an input or a weight and cannot be written")
