"""Fold a pad into the convolution or pooling that reads it.

    %p = graph.pad %x {low = array<i64: 0, 0, 1, 1>, high = array<i64: 0, 0, 1, 1>, mode = "constant", value = 0.0} : …
    %y = graph.conv %p, %w {pads = array<i64: 0, 0, 0, 0>, …} : …
->
    %y = graph.conv %x, %w {pads = array<i64: 1, 1, 1, 1>, …} : …

Convolutions take padding by zeros (by the zero point, for integers); mean pooling takes zeros if it counts them as
elements; maximum pooling takes values that never win (minus infinity, or a lower bound of a clamp before it). Two pads
with the same value become one.

Declined when batch or channels are padded, in other modes than `constant`, for other values, and when a window of the
pooling would hold padding only.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from s2s.dialects import graph
from s2s.dialects.graph import copy_provenance
from s2s.dialects.graph.base import ints, number
from s2s.passes.rewrite import op_type_rewrite_pattern, rewrite
from s2s.types.dtypes import as_tensor_type, is_float, to_numpy
from s2s.types.shapes import ShapeError
from s2s.types.shapes.window import spatial_axes

Windowed: TypeAlias = graph.ConvOp | graph.AvgPoolOp | graph.MaxPoolOp


class PadBeforeWindow(RewritePattern):
    """A convolution or a pooling of a padded tensor."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: Windowed, rewriter: PatternRewriter) -> None:
        pad = op.x.owner
        if not isinstance(pad, graph.PadOp) or pad.mode.data != "constant" or not _is_neutral(pad, op):
            return
        low, high = pad.low.get_values(), pad.high.get_values()
        inside = spatial_axes(op.data_layout, len(low))
        if any(low[axis] or high[axis] for axis in range(len(low)) if axis not in inside):
            return
        made = _padded(op, pad.x, [low[axis] for axis in inside] + [high[axis] for axis in inside])
        if made is not None:
            copy_provenance(made, pad, op)
            rewriter.replace(op, made)


def _padded(op: Windowed, x: SSAValue, more: Sequence[int]) -> Operation | None:
    """`op` on `x` with `more` padding; None if the operation does not verify with it."""
    changed = {"pads": ints([a + b for a, b in zip(op.pads.get_values(), more, strict=True)])}
    if isinstance(op, graph.AvgPoolOp):
        changed["counted_pads"] = ints([a + b for a, b in zip(op.counted_pads.get_values(), more, strict=True)])
    made = type(op).create(
        operands=[x, *op.operands[1:]], result_types=op.result_types, properties=dict(op.properties) | changed
    )
    try:
        made.inferred_type()
    except ShapeError:
        made.drop_all_references()
        return None
    return made


def _is_neutral(pad: graph.PadOp, op: Windowed) -> bool:
    """Whether the pad's value has the same effect on the result of `op` as the operation's own padding."""
    value = number(pad.value)
    if value is None:
        return False
    if isinstance(op, graph.ConvOp):
        return value == op.accumulation.x_zp
    if not isinstance(op, graph.MaxPoolOp):
        return value == 0
    below = pad.x.owner
    floor = number(below.min) if isinstance(below, graph.ClampOp) and below.max is None else None
    return value <= _lowest(pad.x) or (floor is not None and value <= floor)


def _lowest(x: SSAValue) -> float:
    """A lower bound of the elements of `x`."""
    element = as_tensor_type(x.type).element_type
    return -math.inf if is_float(element) else int(np.iinfo(to_numpy(element)).min)


class PadOfPad(RewritePattern):
    """Two constant pads with the same value."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.PadOp, rewriter: PatternRewriter) -> None:
        inner = op.x.owner
        if not isinstance(inner, graph.PadOp) or op.mode.data != "constant" or inner.mode.data != "constant":
            return
        value = number(op.value)
        if value != number(inner.value):
            return
        low = [a + b for a, b in zip(inner.low.get_values(), op.low.get_values(), strict=True)]
        high = [a + b for a, b in zip(inner.high.get_values(), op.high.get_values(), strict=True)]
        made = graph.PadOp(inner.x, low=low, high=high, value=value)
        copy_provenance(made, inner, op)
        rewriter.replace(op, made)


class CanonicalizePadsPass(ModulePass):
    """Move constant padding into convolutions and poolings."""

    name = "graph-canonicalize-pads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rewrite(op, PadOfPad(), PadBeforeWindow())
