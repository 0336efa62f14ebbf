"""Padding of centred windows along axes whose size may vary from run to run.

Of 8 elements, windows of 3 with a stride of 2 need one element behind the end, of 9 elements one on either side. So the
tensor is padded by `graph.same_pad`, which takes the size of the run, and the window on the result has no padding. How
many windows there are follows from the size alone: `ceil(size / stride)`, with `extent - 1` elements more.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.rewriter import InsertPoint, Rewriter

from s2s.analysis.structure.compute import shape_of
from s2s.dialects import graph
from s2s.dialects.graph.base import GraphOp, ints, number
from s2s.dialects.graph.traits import copy_provenance
from s2s.frontends.builder import Scalar, Value, emit
from s2s.types.shapes.window import CHANNELS_FIRST, Layout, same_low, spatial_axes
from s2s.types.sizes import Extents, SizeTable


def depends_on_size(extents: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether centred windows need another padding in front at other sizes, or another one behind."""
    return any(stride > 1 and extent > 1 for extent, stride in zip(extents, strides, strict=True))


def same_padded(
    x: Value, extents: Sequence[int], strides: Sequence[int], side: str, value: Scalar, layout: Layout = CHANNELS_FIRST
) -> tuple[Value, list[int]]:
    """Return `x` padded for centred windows, and the padding that is left to the operation that reads them."""
    low, windows, steps = list[int](), [1] * x.rank, [1] * x.rank
    for axis, extent, stride in zip(spatial_axes(layout, x.rank), extents, strides, strict=True):
        constant = _constant_low(extent, stride, side)
        low.append(0 if constant is None else constant)
        if constant is None:
            windows[axis], steps[axis] = extent, stride
    inner = [windows[axis] > 1 for axis in spatial_axes(layout, x.rank)]
    high = [0 if pads else extent - 1 - before for pads, extent, before in zip(inner, extents, low, strict=True)]
    if not any(inner):
        return x, [*low, *high]
    fill = float(value) if x.is_float else int(value)
    return emit(graph.SamePadOp, x, windows=windows, strides=steps, side=side, value=fill), [*low, *high]


def _constant_low(extent: int, stride: int, side: str) -> int | None:
    """Return the padding in front that windows need at every size; None if it depends on the size."""
    found = {same_low(size, extent, stride, side) for size in range(1, stride + 1)}
    return found.pop() if len(found) == 1 else None


def lowest(x: Value) -> Scalar:
    """Return a number that no maximum chooses."""
    return -np.inf if x.is_float else int(np.iinfo(x.dtype.str).min)


def settle_padding(
    op: graph.SamePadOp | graph.SameAvgPoolOp | graph.MaxPoolIndicesOp, extents: Extents, table: SizeTable
) -> GraphOp | None:
    """Let the operation that reads windows of `op.x`, whose extents are given, pad along axes of constant size, and of
    sizes that differ by multiples of the stride; return what stands in the place of `op`, if anything does."""
    if isinstance(op, graph.SamePadOp):
        return _settle_pad(op, extents, table)
    axes = spatial_axes(op.data_layout, len(extents))
    if any(not _goes_by(extents[axis], stride, table) for axis, stride in zip(axes, op.window().strides, strict=True)):
        return op
    window = op.window()
    if isinstance(op, graph.MaxPoolIndicesOp):
        op.properties["pads"] = ints(window.pads)
        op.properties.pop("side", None)
        return op
    made = graph.AvgPoolOp(
        op.x,
        kernel=window.kernel,
        strides=window.strides,
        pads=window.pads,
        dilations=window.dilations,
        counted_pads=[0] * len(window.pads),
        layout=op.data_layout,
    )
    copy_provenance(made, op)
    made.y.name_hint = op.y.name_hint
    Rewriter.replace_op(op, made)
    return made


def _goes_by(size: str, stride: int, table: SizeTable) -> bool:
    """Return whether windows of `stride` end alike at all sizes `size`: at 32, 64, …, 640 with a stride of 2."""
    return not size or table.range(size).step % stride == 0


def _settle_pad(op: graph.SamePadOp, extents: Extents, table: SizeTable) -> graph.SamePadOp | None:
    reader = next((use.operation for use in op.y.uses), None)
    if not isinstance(reader, graph.ConvOp | graph.MaxPoolOp) or not op.y.has_one_use():
        return op
    windows, strides = list(op.windows.get_values()), list(op.strides.get_values())
    axes = spatial_axes(reader.data_layout, len(windows))
    pads = list(reader.pads.get_values())
    for place, axis in enumerate(axes):
        if windows[axis] > 1 and _goes_by(extents[axis], strides[axis], table):
            low = same_low(shape_of(op.x)[axis], windows[axis], strides[axis], op.side.data)
            pads[place], pads[place + len(axes)] = low, windows[axis] - 1 - low
            windows[axis] = strides[axis] = 1
    if windows == list(op.windows.get_values()):
        return op
    x, made = op.x, None
    if any(window > 1 for window in windows):
        value = number(op.value)
        assert value is not None
        made = graph.SamePadOp(op.x, windows=windows, strides=strides, side=op.side.data, value=value)
        copy_provenance(made, op)
        made.y.name_hint = op.y.name_hint
        Rewriter.insert_op(made, InsertPoint.before(op))
        x = made.y
    reader.operands[0] = x
    reader.properties["pads"] = ints(pads)
    Rewriter.erase_op(op)
    return made
