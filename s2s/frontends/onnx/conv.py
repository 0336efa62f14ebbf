"""Convolutions."""

from collections.abc import Mapping
from math import prod

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.columns import patch_counts, sum_patches
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.window import padded, read_window, split_padding
from s2s.frontends.window import Window
from s2s.types.shapes.window import CHANNELS_FIRST, Layout


def read_conv_window(node: Node, x: Value, w: Value, layout: Layout = CHANNELS_FIRST) -> Window:
    """The window of a convolution of `x` with `w[O, C, …]`."""
    if x.rank < 3 or w.rank != x.rank:
        form = "[N, C, …]" if layout == CHANNELS_FIRST else "[N, …, C]"
        raise node.invalid(
            f"input {list(x.shape)} and weight {list(w.shape)} are no {form} and [O, C, k…]", "fix the shapes"
        )
    kernel = list(w.shape[2:])
    if node.integers("kernel_shape", kernel) != kernel:
        raise node.invalid(
            f"kernel_shape {node.integers('kernel_shape')} differs from the weight's {kernel}", "make them equal"
        )
    return read_window(node, x.shape[2:] if layout == CHANNELS_FIRST else x.shape[1:-1], kernel)


def convolve(node: Node, x: Value, w: Value, b: Value | None, **properties: object) -> Value:
    """The convolution that `node` describes, of `x` with `w`, plus `b` for each output channel."""
    window = read_conv_window(node, x, w)
    zero = properties.get("input_zp", 0)
    assert isinstance(zero, int)
    x, pads = padded(x, window, zero)
    return emit(
        graph.ConvOp,
        x,
        w,
        b,
        strides=window.strides,
        pads=pads,
        dilations=window.dilations,
        groups=node.integer("group"),
        **properties,
    )


def _conv(node: Node) -> Value:
    return convolve(node, node.input(0), node.input(1), node.optional(2))


def _conv_transpose(node: Node) -> Value:
    x, w = node.input(0), node.input(1)
    window = read_conv_window(node, x, w)
    window, extra = _transposed_window(node, window, list(x.shape[2:]))
    return emit(
        graph.ConvTransposeOp,
        x,
        w,
        node.optional(2),
        strides=window.strides,
        pads=window.pads,
        dilations=window.dilations,
        groups=node.integer("group"),
        output_padding=extra,
    )


def _col2im(node: Node) -> Value:
    """Patches added up where they overlap."""
    x = node.input(0)
    image, kernel = node.known_ints(1, "image_shape"), node.known_ints(2, "block_shape")
    rank, taps = len(kernel), prod(kernel)
    if x.rank != 3 or len(image) != rank or taps < 1 or x.shape[1] % taps:
        raise node.invalid(f"input {list(x.shape)} does not hold patches of {kernel} for an image {image}", "fix them")
    window = read_window(node, image, kernel)
    counts = patch_counts(image, window)
    if prod(counts) != x.shape[2]:
        raise node.invalid(f"has {x.shape[2]} patches where {counts} fit", "fix the shapes")
    return sum_patches(x, image, window)


def _transposed_window(node: Node, window: Window, spatial: list[int]) -> tuple[Window, list[int]]:
    """The window with the padding that gives the output size asked for, and how much the output is lengthened."""
    rank = len(spatial)
    extra = node.integers("output_padding", [0] * rank)
    if len(extra) != rank:
        raise node.invalid(f"output_padding {extra} has {len(extra)} entries, expected {rank}", "fix it")
    mode = node.text("auto_pad")
    if node.has("output_shape"):
        wanted = node.integers("output_shape")[-rank:]
        if len(wanted) != rank or any(size < 1 for size in wanted):
            raise node.invalid(f"output_shape {wanted} does not fit {rank} spatial dimensions", "fix it")
    elif mode in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [size * stride for size, stride in zip(spatial, window.strides, strict=True)]
    else:
        return window, extra
    full = [
        stride * (size - 1) + more + extent
        for stride, size, more, extent in zip(window.strides, spatial, extra, window.extent, strict=True)
    ]
    totals = [size - goal for size, goal in zip(full, wanted, strict=True)]
    extra = [more + max(0, -total) for more, total in zip(extra, totals, strict=True)]
    low, high = split_padding([max(0, total) for total in totals], upper=mode == "SAME_UPPER")
    return window._replace(low=low, high=high), extra


IMPORTERS: Mapping[str, Importer] = {
    "Col2Im": _col2im,
    "Conv": _conv,
    "ConvTranspose": _conv_transpose,
}
