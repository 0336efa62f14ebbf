"""Sliding windows of convolution and pooling, as torch states them."""

from collections.abc import Sequence

from s2s.frontends.torch.node import Node
from s2s.frontends.window import Window, round_up


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
    window = Window(kernel, strides, pads, pads, dilations)
    return round_up(window, spatial, varies=node.builder.varies) if node.flag("ceil_mode") else window
