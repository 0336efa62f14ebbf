"""Numpy meanings of the operations that pool regions of images."""

from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.interpret.graph.precision import Meaning
from s2s.interpret.regions import max_regions, roi_align
from s2s.types.dtypes import Array


def _roi_align(op: graph.RoiAlignOp, image: Array, batch: Array, starts: Array, bins: Array, sizes: Array) -> Array:
    shape = op.rows.value.data, op.columns.value.data
    return roi_align(image, batch, starts, bins, sizes, shape, op.ratio.value.data, op.largest is not None)


def _max_regions(op: graph.MaxRegionsOp, image: Array, batch: Array, high: Array, wide: Array) -> Array:
    return max_regions(image, batch, high, wide)


MEANINGS: dict[type[Operation], Meaning] = {graph.MaxRegionsOp: _max_regions, graph.RoiAlignOp: _roi_align}
