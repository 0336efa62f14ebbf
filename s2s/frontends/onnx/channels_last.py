"""Import the operators of com.microsoft whose images have their channels last: convolutions and integer pools.

onnxruntime writes them where its kernels are faster on `[N, H, W, C]`; weights of all but NhwcConv stay
`[O, C / groups, k…]`.
"""

from collections.abc import Mapping
from math import prod

from onnx import AttributeProto

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import reshape, transpose
from s2s.frontends.onnx.conv import convolve, read_conv_window
from s2s.frontends.onnx.fused import activated
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.pool import averaged
from s2s.frontends.onnx.quant import qlinear_conv
from s2s.frontends.onnx.window import padded, pool_windows
from s2s.frontends.same_padding import lowest
from s2s.types.shapes.window import CHANNELS_LAST

LAYOUT = CHANNELS_LAST


def convolve_channels_last(node: Node, x: Value, w: Value, b: Value | None, **properties: object) -> Value:
    """The convolution that `node` describes, of `x[N, …, C]` with `w[O, C / groups, k…]`."""
    window = read_conv_window(node, x, w, LAYOUT)
    zero = properties.get("input_zp", 0)
    assert isinstance(zero, int)
    x, pads = padded(x, window, zero, LAYOUT)
    sizes = {"strides": window.strides, "pads": pads, "dilations": window.dilations}
    return emit(graph.ConvOp, x, w, b, **sizes, groups=node.integer("group"), layout=LAYOUT, **properties)


def _qlinear_conv(node: Node) -> Value:
    return qlinear_conv(node, convolve_channels_last if node.flag("channels_last") else convolve)


def _nhwc_conv(node: Node) -> Value:
    w = node.input(1)
    return convolve_channels_last(
        node, node.input(0), transpose(w, [0, w.rank - 1, *range(1, w.rank - 1)]), node.optional(2)
    )


def _nhwc_fused_conv(node: Node) -> Value:
    y = convolve_channels_last(node, node.input(0), node.input(1), node.optional(2))
    added = node.optional(3)
    return activated(node, y if added is None else y + added, node.reals("activation_params", []))


def average_pool_channels_last(node: Node, x: Value) -> Value:
    """The mean over the window that the attributes of `node` describe, of images `[N, …, C]`."""
    if x.rank < 3:
        raise node.invalid(f"input has shape {list(x.shape)}", "give [batch, …, channels]")
    return averaged(node, x, LAYOUT)


def _nhwc_max_pool(node: Node) -> Value:
    x = node.input(0)
    if x.rank < 3:
        raise node.invalid(f"input has shape {list(x.shape)}", "give [batch, …, channels]")
    _, window = pool_windows(node, x.shape[1:-1])
    x, pads = padded(x, window, lowest(x), LAYOUT)
    sizes = {"kernel": window.kernel, "strides": window.strides, "pads": pads, "dilations": window.dilations}
    return emit(graph.MaxPoolOp, x, **sizes, layout=LAYOUT)


def _group_norm(node: Node) -> Value:
    return _normalised(node, node.input(0))


def _skip_group_norm(node: Node) -> list[Value]:
    """Group normalisation of a sum, which is the second result."""
    x, skip, bias = node.input(0), node.input(3), node.optional(4)
    if skip.rank == 2:
        skip = reshape(skip, [skip.shape[0], *[1] * (x.rank - 2), skip.shape[1]])
    total = x + skip if bias is None else x + skip + bias
    return [_normalised(node, total), total][: max(1, node.outputs())]


def _normalised(node: Node, x: Value) -> Value:
    """`x[N, …, C]` normalised over each group of channels."""
    groups, channels = node.integer("groups"), x.shape[-1]
    if not node.flag("channels_last"):
        raise node.unsupported("channels come first", "use GroupNormalization of ONNX")
    if groups < 1 or channels % groups:
        raise node.invalid(f"{channels} channels do not divide into {groups} groups", "fix groups")
    batch, *spatial = x.shape[:-1]
    apart = transpose(reshape(x, [batch, prod(spatial), groups, channels // groups]), [0, 2, 1, 3])
    shape = [groups, 1, channels // groups]
    scale, bias = (reshape(node.input(position), shape) for position in (1, 2))
    y = emit(graph.LayerNormOp, apart, None, None, axis=2, epsilon=node.real("epsilon")) * scale + bias
    y = reshape(transpose(y, [0, 2, 1, 3]), [batch, *spatial, channels])
    if node.integer("activation") == 0:
        return y
    return y * emit(graph.SigmoidOp, y)


IMPORTERS: Mapping[str, Importer] = {
    "GroupNorm": _group_norm,
    "NhwcConv": _nhwc_conv,
    "NhwcFusedConv": _nhwc_fused_conv,
    "NhwcMaxPool": _nhwc_max_pool,
    "QLinearConv": _qlinear_conv,
    "SkipGroupNorm": _skip_group_norm,
}
_CONV: Mapping[str, int | float | str] = {"auto_pad": "NOTSET", "group": 1}
_GROUPS: Mapping[str, int | float | str] = {"channels_last": 1, "epsilon": 1e-5}
_WINDOW: Mapping[str, int] = dict.fromkeys(("dilations", "kernel_shape", "pads", "strides"), AttributeProto.INTS)
_ACTIVATION: Mapping[str, int] = {"activation": AttributeProto.STRING, "activation_params": AttributeProto.FLOATS}
DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = {
    "GroupNorm": _GROUPS,
    "NhwcConv": _CONV,
    "NhwcFusedConv": _CONV,
    "NhwcMaxPool": {"auto_pad": "NOTSET", "ceil_mode": 0},
    "QLinearConv": {**_CONV, "channels_last": 0},
    "SkipGroupNorm": _GROUPS,
}
REQUIRED: Mapping[str, Mapping[str, int]] = {
    "NhwcMaxPool": {"kernel_shape": AttributeProto.INTS},
    **dict.fromkeys(("GroupNorm", "SkipGroupNorm"), dict.fromkeys(("activation", "groups"), AttributeProto.INT)),
}
OPTIONAL: Mapping[str, Mapping[str, int]] = {
    "NhwcConv": _WINDOW,
    "NhwcFusedConv": {**_WINDOW, **_ACTIVATION},
    "NhwcMaxPool": _WINDOW,
    "QLinearConv": _WINDOW,
}
INPUTS: Mapping[str, tuple[int, int]] = {
    "GroupNorm": (3, 3),
    "NhwcConv": (2, 3),
    "NhwcFusedConv": (2, 4),
    "NhwcMaxPool": (1, 1),
    "QLinearConv": (8, 9),
    "SkipGroupNorm": (4, 5),
}
OUTPUTS: Mapping[str, int] = {"SkipGroupNorm": 2}
