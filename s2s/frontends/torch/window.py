"""Sliding windows of convolution and pooling, as torch states them."""

from collections.abc import Sequence

from s2s.frontends.torch.node import Node
from s2s.frontends.window import Window


def spread(node: Node, name: str, rank: int, default: Sequence[int] | None = None) -> list[int]:
    """An argument with one entry for each spatial dimension, or one for all."""
    given = node.integers(name) if name in node.arguments else []
    given = given or list(default or [])
    return given * rank if len(given) == 1 else given


def pool_window(node: Node, spatial: Sequence[int]) -> Window:
    """The window of a pool; in `ceil_mode` padding after the input is longer, where a window would begin inside."""
    rank = len(spatial)
    kernel = spread(node, "kernel_size", rank)
    strides = spread(node, "stride", rank, kernel)
    pads, dilations = spread(node, "padding", rank, [0]), spread(node, "dilation", rank, [1])
    high = list(pads)
    if node.flag("ceil_mode"):
        for axis, size in enumerate(spatial):
            room = size + 2 * pads[axis] - dilations[axis] * (kernel[axis] - 1) - 1
            count = -(-room // strides[axis]) + 1
            if (count - 1) * strides[axis] >= size + pads[axis]:
                count -= 1
            high[axis] += max(0, (count - 1) * strides[axis] - room)
    return Window(kernel, strides, pads, high, dilations)
