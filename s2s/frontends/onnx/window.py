"""Sliding windows of convolution and pooling: attributes, automatic padding, rounding up."""

from collections.abc import Sequence

from s2s.frontends.builder import Scalar, Value
from s2s.frontends.formulas import checked_shape
from s2s.frontends.names import one_line
from s2s.frontends.onnx.node import Node
from s2s.frontends.same_padding import depends_on_size, same_padded
from s2s.frontends.window import Window, round_up
from s2s.types.shapes.window import CHANNELS_FIRST, Layout


def read_window(node: Node, spatial: Sequence[int], kernel: Sequence[int]) -> Window:
    """The window of `node` on an input of size `spatial`, `auto_pad` resolved."""
    rank = len(spatial)
    if not 1 <= rank <= 3:
        raise node.unsupported(f"has {rank} spatial dimensions", "use 1 to 3")
    strides, dilations = node.integers("strides", [1] * rank), node.integers("dilations", [1] * rank)
    pads = node.integers("pads", [0] * 2 * rank)
    for what, values, length in (
        ("kernel_shape", kernel, rank),
        ("strides", strides, rank),
        ("dilations", dilations, rank),
        ("pads", pads, 2 * rank),
    ):
        if len(values) != length:
            raise node.invalid(f"{what} {list(values)} has {len(values)} entries, expected {length}", "fix it")
        if any(value < (0 if what == "pads" else 1) for value in values):
            raise node.invalid(f"{what} {list(values)} has an entry that is too small", "fix it")
    checked_shape(tuple(kernel), f"{node.place}: kernel")
    window = Window(list(kernel), strides, pads[:rank], pads[rank:], dilations)
    mode = node.text("auto_pad", "NOTSET")
    if mode not in ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"):
        raise node.invalid(f"auto_pad is {one_line(mode)!r}", "use one that ONNX defines")
    if mode == "NOTSET":
        return window
    if mode == "VALID":
        return window._replace(low=[0] * rank, high=[0] * rank)
    if node.builder.varies and depends_on_size(window.extent, strides):
        return window._replace(low=[0] * rank, high=[0] * rank, side=mode.removeprefix("SAME_").lower())
    totals = [
        max(0, (-(-size // stride) - 1) * stride + extent - size)
        for size, stride, extent in zip(spatial, strides, window.extent, strict=True)
    ]
    low, high = split_padding(totals, upper=mode == "SAME_UPPER")
    return window._replace(low=low, high=high)


def pool_windows(node: Node, spatial: Sequence[int]) -> tuple[Window, Window]:
    """The window of a pool as the model states it, and as it becomes when the output size is rounded up."""
    asked = read_window(node, spatial, node.integers("kernel_shape"))
    if not node.flag("ceil_mode", False):
        return asked, asked
    return asked, round_up(asked, spatial, varies=node.builder.varies)


def padded(x: Value, window: Window, value: Scalar, layout: Layout = CHANNELS_FIRST) -> tuple[Value, list[int]]:
    """`x` with the padding that depends on sizes that vary, and what padding is left to the operation."""
    if not window.side:
        return x, window.pads
    return same_padded(x, window.extent, window.strides, window.side, value, layout)


def split_padding(totals: Sequence[int], upper: bool) -> tuple[list[int], list[int]]:
    """Padding before and after; an odd element goes after when `upper`, else before."""
    small, large = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return (small, large) if upper else (large, small)
