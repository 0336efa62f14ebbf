"""Numpy meaning of the sum of an image's patches (`col2im`)."""

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning, widen
from s2s.types.dtypes import Array


def _sum_patches(op: graph.SumPatchesOp, x: Array) -> Array:
    rank = len(op.sizes)
    kernel, counts = x.shape[2 : 2 + rank], x.shape[2 + rank :]
    axes = list(zip(op.strides.get_values(), op.dilations.get_values(), counts, strict=True))
    lows, sizes = op.low.get_values(), op.sizes.get_values()
    ends = [
        max((count - 1) * stride + (taps - 1) * dilation + 1, low + size)
        for (stride, dilation, count), taps, low, size in zip(axes, kernel, lows, sizes, strict=True)
    ]
    full = np.zeros((*x.shape[:2], *ends), widen(x).dtype)
    for tap in np.ndindex(*kernel):
        places = tuple(
            slice(k * dilation, k * dilation + (count - 1) * stride + 1, stride)
            for k, (stride, dilation, count) in zip(tap, axes, strict=True)
        )
        full[(..., *places)] += x[(slice(None), slice(None), *tap)]
    cut = tuple(slice(low, low + size) for low, size in zip(lows, sizes, strict=True))
    return full[(..., *cut)].astype(x.dtype, copy=False)


MEANINGS: dict[type[Operation], Meaning] = {graph.SumPatchesOp: _sum_patches}
