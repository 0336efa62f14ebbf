"""Convolutions that read at computed places, under TVM's name."""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from s2s.errors import InputError
from s2s.tvm.relay import op
from s2s.tvm.relay.expr import Expr, Var, const
from s2s.tvm.relay.formula import onnx
from s2s.tvm.relay.operators import operator
from s2s.tvm.relay.window import Sizes, layout_of, pads_of, sizes_of
from s2s.types.dtypes import Array
from s2s.types.shapes.window import CHANNELS_FIRST


@operator("nn.deformable_conv2d")
def deformable_conv2d(
    data: Expr,
    offset: Expr,
    weight: Expr,
    strides: Sizes = (1, 1),
    padding: Sizes = (0, 0),
    dilation: Sizes = (1, 1),
    deformable_groups: int = 1,
    groups: int = 1,
    channels: int | None = None,
    kernel_size: Sizes | None = None,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
    out_layout: str = "",
    out_dtype: str = "",
) -> Expr:
    """A convolution whose window reads, for each position of the result, at places moved by `offset`: a row and a
    column for each element of the window, in each of `deformable_groups` groups of channels.

    Places between pixels are interpolated; a place outside of the image is 0 as a whole, where ONNX's and torch's
    operator fade out over one pixel.
    """
    is_first = layout_of("deformable_conv2d", data_layout) == CHANNELS_FIRST
    if out_layout not in ("", data_layout) or out_dtype not in ("", data.dtype):
        raise InputError(
            f"relay.nn.deformable_conv2d: out_layout {out_layout} and out_dtype {out_dtype} with {data_layout} of "
            f"{data.dtype}; leave them out"
        )
    x = data if is_first else op.transpose(data, [0, 3, 1, 2])
    steps, apart = (sizes_of("nn.deformable_conv2d", numbers, 2) for numbers in (strides, dilation))
    window = _Window(steps, apart, pads_of("nn.deformable_conv2d", padding, 2))
    if channels is not None and kernel_size is not None:
        taps = sizes_of("nn.deformable_conv2d: kernel_size", kernel_size, 2)
        sizes = dict(zip("OIHW", [channels, x.shape[1] // groups, *taps], strict=True))
        counts, parts = window.counts(x.shape[2:], taps), 2 * taps[0] * taps[1] * deformable_groups
        _give(weight, [sizes[letter] for letter in kernel_layout], data.dtype)
        _give(offset, [x.shape[0], parts, *counts] if is_first else [x.shape[0], *counts, parts], data.dtype)
    kernel = op.transpose(weight, [kernel_layout.index(letter) for letter in "OIHW"])
    moves = offset if is_first else op.transpose(offset, [0, 3, 1, 2])
    inside = _inside(moves, window.grid(kernel.shape[2:], moves.shape[2:]), x.shape[2:])
    numbers = {"group": groups, "offset_group": deformable_groups, "kernel_shape": list(kernel.shape[2:])}
    placed = {"strides": steps, "pads": window.pads, "dilations": apart}
    result = onnx("DeformConv", x, kernel, moves, None, inside, **numbers, **placed)
    return result if is_first else op.transpose(result, [0, 2, 3, 1])


class _Window(NamedTuple):
    """Where a window lies."""

    steps: Sequence[int]
    apart: Sequence[int]
    """The distances of its elements."""
    pads: Sequence[int]

    def counts(self, sizes: Sequence[int], taps: Sequence[int]) -> list[int]:
        """The positions of a window of `taps` elements in an image."""
        padded = [size + self.pads[axis] + self.pads[axis + 2] for axis, size in enumerate(sizes)]
        rest = [size - (taps[axis] - 1) * self.apart[axis] - 1 for axis, size in enumerate(padded)]
        return [size // step + 1 for size, step in zip(rest, self.steps, strict=True)]

    def grid(self, taps: Sequence[int], counts: Sequence[int]) -> Array:
        """The row and the column `[elements of the window, 2, rows, columns]` that each element reads without a
        move."""
        elements, positions = np.indices(taps).reshape(2, -1), np.indices(counts)
        places = [
            positions[axis] * self.steps[axis] - self.pads[axis] + elements[axis][:, None, None] * self.apart[axis]
            for axis in range(len(taps))
        ]
        return np.stack(places, 1)


def _inside(moves: Expr, grid: Array, sizes: Sequence[int]) -> Expr:
    """1 for each place `[images, groups * elements of the window, rows, columns]` in the image, else 0."""
    batch, count, *outs = moves.shape
    groups = count // (2 * len(grid))
    places = op.reshape(moves, [batch, groups, *grid.shape]) + const(grid[None, None].astype(moves.dtype))
    tests: list[Expr] = []
    for axis, size in enumerate(sizes):
        place = op.strided_slice(places, [axis], [axis + 1], axes=[3])
        tests += [op.greater_equal(place, place.like(0.0)), op.less(place, place.like(float(size)))]
    inside = reduce(op.logical_and, tests)
    return op.reshape(inside.astype(moves.dtype), [batch, count // 2, *outs])


def _give(argument: Expr, shape: list[int], dtype: str) -> None:
    """Tell an argument its type where it has none."""
    if isinstance(argument, Var):
        argument.give(shape, np.dtype(dtype).name)
