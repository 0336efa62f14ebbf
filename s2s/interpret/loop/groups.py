"""Interpret loads of groups of small integers."""

import numpy as np
from xdsl.dialects.builtin import VectorType

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.nibbles import neighbours
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length
from s2s.types.hints import isa


@MEANINGS.register(loop.LoadGroupsOp)
def load_groups(scope: Scope, op: loop.LoadGroupsOp) -> Step:
    """`loop.load_groups`."""
    at = position(op.map.data.results[0], scope.operands(op.indices))
    buffer, result, size = scope.place(op.buffer), scope.new(op.result), length(op.buffer)
    between, stride, count = (each.value.data for each in (op.lane_stride, op.stride, op.count))
    assert isa(op.result.type, VectorType)
    lanes = op.result.type.get_shape()[0]
    nibbles = op.nibbles is not None
    places = np.arange(lanes)[:, None] * between + np.arange(count) * stride

    def step(frame: Frame) -> None:
        taken = at(frame) + (places.reshape(-1)[: places.size // 2] if nibbles else places)
        if taken.min() < 0 or taken.max() >= size:
            raise CompilerBug(f"{scope.where(op)}: index {taken.max()} is outside of {buffer_name(op.buffer)}")
        groups = np.zeros((lanes, op.group), np.int8 if op.group == loop.GROUP else np.dtype("<i2"))
        numbers = frame[buffer][taken]
        groups[:, :count] = neighbours(numbers).reshape(lanes, count) if nibbles else numbers
        frame[result] = groups.view("<i4").astype(np.int32).reshape(lanes)

    return step


@MEANINGS.register(loop.AddPairsOp)
def add_pairs(scope: Scope, op: loop.AddPairsOp) -> Step:
    """`loop.add_pairs`."""
    a, b, result = scope.place(op.a), scope.place(op.b), scope.new(op.result)

    def step(frame: Frame) -> None:
        halves = [np.asarray(frame[each], np.dtype("<i4")).view("<u2") for each in (a, b)]
        frame[result] = (halves[0] + halves[1]).view("<i4").astype(np.int32)

    return step
