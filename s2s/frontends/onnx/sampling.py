"""Import operators that interpolate between pixels, at positions computed by the network."""

from collections.abc import Mapping, Sequence
from math import prod

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
    of_one_type,
    sum_reads,
)
from s2s.types.dtypes import Array


def _grid_sample(node: Node) -> Value:
    x, grid = node.input(0), node.input(1)
    spatial = x.rank - 2
    if spatial < 1 or grid.rank != x.rank or grid.shape[0] != x.shape[0] or grid.shape[-1] != spatial:
        raise node.invalid(f"grid {list(grid.shape)} does not fit input {list(x.shape)}", "fix the shapes")
    mode = node.choice("mode", "linear", "bilinear", "nearest", "cubic", "bicubic")
    padding = node.choice("padding_mode", "zeros", "border", "reflection")
    corners = node.flag("align_corners")
    return cast(grid_sample(*of_one_type(x, grid), mode, padding, corners, rounds_first=True), x.dtype)


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
        steps = theta.builder.counted(size, theta.dtype)
        places = steps * 2 / maximum(counted - 1, 1) - 1 if corners else (steps * 2 + 1) / counted - 1
        shape = [size if other == axis else 1 for other in range(spatial)]
        found = found + reshape(places, [1, *shape, 1]) * columns[spatial - 1 - axis]
    return found


def _places(size: int, corners: bool) -> Array:
    """Where the pixels of an axis lie, of which -1 and 1 are the borders, or the centres of the outermost ones."""
    if corners:
        return np.linspace(-1, 1, size)
    return (np.arange(size) * 2 + 1) / size - 1


def _deform_conv(node: Node) -> Value:
    x, w, offset, mask = node.input(0), node.input(1), node.input(2), node.optional(4)
    groups, offset_groups = node.integer("group"), node.integer("offset_group")
    batch, channels, *spatial = _checked_deformation(node, x, w, offset, groups, offset_groups)
    out_channels, _, *kernel = w.shape
    rank, taps, counts = len(kernel), prod(kernel), offset.shape[2:]
    ones = [1] * rank
    strides, dilations = node.integers("strides", ones), node.integers("dilations", ones)
    pads = node.integers("pads", [0] * 2 * rank)
    moves = reshape(offset, [batch * offset_groups, taps, rank, *counts])
    places: list[list[Tap]] = []
    for axis, (size, count) in enumerate(zip(spatial, counts, strict=True)):
        tap = np.indices(kernel)[axis].reshape(taps, *ones) * dilations[axis]
        out = (np.arange(count) * strides[axis] - pads[axis]).reshape([-1, *[1] * (rank - 1 - axis)])
        move = reshape(take(moves, 2, axis, 1), [batch * offset_groups, taps, *counts])
        places.append(linear_taps(move + node.constant(tap + out, x.dtype), size, "zeros", (0, 0)))
    image = channels_last(reshape(x, [batch * offset_groups, channels // offset_groups, *spatial]))
    read = sum_reads(image, places)
    if mask is not None:
        read = read * reshape(mask, [batch * offset_groups, taps, *counts, 1])
    columns = transpose(read, [0, rank + 2, *range(1, rank + 2)])
    patches = reshape(columns, [batch, groups, channels * taps // groups, prod(counts)])
    weights = reshape(w, [groups, out_channels // groups, channels // groups * taps])
    y = reshape(emit(graph.MatmulOp, weights, patches), [batch, out_channels, *counts])
    bias = node.optional(3)
    return y if bias is None else y + reshape(bias, [out_channels, *ones])


def _checked_deformation(
    node: Node, x: Value, w: Value, offset: Value, groups: int, offset_groups: int
) -> tuple[int, ...]:
    rank = x.rank - 2
    fits = (
        rank >= 1
        and x.rank == w.rank == offset.rank
        and groups >= 1
        and offset_groups >= 1
        and x.shape[1] == w.shape[1] * groups
        and w.shape[0] % groups == 0
        and x.shape[1] % offset_groups == 0
        and offset.shape[:2] == (x.shape[0], offset_groups * prod(w.shape[2:]) * rank)
    )
    if not fits:
        raise node.invalid(
            f"input {list(x.shape)}, weight {list(w.shape)} and offset {list(offset.shape)} do not match",
            "fix the shapes",
        )
    return x.shape


IMPORTERS: Mapping[str, Importer] = {
    "AffineGrid": _affine_grid,
    "DeformConv": _deform_conv,
    "GridSample": _grid_sample,
}
