"""Import operators that interpolate between pixels, at positions computed by the network."""

from collections.abc import Mapping, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import (
    cast,
    checked_shape,
    matmul,
    maximum,
    reshape,
    take,
    transpose,
)
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.sampling import (
    Tap,
    channels_last,
    grid_sample,
    linear_taps,
    sum_reads,
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
}
