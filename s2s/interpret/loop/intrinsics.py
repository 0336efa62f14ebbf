"""Interpret intrinsics by the form, the types and the group size of their attribute."""

from collections.abc import Mapping

import numpy as np

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.nibbles import neighbours
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length
from s2s.types.dtypes import Array

NUMBERS = {"i8": np.dtype("<i1"), "u8": np.dtype("<u1"), "i16": np.dtype("<i2"), "i4": np.dtype("<i1")}

LANES: Mapping[str, tuple[list[int], list[int]]] = {
    "dot_taps": ([0, 1, 2], [0, 1, 3]),
    "dot_next": ([1, 2, 3], [0, 2, 3]),
}
"""The lanes of both factors that forms of windows multiply."""


def sums(x: Array, w: Array) -> Array:
    """Compute sums of products along the last axis in 32 bits, as every intrinsic does."""
    return (x.astype(np.int32) * w.astype(np.int32)).sum(axis=-1, dtype=np.int32)


@MEANINGS.register(loop.IntrinsicOp)
def intrinsic(scope: Scope, op: loop.IntrinsicOp) -> Step:
    """`loop.intrinsic`."""
    acc, x, w = scope.operands(op.operands)
    result, facts = scope.new(op.result), op.intrinsic
    of_x, of_w = NUMBERS[facts.x.data], NUMBERS[facts.w.data]
    in_lanes, in_rows = facts.form.data == "dot_lanes", facts.form.data == "dot_group"
    lanes_of_x, lanes_of_w = LANES.get(facts.form.data, (slice(None), slice(None)))

    def step(frame: Frame) -> None:
        factors = (frame[x], of_x), (frame[w], of_w)
        if in_lanes:
            one, other = (_groups(lanes, number, facts.steps) for lanes, number in factors)
        else:
            one, other = (lanes.view(number) for lanes, number in factors)
            other = other.reshape(-1, facts.steps) if in_rows else other
        frame[result] = frame[acc] + sums(one[..., lanes_of_x], other[..., lanes_of_w])

    return step


def _groups(lanes: Array, number: np.dtype[np.generic], group: int) -> Array:
    """Unpack the groups in lanes of 32 bits, one row per group, lowest bits first."""
    return np.asarray(lanes.astype("<i4"), order="C").view(number).reshape(-1, group)


@MEANINGS.register(loop.IntrinsicRowsOp)
def intrinsic_rows(scope: Scope, op: loop.IntrinsicRowsOp) -> Step:
    """`loop.intrinsic_rows`."""
    places = scope.operands(op.indices)
    at = [position(result, places) for result in op.map.data.results]
    x, w, result = scope.place(op.x), scope.place(op.w), scope.new(op.result)
    steps, group, lanes = op.steps.value.data, op.intrinsic.steps, op.lanes
    of_x, of_w = NUMBERS[op.intrinsic.x.data], NUMBERS[op.intrinsic.w.data]
    count, in_halves = op.bytes, op.intrinsic.form.data == "dot_half_rows"
    in_nibbles = op.intrinsic.w.data == "i4"
    sizes = ((op.x, steps), (op.w, count * lanes))

    def step(frame: Frame) -> None:
        starts = [each(frame) for each in at]
        for start, (buffer, extent) in zip(starts, sizes, strict=True):
            if start < 0 or start + extent > length(buffer):
                raise CompilerBug(f"{scope.where(op)}: index {start} is outside of {buffer_name(buffer)}")
        row = frame[x][starts[0] : starts[0] + steps].view(of_x)
        constants = frame[w][starts[1] : starts[1] + count * lanes].view(of_w)
        if in_nibbles:
            whole = neighbours(constants).reshape(-1, lanes, group).transpose(1, 0, 2).reshape(lanes, steps)
            frame[result] = sums(row, whole)
            return
        by_lane = constants.reshape(-1, lanes, group).transpose(1, 0, 2).reshape(lanes, count)
        frame[result] = sums(row, np.hstack([by_lane & 15, by_lane >> 4]) if in_halves else by_lane)

    return step
