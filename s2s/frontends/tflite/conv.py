"""Convolutions. TFLite's channels come last, and so do those of what is built; only weights change their order."""

from collections.abc import Mapping, Sequence
from functools import partial

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import transpose
from s2s.frontends.tflite.layer import Layer, Products
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.tensors import Tensor
from s2s.frontends.tflite.window import Geometry, dilations, strides


def _require_images(node: Node, x: Tensor, w: Tensor) -> None:
    if x.rank != 4 or w.rank != 4:
        raise node.invalid(f"has input {list(x.shape)} and weights {list(w.shape)}, not 4 dimensions", "fix the model")


def _ordered(w: Tensor, perm: Sequence[int]) -> Value:
    """The weights with their dimensions in another order, under their name."""
    weights = transpose(w.value, perm)
    weights.call(w.info.name)
    return weights


def _convolution(
    node: Node, w: Value, geometry: Geometry, groups: int, x: Value, products: Products, b: Value | None
) -> Value:
    padded, pads = geometry.padded(node, x, products.input_zp)
    return emit(
        graph.ConvOp,
        padded,
        w,
        b,
        strides=geometry.strides,
        pads=pads,
        dilations=geometry.dilations,
        groups=groups,
        layout="NHWC",
        input_zp=products.input_zp,
        weight_zp=products.weight_zp,
        acc_type=products.acc_type,
    )


def _geometry(node: Node, w: Tensor) -> Geometry:
    geometry = Geometry((w.shape[1], w.shape[2]), strides(node), dilations(node))
    geometry.verify(node)
    return geometry


def _conv_2d(node: Node) -> Value:
    x, w, b = node.input(0), node.input(1), node.optional(2)
    _require_images(node, x, w)
    channels, depth = x.shape[3], w.shape[3]
    if depth == 0 or channels % depth or w.shape[0] % (channels // depth or 1):
        raise node.invalid(f"weights {list(w.shape)} do not fit {channels} channels", "fix the model")
    geometry, weights = _geometry(node, w), _ordered(w, [0, 3, 1, 2])
    return Layer(node, x, w, b, 0).run(partial(_convolution, node, weights, geometry, channels // depth))


def _depthwise_conv_2d(node: Node) -> Value:
    x, w, b = node.input(0), node.input(1), node.optional(2)
    _require_images(node, x, w)
    channels, outputs = x.shape[3], w.shape[3]
    if w.shape[0] != 1 or channels == 0 or outputs % channels:
        raise node.invalid(f"weights {list(w.shape)} do not fit {channels} channels", "fix the model")
    geometry, weights = _geometry(node, w), _ordered(w, [3, 0, 1, 2])
    build = partial(_convolution, node, weights, geometry, channels)
    return Layer(node, x, w, b, 3).run(build, wide_bias_only=True)


def _transpose_conv(node: Node) -> Value:
    w, x, b = node.input(1), node.input(2), node.optional(3)
    _require_images(node, x, w)
    shape = node.shape(node.known_ints(0, "its output shape"))
    if len(shape) != 4 or (shape[0], shape[3]) != (x.shape[0], w.shape[0]):
        raise node.invalid(f"output shape {list(shape)} does not fit weights {list(w.shape)}", "fix the model")
    geometry = Geometry((w.shape[1], w.shape[2]), strides(node))
    top, left, *_ = geometry.pads(node, shape[1:3])
    low = [top, left]
    rest = [
        wanted - ((size - 1) * stride + kernel - before)
        for wanted, size, stride, kernel, before in zip(
            shape[1:3], x.shape[1:3], geometry.strides, geometry.kernel, low, strict=True
        )
    ]
    weights = _ordered(w, [3, 0, 1, 2])

    def build(x: Value, products: Products, bias: Value | None) -> Value:
        return emit(
            graph.ConvTransposeOp,
            x,
            weights,
            bias,
            strides=geometry.strides,
            pads=[*low, *(max(-more, 0) for more in rest)],
            dilations=[1, 1],
            groups=1,
            output_padding=[max(more, 0) for more in rest],
            layout="NHWC",
            input_zp=products.input_zp,
            weight_zp=products.weight_zp,
            acc_type=products.acc_type,
        )

    return Layer(node, x, w, b, 0).run(build, wide_bias_only=True)


IMPORTERS: Mapping[str, Importer] = {
    "CONV_2D": _conv_2d,
    "DEPTHWISE_CONV_2D": _depthwise_conv_2d,
    "TRANSPOSE_CONV": _transpose_conv,
}
