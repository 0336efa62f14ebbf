"""Convolutions."""

from collections.abc import Mapping
from math import prod

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.columns import sum_patches
from s2s.frontends.formulas import reshape
from s2s.frontends.torch.node import Importer, Node
from s2s.frontends.torch.window import spread
from s2s.frontends.window import Window


def _convolution(node: Node) -> Value:
    x, weight, bias = node.value("input"), node.value("weight"), node.optional("bias")
    rank = weight.rank - 2
    if not 1 <= rank <= 3:
        raise node.unsupported(f"has {rank} spatial dimensions", "use 1 to 3")
    if x.rank == rank + 1:
        y = _convolved(node, reshape(x, [1, *x.shape]), weight, bias, rank)
        return reshape(y, y.shape[1:])
    return _convolved(node, x, weight, bias, rank)


def _convolved(node: Node, x: Value, weight: Value, bias: Value | None, rank: int) -> Value:
    pads = spread(node, "padding", rank)
    window = {
        "strides": spread(node, "stride", rank),
        "pads": [*pads, *pads],
        "dilations": spread(node, "dilation", rank),
        "groups": node.integer("groups"),
    }
    if not node.flag("transposed"):
        return emit(graph.ConvOp, x, weight, bias, **window)
    extra = spread(node, "output_padding", rank)
    return emit(graph.ConvTransposeOp, x, weight, bias, **window, output_padding=extra)


def _col2im(node: Node) -> Value:
    """Patches added up where they overlap."""
    x, image, kernel = node.value("self"), node.integers("output_size"), node.integers("kernel_size")
    dilations, pads, strides = (node.integers(name) for name in ("dilation", "padding", "stride"))
    patches = x if x.rank == 3 else reshape(x, [1, *x.shape])
    y = sum_patches(patches, image, Window(kernel, strides, pads, pads, dilations))
    return y if x.rank == 3 else reshape(y, y.shape[1:])


def _im2col(node: Node) -> Value:
    """The patches of an image as columns: a convolution whose kernels each pick one element."""
    x, kernel = node.value("self"), node.integers("kernel_size")
    image = x if x.rank == 4 else reshape(x, [1, *x.shape])
    taps, channels = prod(kernel), image.shape[1]
    node.require_small(channels * taps * taps, "the kernel that picks the patches")
    picking = np.tile(np.eye(taps).reshape(taps, 1, *kernel), [channels, 1, 1, 1])
    pads = node.integers("padding")
    y = emit(
        graph.ConvOp,
        image,
        node.constant(picking, x.dtype),
        None,
        strides=node.integers("stride"),
        pads=[*pads, *pads],
        dilations=node.integers("dilation"),
        groups=channels,
    )
    y = reshape(y, [*y.shape[:2], prod(y.shape[2:])])
    return y if x.rank == 4 else reshape(y, y.shape[1:])


IMPORTERS: Mapping[str, Importer] = {
    "col2im": _col2im,
    "convolution": _convolution,
    "im2col": _im2col,
}
