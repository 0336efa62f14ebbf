"""Groups of bytes, and their dot products."""

import numpy as np
from xdsl.dialects.builtin import VectorType
from xdsl.utils.hints import isa

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length
from s2s.types.dtypes import Array


@MEANINGS.register(loop.LoadGroupsOp)
def load_groups(scope: Scope, op: loop.LoadGroupsOp) -> Step:
    """`loop.load_groups`."""
    at = position(op.map.data.results[0], scope.operands(op.indices))
    buffer, result, size = scope.place(op.buffer), scope.new(op.result), length(op.buffer)
    between, stride, count = (each.value.data for each in (op.lane_stride, op.stride, op.count))
    assert isa(op.result.type, VectorType)
    lanes = op.result.type.get_shape()[0]
    places = np.arange(lanes)[:, None] * between + np.arange(count) * stride

    def step(frame: Frame) -> None:
        taken = at(frame) + places
        if taken.min() < 0 or taken.max() >= size:
            raise CompilerBug(f"{scope.where(op)}: index {taken.max()} is outside of {buffer_name(op.buffer)}")
        groups = np.zeros((lanes, loop.GROUP), np.int8)
        groups[:, :count] = frame[buffer][taken]
        frame[result] = groups.view("<i4").astype(np.int32).reshape(lanes)

    return step


@MEANINGS.register(loop.DotGroupsOp)
def dot_groups(scope: Scope, op: loop.DotGroupsOp) -> Step:
    """`loop.dot_groups`."""
    acc, a, b = scope.operands(op.operands)
    result, kind = scope.new(op.result), np.uint8 if op.unsigned_a is not None else np.int8

    def step(frame: Frame) -> None:
        products = _bytes(frame[a]).view(kind).astype(np.int32) * _bytes(frame[b]).view(np.int8).astype(np.int32)
        frame[result] = frame[acc] + products.sum(axis=1, dtype=np.int32)

    return step


def _bytes(groups: Array) -> Array:
    """The bytes of groups, one row for each."""
    return np.ascontiguousarray(groups.astype("<i4")).view(np.uint8).reshape(-1, loop.GROUP)
