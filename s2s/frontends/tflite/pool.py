"""Poolings. Padding is part of no window."""

from collections.abc import Mapping, Sequence

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.same_padding import lowest
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import activated
from s2s.frontends.tflite.tensors import Tensor
from s2s.frontends.tflite.window import Geometry, strides
from s2s.types.shapes.window import CHANNELS_LAST, SIDES

_SAME_SCALE = 1e-6


def _geometry(node: Node, x: Tensor) -> Geometry:
    if x.rank != 4:
        raise node.invalid(f"has input {list(x.shape)}, not 4 dimensions", "fix the model")
    return Geometry((int(node.options.FilterHeight()), int(node.options.FilterWidth())), strides(node), (1, 1))


def _sizes(geometry: Geometry) -> dict[str, Sequence[int] | str]:
    return {
        "kernel": geometry.kernel,
        "strides": geometry.strides,
        "dilations": geometry.dilations,
        "layout": CHANNELS_LAST,
    }


def _input(node: Node, *allowed: type[np.generic]) -> Tensor:
    """The operand, of one of the types, and scaled as the result is."""
    x, out = node.input(0), node.output_type()
    names = [np.dtype(each).name for each in allowed]
    if x.dtype.name not in names or out.dtype != x.dtype:
        raise node.unsupported(f"pools {x.dtype} to {out.dtype}", f"use {', '.join(names)}")
    if not x.value.is_float:
        (scale, zero_point), (y_scale, y_zero_point) = x.scalar(), out.scalar()
        if abs(scale - y_scale) > _SAME_SCALE or zero_point != y_zero_point:
            raise node.invalid("its result has another scale than its input", "quantise the model again")
    return x


def _average(node: Node, x: Value, geometry: Geometry) -> Value:
    sizes = _sizes(geometry)
    if geometry.centred_at_run_time(node):
        return emit(graph.SameAvgPoolOp, x, **sizes, side=SIDES[0])
    return emit(graph.AvgPoolOp, x, **sizes, pads=geometry.pads(node, x.shape[1:3]), counted_pads=[0, 0, 0, 0])


def _average_pool_2d(node: Node) -> Value:
    x = _input(node, np.float32, np.int8, np.int16, np.uint8)
    return activated(node, _average(node, x.value, _geometry(node, x)))


def _max_pool_2d(node: Node) -> Value:
    x = _input(node, np.float32, np.int8, np.int16)
    geometry = _geometry(node, x)
    padded, pads = geometry.padded(node, x.value, lowest(x.value))
    return activated(node, emit(graph.MaxPoolOp, padded, **_sizes(geometry), pads=pads))


def _l2_pool_2d(node: Node) -> Value:
    x = _input(node, np.float32)
    return activated(node, emit(graph.SqrtOp, _average(node, x.value * x.value, _geometry(node, x))))


IMPORTERS: Mapping[str, Importer] = {
    "AVERAGE_POOL_2D": _average_pool_2d,
    "MAX_POOL_2D": _max_pool_2d,
    "L2_POOL_2D": _l2_pool_2d,
}
