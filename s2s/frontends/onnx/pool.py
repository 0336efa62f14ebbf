"""Pooling."""

from collections.abc import Callable, Mapping
from math import prod

import numpy as np
from xdsl.ir import Operation

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, checked_shape, pad, reshape, widened
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.reduce import reduce_to, root
from s2s.frontends.onnx.window import padded, pool_windows
from s2s.frontends.same_padding import lowest
from s2s.types.shapes.window import CHANNELS_FIRST, Layout, spatial_shape
from s2s.types.size import all_plain


def _max_pool(node: Node) -> list[Value]:
    x = node.input(0)
    _, window = pool_windows(node, x.shape[2:])
    sizes = {"kernel": window.kernel, "strides": window.strides, "dilations": window.dilations}
    inner, pads = padded(x, window, lowest(x))
    outputs = [emit(graph.MaxPoolOp, inner, **sizes, pads=pads)]
    if node.outputs() > 1:
        asked = {"pads": [0] * len(pads), "side": window.side} if window.side else {"pads": pads}
        order = node.integer("storage_order")
        outputs.append(emit(graph.MaxPoolIndicesOp, x, **sizes, **asked, storage_order=order))
    return outputs


def average_pool(node: Node) -> Value:
    """The mean over the window that the attributes of `node` describe."""
    return averaged(node, node.input(0), CHANNELS_FIRST)


def averaged(node: Node, x: Value, layout: Layout) -> Value:
    """The mean of `x`, whose channels stand where `layout` says."""
    asked, window = pool_windows(node, spatial_shape(x.shape, layout))
    sizes = {"kernel": window.kernel, "strides": window.strides, "dilations": window.dilations}
    counts = node.flag("count_include_pad", False)
    if window.side and not counts:
        return emit(graph.SameAvgPoolOp, x, **sizes, side=window.side, layout=layout)
    x, pads = padded(x, window, 0, layout)
    counted = [0] * len(pads) if not counts else pads if window.side else asked.pads
    return emit(graph.AvgPoolOp, x, **sizes, pads=pads, counted_pads=counted, layout=layout)


def _order(node: Node) -> int:
    """Which norm an Lp operator takes."""
    if node.integer("p", 2) < 1:
        raise node.invalid(f"p is {node.integer('p')}", "give a positive order")
    return node.integer("p", 2)


def _lp_pool(node: Node) -> Value:
    """The p-norm of each window: powers summed by a convolution with ones, channel by channel, or picture by picture
    of one channel where their number varies."""
    x, order = widened(node.input(0)), _order(node)
    _, window = pool_windows(node, x.shape[2:])
    shape = x.shape
    if not all_plain(shape[1:2]):
        x = reshape(x, [shape[0] * shape[1], 1, *shape[2:]])
    channels = x.shape[1]
    ones = node.constant(np.broadcast_to(np.ones((), x.dtype), (channels, 1, *window.kernel)))
    powers, pads = padded(abs(x) ** order, window, 0)
    summed = emit(
        graph.ConvOp,
        powers,
        ones,
        strides=window.strides,
        pads=pads,
        dilations=window.dilations,
        groups=channels,
    )
    norms = cast(root(summed, order), node.input(0).dtype)
    return reshape(norms, [*shape[:2], *norms.shape[2:]])


def _global(operation: Callable[..., Operation]) -> Importer:
    def importer(node: Node) -> Value:
        x = node.input(0)
        return reduce_to(operation, x, list(range(2, x.rank)), keepdims=True)

    return importer


def _global_lp_pool(node: Node) -> Value:
    x, order = widened(node.input(0)), _order(node)
    summed = reduce_to(graph.ReduceSumOp, abs(x) ** order, list(range(2, x.rank)), keepdims=True)
    return cast(root(summed, order), node.input(0).dtype)


def _max_unpool(node: Node) -> Value:
    x, indices = node.input(0), node.input(1)
    kernel = node.integers("kernel_shape")
    rank = len(kernel)
    strides, pads = node.integers("strides", [1] * rank), node.integers("pads", [0] * 2 * rank)
    if x.rank != rank + 2 or len(strides) != rank or len(pads) != 2 * rank or indices.shape != x.shape:
        raise node.invalid(f"kernel_shape {kernel} does not fit input {list(x.shape)}", "fix the attributes")
    spatial = [
        (size - 1) * strides[axis] + kernel[axis] - pads[axis] - pads[axis + rank]
        for axis, size in enumerate(x.shape[2:])
    ]
    shape = [*x.shape[:2], *spatial]
    checked_shape(tuple(shape), node.place)
    known, size = indices.array, prod(shape)
    if known is not None and known.size and not 0 <= known.min() <= known.max() < size:
        raise node.invalid(f"a constant index is outside [0, {size})", "fix the indices")
    count = prod(x.shape)
    empty = node.constant(np.broadcast_to(np.zeros((), x.dtype), (size,)))
    places, values = reshape(indices, [count]), reshape(x, [count])
    flat = emit(graph.ScatterElementsOp, empty, places, values, axis=0, nonnegative_indices=True)
    y = reshape(flat, shape)
    if node.optional(2) is None:
        return y
    wanted = node.known_ints(2, "output_shape")
    if len(wanted) != x.rank or any(size < done for size, done in zip(wanted, shape, strict=False)):
        raise node.invalid(f"output_shape {wanted} is smaller than {shape}", "fix output_shape")
    return pad(y, [0] * x.rank, [size - done for size, done in zip(wanted, shape, strict=True)])


IMPORTERS: Mapping[str, Importer] = {
    "AveragePool": average_pool,
    "GlobalAveragePool": _global(graph.ReduceMeanOp),
    "GlobalLpPool": _global_lp_pool,
    "GlobalMaxPool": _global(graph.ReduceMaxOp),
    "LpPool": _lp_pool,
    "MaxPool": _max_pool,
    "MaxUnpool": _max_unpool,
}
