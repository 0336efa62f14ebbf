"""Import STABLEHLO_GATHER and STABLEHLO_SCATTER: windows of a tensor at places that another tensor holds.

Both become a gather or a scatter by coordinates: the dimensions that places are given for come first, and each element
of a window has coordinates of its own. A gather moves windows inside the tensor; a scatter leaves elements outside out.
"""

from collections.abc import Mapping, Sequence
from functools import partial, reduce

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import concat, crop, less, maximum, minimum, pad, reshape, select, take, transpose
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.stablehlo_options import combination, numbers


def _gather(node: Node) -> Value:
    x, options = node.input(0).value, node.options
    offset, collapsed, mapped, sizes = (
        numbers(options, name) for name in ("OffsetDims", "CollapsedSliceDims", "StartIndexMap", "SliceSizes")
    )
    _check_dims(node, "start_index_map", mapped, x.rank)
    _check_dims(node, "collapsed_slice_dims", collapsed, x.rank)
    starts = _coordinates(node, int(options.IndexVectorDim()), len(mapped))
    batch = starts.rank - 1
    kept = [axis for axis in range(x.rank) if axis not in collapsed]
    _check_dims(node, "offset_dims", offset, batch + len(kept))
    fits = len(sizes) == x.rank and all(0 <= size <= full for size, full in zip(sizes, x.shape, strict=True))
    if not fits or len(offset) != len(kept) or any(sizes[axis] != 1 for axis in collapsed):
        raise node.invalid(f"slices {sizes} of {list(x.shape)} do not fit its dimensions", "fix the options")
    limits = np.array([x.shape[axis] - sizes[axis] for axis in mapped], starts.dtype)
    inside = minimum(maximum(starts, 0), node.constant(limits))
    order = [*mapped, *(axis for axis in range(x.rank) if axis not in mapped)]
    moved = transpose(x, order)
    lengths = [x.shape[axis] if axis in mapped else sizes[axis] for axis in order]
    places = _each_element(node, inside, [sizes[axis] for axis in mapped])
    y = _at(crop(moved, [0] * x.rank, lengths, [1] * x.rank), places)
    arranged = _arranged(y, starts.shape[:-1], [order.index(axis) for axis in range(x.rank)])
    windows = reshape(arranged, [*starts.shape[:-1], *(sizes[axis] for axis in kept)])
    others = iter(range(batch))
    return transpose(
        windows, [batch + offset.index(dim) if dim in offset else next(others) for dim in range(windows.rank)]
    )


def _scatter(node: Node) -> Value:
    x, updates, options = node.input(0).value, node.input(2).value, node.options
    window, inserted, mapped = (
        numbers(options, name) for name in ("UpdateWindowDims", "InsertedWindowDims", "ScatterDimsToOperandDims")
    )
    _check_dims(node, "scatter_dims_to_operand_dims", mapped, x.rank)
    _check_dims(node, "inserted_window_dims", inserted, x.rank)
    _check_dims(node, "update_window_dims", window, updates.rank)
    starts = _coordinates(node, int(options.IndexVectorDim()), len(mapped))
    batch = [dim for dim in range(updates.rank) if dim not in window]
    if len(window) + len(inserted) != x.rank or tuple(updates.shape[dim] for dim in batch) != starts.shape[:-1]:
        raise node.invalid(f"updates {list(updates.shape)} do not fit {list(x.shape)}", "fix the options")
    lengths = iter(updates.shape[dim] for dim in window)
    sizes = [1 if axis in inserted else next(lengths) for axis in range(x.rank)]
    if any(size > full for size, full in zip(sizes, x.shape, strict=True)):
        raise node.invalid(f"windows {sizes} are larger than {list(x.shape)}", "fix the updates")
    reduction = combination(node, int(options.UpdateComputationSubgraphIndex()))
    if reduction in ("and", "or"):
        raise node.unsupported(f"combines bools by {reduction}", "scatter integers by MINIMUM or MAXIMUM")
    mixed = batch != list(range(len(batch)))
    narrow = [axis for axis in range(x.rank) if axis not in mapped and (mixed or sizes[axis] != x.shape[axis])]
    first = [*mapped, *narrow]
    order = [*first, *(axis for axis in range(x.rank) if axis not in first)]
    if narrow:
        zeros = node.builder.filled(0, (*starts.shape[:-1], len(narrow)), starts.dtype)
        starts = concat([starts, zeros], starts.rank - 1)
    places = _each_element(node, starts, [sizes[axis] for axis in first])
    if mixed:
        # Updates of one element are applied in the order of `updates`, so places are brought to this order.
        places = _arranged(places, [*starts.shape[:-1]], [order.index(axis) for axis in range(x.rank)])
        kept = [*starts.shape[:-1], *(sizes[axis] for axis in range(x.rank) if axis not in inserted), len(first)]
        arrived = [*batch, *window].index
        places = transpose(reshape(places, kept), [*map(arrived, range(updates.rank)), updates.rank])
    else:
        updates = _arranged(reshape(updates, [*starts.shape[:-1], *sizes]), starts.shape[:-1], order)
    y = _put(node, transpose(x, order), places, updates, reduction)
    return transpose(y, [order.index(axis) for axis in range(x.rank)])


def _check_dims(node: Node, what: str, dims: Sequence[int], rank: int) -> None:
    """Refuse dimensions that are repeated, or that a tensor of this rank has not."""
    if len(set(dims)) != len(dims) or any(not 0 <= dim < rank for dim in dims):
        raise node.invalid(f"{what} {list(dims)} do not fit {rank} dimensions", "fix the options")


def _coordinates(node: Node, axis: int, count: int) -> Value:
    """The places `[…, count]`: their coordinates lie along `axis`, or each has one, when there is no such dimension."""
    places = node.input(1).value
    if places.dtype.kind not in "iu" or not 0 <= axis <= places.rank:
        raise node.invalid(f"coordinates along dimension {axis} of {places.type}", "fix index_vector_dim")
    if axis == places.rank:
        places = reshape(places, [*places.shape, 1])
    if places.shape[axis] != count or count < 1:
        raise node.invalid(f"{places.shape[axis]} coordinates for {count} dimensions", "fix the indices")
    return transpose(places, [*(dim for dim in range(places.rank) if dim != axis), axis])


def _each_element(node: Node, starts: Value, window: Sequence[int]) -> Value:
    """The coordinates `[…, window…, k]` of every element of windows that begin at `starts[…, k]`."""
    *batch, count = starts.shape
    spread = reshape(starts, [*batch, *[1] * len(window), count])
    if all(size == 1 for size in window):
        return spread
    return spread + node.constant(np.moveaxis(np.indices(window), 0, -1), starts.dtype)


def _arranged(x: Value, batch: Sequence[int], order: Sequence[int]) -> Value:
    """`x` with the dimensions behind `batch` in another order; later dimensions stay."""
    skip = len(batch)
    return transpose(x, [*range(skip), *(skip + axis for axis in order), *range(skip + len(order), x.rank)])


def _at(x: Value, places: Value) -> Value:
    """`x` at coordinates of its first dimensions."""
    if places.shape[-1] == 1:
        return emit(graph.GatherOp, x, reshape(places, places.shape[:-1]), axis=0)
    return emit(graph.GatherNdOp, x, places, batch_dims=0)


def _put(node: Node, x: Value, places: Value, updates: Value, reduction: str) -> Value:
    """`x` with updates at coordinates of its first dimensions; updates outside go to a row behind, which is cut off."""
    count = places.shape[-1]
    array, limits = places.array, np.array(x.shape[:count])
    if array is not None and ((array >= 0) & (array < limits)).all():
        return emit(graph.ScatterNdOp, x, places, updates, reduction=reduction)
    inside = reduce(lambda a, b: emit(graph.LogicalAndOp, a, b), map(partial(_inside, places), range(count), limits))
    behind = node.constant(np.array([x.shape[0], *[0] * (count - 1)]), places.dtype)
    longer = pad(x, [0] * x.rank, [1, *[0] * (x.rank - 1)])
    y = emit(graph.ScatterNdOp, longer, select(inside, places, behind), updates, reduction=reduction)
    return take(y, 0, 0, x.shape[0])


def _inside(places: Value, axis: int, size: int) -> Value:
    """Whether the coordinate `axis` of each place lies in `[0, size)`."""
    at = take(places, places.rank - 1, axis, 1)
    return emit(graph.LogicalAndOp, emit(graph.GreaterEqualOp, at, at.like(0)), less(at, at.like(int(size))))


IMPORTERS: Mapping[str, Importer] = {
    "STABLEHLO_GATHER": _gather,
    "STABLEHLO_SCATTER": _scatter,
}
