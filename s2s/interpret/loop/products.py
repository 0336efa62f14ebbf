"""Interpret copies of operands to scratch, and extensions to 16 bits."""

import numpy as np
from xdsl.dialects.builtin import MemRefType, i8

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length
from s2s.types.dtypes import Array
from s2s.types.hints import isa


@MEANINGS.register(loop.CacheReadOp)
def cache_read(scope: Scope, op: loop.CacheReadOp) -> Step:
    """`loop.cache_read`."""
    places = scope.operands(op.indices)
    at = [position(result, places) for result in op.map.data.results]
    source, target = scope.place(op.source), scope.place(op.target)
    held, room = length(op.source), length(op.target)
    assert isa(op.target.type, MemRefType)
    dtype = np.int8 if op.target.type.element_type == i8 else np.int16
    places_of = _places(int(op.count.value.data), op.side_by_side, op.together)
    count, stride, offset = (int(each.value.data) for each in (op.count, op.stride, op.offset))
    count *= op.together

    def step(frame: Frame) -> None:
        to, start, *limits = [each(frame) for each in at]
        low, high = (max(limits[0], 0), min(limits[1], count)) if limits else (0, count)
        if to < 0 or to + places_of.max() >= room:
            raise CompilerBug(f"{scope.where(op)}: index {to} is outside of {buffer_name(op.target)}")
        row = np.full(count, op.outside, dtype)
        if low < high:
            taken = start + np.arange(low, high) * stride
            if taken.min() < 0 or taken.max() >= held:
                raise CompilerBug(f"{scope.where(op)}: index {taken.max()} is outside of {buffer_name(op.source)}")
            row[low:high] = frame[source][taken].astype(dtype) + dtype(offset)
        if op.pairs is not None:
            row = pair_factors(row.astype(np.int8).reshape(-1, 4)).reshape(-1)
        frame[target][to + places_of] = row if op.flip is None else row ^ np.int8(-128)

    return step


def _places(count: int, points: int, rows: int) -> Array:
    """Return where the elements of `rows` rows lie, `points` of which lie side by side by halves of groups."""
    steps = np.arange(count)
    row = steps if points == 1 else (steps // 2) * (2 * points) + steps % 2
    return (row + 2 * np.arange(rows)[:, None]).reshape(-1)


def pair_factors(x: Array) -> Array:
    """Split groups of four bytes along the last axis into factors of pairs."""
    even, odd = x[..., 0::2].astype(np.int16), x[..., 1::2].astype(np.int16)
    return np.concatenate([127 - even, 256 * odd + (even + 128)], axis=-1, dtype=np.int16)


@MEANINGS.register(loop.PairFactorsOp)
def factors(scope: Scope, op: loop.PairFactorsOp) -> Step:
    """`loop.pair_factors`."""
    vector, result = scope.place(op.vector), scope.new(op.result)

    def step(frame: Frame) -> None:
        frame[result] = pair_factors(frame[vector])

    return step


@MEANINGS.register(loop.HalfOp)
def half(scope: Scope, op: loop.HalfOp) -> Step:
    """`loop.half`."""
    vector, result = scope.place(op.vector), scope.new(op.result)
    first = 2 * int(op.part.value.data)

    def step(frame: Frame) -> None:
        frame[result] = frame[vector][first : first + 2]

    return step


@MEANINGS.register(loop.PairsSumOp)
def pairs_sum(scope: Scope, op: loop.PairsSumOp) -> Step:
    """`loop.pairs_sum`."""
    acc, result = scope.place(op.acc), scope.new(op.result)

    def step(frame: Frame) -> None:
        frame[result] = frame[acc] >> 8

    return step


@MEANINGS.register(loop.PairsOp)
def pairs(scope: Scope, op: loop.PairsOp) -> Step:
    """`loop.pairs`."""
    vector, result = scope.place(op.vector), scope.new(op.result)
    first = 4 * int(op.part.value.data)

    def step(frame: Frame) -> None:
        lanes = frame[vector][first : first + 4]
        numbers = 256 * lanes[1::2].astype(np.int16) + lanes[0::2].view(np.uint8)
        frame[result] = np.concatenate([numbers, lanes[0::2]], dtype=np.int16)

    return step


@MEANINGS.register(loop.ExtendOp)
def extend(scope: Scope, op: loop.ExtendOp) -> Step:
    """`loop.extend`."""
    vector, result = scope.place(op.vector), scope.new(op.result)
    first, offset = 4 * int(op.part.value.data), np.int16(op.offset.value.data)

    def step(frame: Frame) -> None:
        lanes = frame[vector][first : first + 4]
        if lanes.size == 4:
            lanes = np.concatenate([lanes[0::2], lanes[1::2]])
        frame[result] = lanes.astype(np.int16) + offset

    return step
