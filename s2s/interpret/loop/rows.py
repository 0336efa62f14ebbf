"""Rows of small integers against rows of constants."""

import numpy as np
from xdsl.dialects.builtin import VectorType, f32
from xdsl.utils.hints import isa

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame, position
from s2s.interpret.loop.scope import Scope, Step, buffer_name, length
from s2s.interpret.rescale import RESCALES
from s2s.types.dtypes import to_numpy


def dot_rows(scope: Scope, op: loop.DotRowsOp) -> Step:
    """`loop.dot_rows`."""
    places = scope.operands(op.indices)
    at = [position(result, places) for result in op.map.data.results]
    x, w, result = scope.place(op.x), scope.place(op.w), scope.new(op.result)
    steps, group = op.steps.value.data, op.group.value.data
    sizes = ((op.x, steps), (op.w, steps * loop.ROWS))

    def step(frame: Frame) -> None:
        starts = [each(frame) for each in at]
        for start, (buffer, count) in zip(starts, sizes, strict=True):
            if start < 0 or start + count > length(buffer):
                raise CompilerBug(f"{scope.where(op)}: index {start} is outside of {buffer_name(buffer)}")
        row = frame[x][starts[0] : starts[0] + steps].astype(np.int32)
        groups = frame[w][starts[1] : starts[1] + steps * loop.ROWS].astype(np.int32)
        constants = groups.reshape(-1, loop.ROWS, group).transpose(1, 0, 2).reshape(loop.ROWS, steps)
        frame[result] = (constants * row).sum(axis=1, dtype=np.int32)

    return step


def rescale(scope: Scope, op: loop.RescaleLanesOp) -> Step:
    """`loop.rescale_lanes`."""
    x, multiplier, shift = scope.operands(op.operands)
    rounding = "double" if op.rounding.data == "negative" else op.rounding.data
    result, function = scope.new(op.result), RESCALES[rounding]

    def step(frame: Frame) -> None:
        frame[result] = function(frame[x], frame[multiplier], frame[shift])

    return step


def cast(scope: Scope, op: loop.CastLanesOp) -> Step:
    """`loop.cast_lanes`."""
    x, result = scope.place(op.x), scope.new(op.result)
    assert isa(op.x.type, VectorType)
    assert isa(op.result.type, VectorType)
    dtype = to_numpy(op.result.type.element_type)
    limits = np.iinfo(dtype) if op.x.type.element_type == f32 else None

    def step(frame: Frame) -> None:
        lanes = frame[x]
        if limits is not None:
            lanes = np.clip(np.trunc(np.nan_to_num(lanes.astype(np.float64))), limits.min, limits.max)
        frame[result] = lanes.astype(dtype)

    return step


def saturate(scope: Scope, op: loop.SaturateLanesOp) -> Step:
    """`loop.saturate_lanes`."""
    x, result = scope.place(op.x), scope.new(op.result)

    def step(frame: Frame) -> None:
        frame[result] = np.clip(frame[x], -128, 127).astype(np.int8)

    return step


def look_up(scope: Scope, op: loop.LookUpLanesOp) -> Step:
    """`loop.look_up_lanes`."""
    table, index, result = scope.place(op.table), scope.place(op.index), scope.new(op.result)

    def step(frame: Frame) -> None:
        places = frame[index]
        if places.min() < 0 or places.max() >= loop.TABLE:
            raise CompilerBug(f"{scope.where(op)}: index {places.max()} is outside of {buffer_name(op.table)}")
        frame[result] = frame[table][places]

    return step


__all__ = ["cast", "dot_rows", "look_up", "rescale", "saturate"]
