"""Import operators that interpolate between pixels, at positions computed by the network."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import (
    cast,
    checked_shape,
    clamp,
    less,
    matmul,
    maximum,
    reshape,
    select,
    take,
    transpose,
    unsqueeze,
)
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.sampling import (
    Tap,
    channels_first,
    channels_last,
    grid_sample,
    limited,
    linear_taps,
    read_tap,
    size_of,
    sum_reads,
    within,
)
from s2s.types.dtypes import Array

_FLOAT, _DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def _grid_sample(node: Node) -> Value:
    x, grid = node.input(0), node.input(1)
    spatial = x.rank - 2
    if spatial < 1 or grid.rank != x.rank or grid.shape[0] != x.shape[0] or grid.shape[-1] != spatial:
        raise node.invalid(f"grid {list(grid.shape)} does not fit input {list(x.shape)}", "fix the shapes")
    mode = node.choice("mode", "linear", "bilinear", "nearest", "cubic", "bicubic")
    padding = node.choice("padding_mode", "zeros", "border", "reflection")
    return cast(grid_sample(*_of_one_type(x, grid), mode, padding, node.flag("align_corners")), x.dtype)


def _affine_grid(node: Node) -> Value:
    """`grid[n, …] = theta[n] @ [x, y, …, 1]` for the place of each pixel between -1 and 1."""
    theta, sizes = node.input(0), node.known_ints(1, "size")
    spatial = len(sizes) - 2
    if spatial not in (2, 3) or theta.shape != (sizes[0], spatial, spatial + 1):
        raise node.invalid(f"theta {list(theta.shape)} does not fit size {sizes}", "fix the shapes")
    checked_shape((*sizes[2:], spatial + 1), node.place)
    if theta.builder.varies:
        return _grid_of_run(theta, sizes[2:], node.flag("align_corners"))
    places = np.meshgrid(*(_places(size, node.flag("align_corners")) for size in sizes[2:]), indexing="ij")
    base = np.stack([*places[::-1], np.ones(sizes[2:])], axis=-1).reshape(-1, spatial + 1)
    grid = matmul(node.constant(base, theta.dtype), transpose(theta, [0, 2, 1]))
    return reshape(grid, [sizes[0], *sizes[2:], spatial])


def _grid_of_run(theta: Value, sizes: Sequence[int], corners: bool) -> Value:
    """The grid for a picture whose size may vary: each place times its column of `theta`, and the last column."""
    spatial = len(sizes)
    columns = [reshape(take(theta, 2, k, 1), [theta.shape[0], *[1] * spatial, spatial]) for k in range(spatial + 1)]
    found = columns[spatial]
    for axis, size in enumerate(sizes):
        counted = theta.builder.sizes(size, theta.dtype)
        steps = theta.builder.constant(np.arange(size).astype(theta.dtype))
        places = steps * 2 / maximum(counted - 1, 1) - 1 if corners else (steps * 2 + 1) / counted - 1
        shape = [size if other == axis else 1 for other in range(spatial)]
        found = found + reshape(places, [1, *shape, 1]) * columns[spatial - 1 - axis]
    return found


def _places(size: int, corners: bool) -> Array:
    """Where the pixels of an axis lie, of which -1 and 1 are the borders, or the centres of the outermost ones."""
    if corners:
        return np.linspace(-1, 1, size)
    return (np.arange(size) * 2 + 1) / size - 1


def _of_one_type(x: Value, grid: Value) -> tuple[Value, Value]:
    """Both as floats of one type, which holds the elements of `x` exactly where a float does."""
    if x.dtype == grid.dtype:
        return x, grid
    wide = _DOUBLE if _DOUBLE in (x.dtype, grid.dtype) or (not x.is_float and x.dtype.itemsize >= 4) else _FLOAT
    return cast(x, wide), cast(grid, wide)


def _roi_align(node: Node) -> Value:
    x, rois, batch = node.input(0), node.input(1), node.input(2)
    ratio, scale = node.integer("sampling_ratio"), node.real("spatial_scale")
    if x.rank != 4 or rois.rank != 2 or rois.shape[1] != 4 or batch.shape != rois.shape[:1]:
        raise node.invalid(f"rois {list(rois.shape)} and batch_indices {list(batch.shape)} do not match", "fix them")
    if ratio < 1:
        raise node.unsupported(
            "sampling_ratio 0 makes the number of samples depend on the data", "give a ratio above 0"
        )
    half_pixel = node.since >= 16 and node.text("coordinate_transformation_mode") == "half_pixel"
    counts = (node.integer("output_height"), node.integer("output_width"))
    samples = (rois.shape[0], counts[0] * ratio, counts[1] * ratio, x.shape[1])
    if min(counts) < 1 or min(checked_shape(samples, node.place)) < 1:
        raise node.invalid(f"output of {counts[0]} x {counts[1]}", "give positive sizes")
    node.require_small(max(counts) * ratio, "a row of samples")
    corners = [reshape(take(rois, 1, position, 1), [rois.shape[0]]) * scale for position in range(4)]
    if half_pixel:
        corners = [corner - 0.5 for corner in corners]
    taps: list[list[Tap]] = []
    for axis, (start, end, count) in enumerate(
        ((corners[1], corners[3], counts[0]), (corners[0], corners[2], counts[1]))
    ):
        size = size_of(x, 2 + axis, start)
        length = end - start if half_pixel else maximum(end - start, 1)
        steps = (np.arange(count)[:, None] + (np.arange(ratio) + 0.5) / ratio).reshape(-1) / count
        at = unsqueeze(start, [1]) + unsqueeze(length, [1]) * node.constant(steps, start.dtype)
        inside = cast(within(at, -1, size), at.dtype)
        found = linear_taps(limited(at, size - 1), size, "border", (0, size - 1))
        taps.append([_spread(tap, inside, axis) for tap in found])
    image = channels_last(emit(graph.GatherOp, x, batch, axis=0))
    combinations = [read_tap(image, _aligned(combination)) for combination in product(*taps)]
    total = combinations[0]
    largest = node.text("mode") == "max"
    for part in combinations[1:]:
        total = maximum(total, part) if largest else total + part
    bins = reshape(total, [rois.shape[0], counts[0], ratio, counts[1], ratio, x.shape[1]])
    pooled = emit(graph.ReduceMaxOp if largest else graph.ReduceMeanOp, bins, axes=[2, 4])
    return channels_first(pooled)


def _max_roi_pool(node: Node) -> Value:
    """The largest element of each bin of a region, first along the columns, then along the rows; 0 of an empty bin."""
    x, rois = node.input(0), node.input(1)
    counts, scale = node.integers("pooled_shape"), node.real("spatial_scale")
    if x.rank != 4 or rois.rank != 2 or rois.shape[1] != 5 or len(counts) != 2 or min(counts) < 1:
        raise node.invalid(f"rois {list(rois.shape)} and pooled_shape {counts}", "give [regions, 5] and two sizes")
    checked_shape((rois.shape[0], x.shape[1], x.shape[2], counts[1], x.shape[3]), node.place)
    batch = cast(reshape(take(rois, 1, 0, 1), [rois.shape[0]]), np.dtype(np.int64))
    y, filled = emit(graph.GatherOp, x, batch, axis=0), None
    for axis, first, count in ((3, 1, counts[1]), (2, 2, counts[0])):
        start, end = (_half_up(take(rois, 1, first + part, 1) * scale) for part in (0, 2))
        share, size = maximum(end - start + 1, 1) / count, x.shape[axis]
        steps = node.constant(np.arange(count), x.dtype)
        low = clamp(emit(graph.FloorOp, share * steps) + start, 0, size)
        high = clamp(emit(graph.CeilOp, share * (steps + 1)) + start, 0, size)
        at = node.constant(np.arange(size), x.dtype)
        inside = emit(graph.LogicalNotOp, emit(graph.LogicalOrOp, less(at, unsqueeze(low, [2])), _not_below(at, high)))
        bins = reshape(
            inside, [*inside.shape[:1], 1, 1, count, size] if axis == 3 else [rois.shape[0], 1, count, size, 1]
        )
        chosen = select(bins, unsqueeze(y, [axis]), y.like(-np.inf))
        y = emit(graph.ReduceMaxOp, chosen, axes=[axis + 1], keepdims=False)
        some = reshape(less(low, high), [rois.shape[0], 1, *((1, count) if axis == 3 else (count, 1))])
        filled = some if filled is None else emit(graph.LogicalAndOp, filled, some)
    assert filled is not None
    return select(filled, y, y.like(0))


def _half_up(x: Value) -> Value:
    """The nearest whole number, of two the one farther from 0."""
    return select(less(x, 0), emit(graph.FloorOp, 0.5 - x) * -1, emit(graph.FloorOp, x + 0.5))


def _not_below(at: Value, high: Value) -> Value:
    return emit(graph.GreaterEqualOp, at, unsqueeze(high, [2]))


def _spread(tap: Tap, inside: Value, axis: int) -> Tap:
    """A tap of rows (axis 0) or columns (1) as one of all pairs of them; those outside the image weigh nothing."""
    assert tap.weight is not None
    return Tap(unsqueeze(tap.index, [2 - axis]), unsqueeze(tap.weight * inside, [2 - axis]))


def _aligned(taps: Sequence[Tap]) -> list[Tap]:
    """The same taps, their indices broadcast to one shape."""
    shape = np.broadcast_shapes(*(tap.index.shape for tap in taps))
    return [Tap(emit(graph.BroadcastToOp, tap.index, shape=shape), tap.weight) for tap in taps]


def _deform_conv(node: Node) -> Value:
    x, w, offset, mask = node.input(0), node.input(1), node.input(2), node.optional(4)
    groups, offset_groups = node.integer("group"), node.integer("offset_group")
    batch, channels, height, width = _checked_deformation(node, x, w, offset, groups, offset_groups)
    out_channels, _, *kernel = w.shape
    taps, (rows, columns) = kernel[0] * kernel[1], offset.shape[2:]
    strides, dilations = node.integers("strides", [1, 1]), node.integers("dilations", [1, 1])
    pads = node.integers("pads", [0] * 4)
    moves = reshape(offset, [batch * offset_groups, taps, 2, rows, columns])
    places: list[list[Tap]] = []
    for axis, (size, count) in enumerate(((height, rows), (width, columns))):
        tap = np.indices(kernel)[axis].reshape(taps, 1, 1) * dilations[axis]
        out = (np.arange(count) * strides[axis] - pads[axis]).reshape([-1, 1] if axis == 0 else [1, -1])
        move = reshape(take(moves, 2, axis, 1), [batch * offset_groups, taps, rows, columns])
        places.append(linear_taps(move + node.constant(tap + out, x.dtype), size, "zeros", (0, 0)))
    image = channels_last(reshape(x, [batch * offset_groups, channels // offset_groups, height, width]))
    read = sum_reads(image, places)
    if mask is not None:
        read = read * reshape(mask, [batch * offset_groups, taps, rows, columns, 1])
    patches = reshape(transpose(read, [0, 4, 1, 2, 3]), [batch, groups, channels * taps // groups, rows * columns])
    weights = reshape(w, [groups, out_channels // groups, channels // groups * taps])
    y = reshape(emit(graph.MatmulOp, weights, patches), [batch, out_channels, rows, columns])
    bias = node.optional(3)
    return y if bias is None else y + reshape(bias, [out_channels, 1, 1])


def _checked_deformation(
    node: Node, x: Value, w: Value, offset: Value, groups: int, offset_groups: int
) -> tuple[int, int, int, int]:
    if not x.rank == w.rank == offset.rank == 4:
        raise node.unsupported("has not two spatial dimensions", "use a two-dimensional deformable convolution")
    batch, channels, height, width = x.shape
    taps = w.shape[2] * w.shape[3]
    fits = (
        groups >= 1
        and offset_groups >= 1
        and channels == w.shape[1] * groups
        and w.shape[0] % groups == 0
        and channels % offset_groups == 0
        and offset.shape[:2] == (batch, offset_groups * taps * 2)
    )
    if not fits:
        raise node.invalid(
            f"input {list(x.shape)}, weight {list(w.shape)} and offset {list(offset.shape)} do not match",
            "fix the shapes",
        )
    return batch, channels, height, width


IMPORTERS: Mapping[str, Importer] = {
    "AffineGrid": _affine_grid,
    "DeformConv": _deform_conv,
    "GridSample": _grid_sample,
    "MaxRoiPool": _max_roi_pool,
    "RoiAlign": _roi_align,
}
