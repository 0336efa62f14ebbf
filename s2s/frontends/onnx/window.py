"""Sliding windows of convolution and pooling: attributes, automatic padding, rounding up."""

from collections.abc import Sequence

from s2s.frontends.formulas import checked_shape
from s2s.frontends.names import one_line
from s2s.frontends.onnx.node import Node
from s2s.frontends.window import Window


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
    totals = [
        max(0, (-(-size // stride) - 1) * stride + extent - size)
        for size, stride, extent in zip(spatial, strides, window.extent, strict=True)
    ]
    low, high = split_padding(totals, upper=mode == "SAME_UPPER")
    return window._replace(low=low, high=high)


def split_padding(totals: Sequence[int], upper: bool) -> tuple[list[int], list[int]]:
    """Padding before and after; an odd element goes after when `upper`, else before."""
    small, large = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return (small, large) if upper else (large, small)


def round_up(window: Window, spatial: Sequence[int]) -> Window:
    """`window` with the padding at the far side that makes the output size round up.

    A last window that would start beyond the input and its padding before it is left out, as ONNX says.
    """
    high: list[int] = []
    for size, low, after, extent, stride in zip(
        spatial, window.low, window.high, window.extent, window.strides, strict=True
    ):
        count = -(-(size + low + after - extent) // stride) + 1
        if (count - 1) * stride >= size + low:
            count -= 1
        high.append(max(after, (count - 1) * stride + extent - size - low))
    return window._replace(high=high)
