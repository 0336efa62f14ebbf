"""The meaning of casts, rescales, quantisation and table look-ups lane by lane."""

import numpy as np
from xdsl.dialects.builtin import VectorType, f32

from s2s.dialects import loop
from s2s.errors import CompilerBug
from s2s.interpret.affine import Frame
from s2s.interpret.loop.operations import MEANINGS
from s2s.interpret.loop.scope import Scope, Step, buffer_name
from s2s.interpret.rescale import RESCALES
from s2s.interpret.scalar import quantizer
from s2s.types.dtypes import to_numpy
from s2s.types.hints import isa


@MEANINGS.register(loop.RescaleLanesOp)
def rescale(scope: Scope, op: loop.RescaleLanesOp) -> Step:
    """`loop.rescale_lanes`."""
    x, multiplier, shift = scope.operands(op.operands)
    result, function = scope.new(op.result), RESCALES[op.rounding.data]

    def step(frame: Frame) -> None:
        frame[result] = function(frame[x], frame[multiplier], frame[shift])

    return step


@MEANINGS.register(loop.CastLanesOp)
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


@MEANINGS.register(loop.SaturateLanesOp)
def saturate(scope: Scope, op: loop.SaturateLanesOp) -> Step:
    """`loop.saturate_lanes`."""
    x, result = scope.place(op.x), scope.new(op.result)

    def step(frame: Frame) -> None:
        frame[result] = np.clip(frame[x], -128, 127).astype(np.int8)

    return step


@MEANINGS.register(loop.QuantizeLanesOp)
def quantize(scope: Scope, op: loop.QuantizeLanesOp) -> Step:
    """`loop.quantize_lanes`."""
    x, result, meaning = scope.place(op.x), scope.new(op.result), quantizer(op)

    def step(frame: Frame) -> None:
        frame[result] = meaning(frame[x])

    return step


@MEANINGS.register(loop.LookUpLanesOp)
def look_up(scope: Scope, op: loop.LookUpLanesOp) -> Step:
    """`loop.look_up_lanes`."""
    table, index, result = scope.place(op.table), scope.place(op.index), scope.new(op.result)

    def step(frame: Frame) -> None:
        places = frame[index]
        if places.min() < 0 or places.max() >= loop.TABLE:
            raise CompilerBug(f"{scope.where(op)}: index {places.max()} is outside of {buffer_name(op.table)}")
        frame[result] = frame[table][places]

    return step
