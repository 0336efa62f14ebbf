"""Import convolutions over depth, height and width, of floats as TFLite has them.

Compared with a tolerance of 3e-6 of the largest magnitude: kernels add in an order of their own.
"""

from collections.abc import Mapping, Sequence

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import transpose
from s2s.frontends.tflite.arithmetic import require_kinds
from s2s.frontends.tflite.node import Importer, Node
from s2s.frontends.tflite.quantisation import activated
from s2s.frontends.tflite.tensors import Tensor
from s2s.frontends.tflite.window import Geometry


def _operands(node: Node, x: Tensor, w: Tensor, b: Tensor | None) -> Value | None:
    """Check that all are floats of five dimensions; return the bias."""
    if x.value.is_float and not w.value.is_float:
        raise node.unsupported(
            f"is hybrid: {x.dtype} input and {w.dtype} weights, for which TFLite has no kernel",
            "convert the model without optimizations",
        )
    require_kinds(node, (x, w) if b is None else (x, w, b), "float32")
    if x.rank != 5 or w.rank != 5:
        raise node.invalid(f"has input {list(x.shape)} and weights {list(w.shape)}, not 5 dimensions", "fix the model")
    return None if b is None else b.value


def _geometry(node: Node, w: Tensor) -> Geometry:
    options = node.options
    return Geometry(
        w.shape[:3],
        (int(options.StrideD()), int(options.StrideH()), int(options.StrideW())),
        (int(options.DilationDFactor()), int(options.DilationHFactor()), int(options.DilationWFactor())),
    )


def _weights(w: Tensor, perm: Sequence[int]) -> Value:
    ordered = transpose(w.value, perm)
    ordered.call(w.info.name)
    return ordered


def _conv_3d(node: Node) -> Value:
    x, w, b = node.input(0), node.input(1), node.optional(2)
    bias = _operands(node, x, w, b)
    if x.shape[4] != w.shape[3]:
        raise node.invalid(f"weights {list(w.shape)} do not fit {x.shape[4]} channels", "fix the model")
    geometry = _geometry(node, w)
    padded, pads = geometry.padded(node, x.value, 0)
    y = emit(
        graph.ConvOp,
        padded,
        _weights(w, [4, 3, 0, 1, 2]),
        bias,
        strides=geometry.strides,
        pads=pads,
        dilations=geometry.dilations,
        groups=1,
        layout="NHWC",
    )
    return activated(node, y)


def _conv_3d_transpose(node: Node) -> Value:
    w, x, b = node.input(1), node.input(2), node.optional(3)
    bias = _operands(node, x, w, b)
    shape = node.shape(node.known_ints(0, "its output shape"))
    if len(shape) != 5 or (shape[0], shape[4]) != (x.shape[0], w.shape[3]) or x.shape[4] != w.shape[4]:
        raise node.invalid(f"output shape {list(shape)} does not fit weights {list(w.shape)}", "fix the model")
    geometry = _geometry(node, w)
    low = geometry.pads(node, shape[1:4])[:3]
    rest = [
        wanted - ((size - 1) * stride + (kernel - 1) * dilation + 1 - before)
        for wanted, size, stride, kernel, dilation, before in zip(
            shape[1:4], x.shape[1:4], geometry.strides, geometry.kernel, geometry.dilations, low, strict=True
        )
    ]
    y = emit(
        graph.ConvTransposeOp,
        x.value,
        _weights(w, [4, 3, 0, 1, 2]),
        bias,
        strides=geometry.strides,
        pads=[*low, *(max(-more, 0) for more in rest)],
        dilations=geometry.dilations,
        groups=1,
        output_padding=[max(more, 0) for more in rest],
        layout="NHWC",
    )
    return activated(node, y)


IMPORTERS: Mapping[str, Importer] = {
    "CONV_3D": _conv_3d,
    "CONV_3D_TRANSPOSE": _conv_3d_transpose,
}
