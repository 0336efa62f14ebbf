"""Patches of images as columns, as importers of every format write them."""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, concat, crop, pad, reshape, take, transpose, unsqueeze, widened
from s2s.frontends.window import Window


def sum_patches(x: Value, image: Sequence[int], window: Window) -> Value:
    """`x[N, C * taps, places]` as `[N, C, image…]`: the patches added up where they overlap."""
    counts = patch_counts(image, window)
    patches = cast(x, np.dtype(np.int32)) if x.is_bool else widened(x)
    patches = reshape(patches, [x.shape[0], x.shape[1] // prod(window.kernel), *window.kernel, *counts])
    return cast(_sums_of(window)(patches, image, window), x.dtype)


def _sums_of(window: Window) -> Callable[[Value, Sequence[int], Window], Value]:
    """The way to add up the patches of a window."""
    if max(window.strides) == 1 or max(window.dilations) > 1:
        return _at_once
    apart = all(size <= stride for size, stride in zip(window.kernel, window.strides, strict=True))
    return _apart if apart else _by_phases


def _at_once(x: Value, image: Sequence[int], window: Window) -> Value:
    return emit(
        graph.SumPatchesOp,
        x,
        sizes=list(image),
        strides=window.strides,
        low=window.low,
        dilations=window.dilations,
    )


def _by_phases(x: Value, image: Sequence[int], window: Window, phase: tuple[int, ...] = ()) -> Value:
    """The sums at positions `stride * m + r` for each phase `r` of each axis, side by side.

    With a stride of 2, of windows of 3 the taps 0 and 2 add up to position 0, 2, 4, and tap 1 to position 1, 3, 5:
    every phase is a sum of patches with a stride of 1.
    """
    rank, axis = len(image), len(phase)
    counts = [-(-(size + low) // stride) for size, low, stride in zip(image, window.low, window.strides, strict=True)]
    if axis == rank:
        return _phase(x, counts, window, phase)
    parts = [_by_phases(x, image, window, (*phase, each)) for each in range(window.strides[axis])]
    joined = concat([unsqueeze(part, [3 + axis]) for part in parts], 3 + axis)
    shape = [*parts[0].shape]
    shape[2 + axis] *= window.strides[axis]
    low, size = window.low[axis], image[axis]
    return take(reshape(joined, shape), 2 + axis, low, size)


def _phase(x: Value, counts: Sequence[int], window: Window, phase: Sequence[int]) -> Value:
    """The sums of one phase of each axis."""
    rank, starts, sizes, strides = len(phase), [0] * x.rank, list(x.shape), [1] * x.rank
    for axis, (start, stride, taps) in enumerate(zip(phase, window.strides, window.kernel, strict=True), 2):
        starts[axis], sizes[axis], strides[axis] = start, -(-(taps - start) // stride), stride
    if min(sizes) < 1:  # a tap that the window does not have
        return broadcast_to(x.like(0), [*x.shape[:2], *counts])
    ones, zeros = [1] * rank, [0] * rank
    return emit(
        graph.SumPatchesOp, crop(x, starts, sizes, strides), sizes=list(counts), strides=ones, low=zeros, dilations=ones
    )


def patch_counts(image: Sequence[int], window: Window) -> list[int]:
    """How many patches lie along each axis of an image."""
    return [
        (size + low + high - extent) // stride + 1
        for size, low, high, extent, stride in zip(
            image, window.low, window.high, window.extent, window.strides, strict=True
        )
    ]


def _apart(x: Value, image: Sequence[int], window: Window) -> Value:
    """Patches that do not overlap: each followed by what lies between it and the next one."""
    rank, counts = len(image), patch_counts(image, window)
    gaps = [stride - size for size, stride in zip(window.kernel, window.strides, strict=True)]
    filled = pad(x, [0] * x.rank, [0, 0, *gaps, *[0] * rank])
    order = [axis for place in range(rank) for axis in (2 + rank + place, 2 + place)]
    merged = [count * stride for count, stride in zip(counts, window.strides, strict=True)]
    y = reshape(transpose(filled, [0, 1, *order]), [*x.shape[:2], *merged])
    ends = [size + low - done for size, low, done in zip(image, window.low, merged, strict=True)]
    return pad(y, [0, 0, *(-low for low in window.low)], [0, 0, *ends])
