"""The operators of domain com.microsoft that onnxruntime's optimiser and exporters make of several others of ONNX.

Each is imported as the operators that it stands for. GroupQueryAttention alone takes a cache of past keys and values.
"""

from collections.abc import Mapping

import numpy as np
from onnx import AttributeProto

from s2s.dialects import graph
from s2s.frontends.activations import gelu, gelu_by_tanh, hard_sigmoid, leaky_relu, sigmoid
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import (
    cast,
    clamp,
    matmul,
    reshape,
    transpose,
)
from s2s.frontends.onnx.conv import convolve
from s2s.frontends.onnx.fused_attention import heads_of
from s2s.frontends.onnx.grouped_attention import PLAIN, grouped_query_attention
from s2s.frontends.onnx.linear import integer_product
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.quant import dynamic_bytes
from s2s.frontends.onnx.rotary import rotated

_FLOAT = np.dtype(np.float32)
_LOWEST = float(np.finfo(np.float32).min)


def _bias_gelu(node: Node) -> Value:
    return gelu(node.input(0) + node.input(1))


def _fast_gelu(node: Node) -> Value:
    bias = node.optional(1)
    return gelu_by_tanh(node.input(0) if bias is None else node.input(0) + bias)


def _quick_gelu(node: Node) -> Value:
    x = node.input(0)
    return x * sigmoid(x * node.real("alpha"))


def activated(node: Node, x: Value, parameters: list[float]) -> Value:
    """`x` through the activation that attribute `activation` names, if any."""
    first, second = [*parameters, 0.0, 0.0][:2]
    match node.text("activation", ""):
        case "":
            return x
        case "Relu":
            return clamp(x, 0, None)
        case "Tanh":
            return emit(graph.TanhOp, x)
        case "Sigmoid":
            return sigmoid(x)
        case "LeakyRelu":
            return leaky_relu(x, first)
        case "Clip":
            return clamp(x, first, second)
        case "HardSigmoid":
            return hard_sigmoid(x, first, second)
        case other:
            raise node.unsupported(f"has the activation {other!r}", "optimise the model without fusing activations")


def _fused_conv(node: Node) -> Value:
    y, added = convolve(node, node.input(0), node.input(1), node.optional(2)), node.optional(3)
    return activated(node, y if added is None else y + added, node.reals("activation_params", []))


def _fused_matmul(node: Node) -> Value:
    a, b = node.input(0), node.input(1)
    if node.flag("transBatchA") or node.flag("transBatchB"):
        raise node.unsupported("batches are transposed", "optimise the model without fusing transposes")
    if min(a.rank, b.rank) < 2:
        raise node.invalid(f"operands {list(a.shape)} and {list(b.shape)}", "give matrices")
    product = matmul(a, b, transpose_a=node.flag("transA"), transpose_b=node.flag("transB"))
    return product * node.real("alpha") if node.real("alpha") != 1 else product


def _fused_gemm(node: Node) -> Value:
    a, b, c = node.input(0), node.input(1), node.optional(2)
    y = emit(graph.MatmulOp, a, b, transpose_a=node.flag("transA"), transpose_b=node.flag("transB"))
    y = y * node.real("alpha") if node.real("alpha") != 1 else y
    if c is not None and node.real("beta") != 0:
        y = y + (c if node.real("beta") == 1 else c * node.real("beta"))
    return activated(node, y, [node.real("activation_alpha", 0.0), node.real("activation_beta", 0.0)])


def _skip_layer_norm(node: Node) -> list[Value]:
    """Outputs that only training reads are left out: the sum comes instead of mean and deviation."""
    total = _sum(node, [0, 1, 4])
    scale, bias, axis = node.input(2), node.optional(3), total.rank - 1
    y = emit(graph.LayerNormOp, total, scale, bias, axis=axis, epsilon=node.real("epsilon"))
    return _with_sum(node, y, total)


def _skip_rms_norm(node: Node) -> list[Value]:
    total = _sum(node, [0, 1, 3])
    return _with_sum(node, _rms_norm(total, node.input(2), node.real("epsilon")), total)


def _sum(node: Node, positions: list[int]) -> Value:
    """The sum of the operands at `positions` that are there."""
    x, *others = (node.optional(position) for position in positions)
    total = node.input(0) if x is None else x
    for other in others:
        total = total if other is None else total + other
    return total


def _with_sum(node: Node, y: Value, total: Value) -> list[Value]:
    if any(node.proto.output[1:3]):
        raise node.unsupported("its mean and deviation are used", "export the model for inference")
    return [y, y, y, total][: max(1, node.outputs())]


def _simplified_layer_norm(node: Node) -> Value:
    x = node.input(0)
    if node.axis(node.integer("axis"), x.rank) != x.rank - 1:
        raise node.unsupported(f"axis is {node.integer('axis')}", "normalise the last dimension")
    return _rms_norm(x, node.input(1), node.real("epsilon"))


def _rms_norm(x: Value, scale: Value, epsilon: float) -> Value:
    wide = cast(x, _FLOAT) if x.dtype.itemsize < 4 else x
    square = emit(graph.ReduceMeanOp, wide * wide, axes=[x.rank - 1], keepdims=True)
    return cast(wide / emit(graph.SqrtOp, square + epsilon), x.dtype) * scale


def _rotary_embedding(node: Node) -> Value:
    """Pairs of elements rotated by an angle that grows with their position."""
    x, positions, cosines, sines = (node.input(position) for position in range(4))
    half = cosines.shape[-1]
    heads = node.integer("num_heads") or (x.shape[-1] // (2 * half) if x.rank == 3 else 1)
    if x.rank not in (3, 4) or (x.rank == 3 and (heads < 1 or x.shape[2] % heads)):
        raise node.invalid(f"input has shape {list(x.shape)} for {heads} heads", "give [batch, length, hidden]")
    apart = x if x.rank == 4 else heads_of(node, x, heads)
    length, size = apart.shape[2:]
    if 2 * half > size:
        raise node.invalid(f"turns {2 * half} elements of {size}", "fix the caches")
    if positions.rank == 1:
        positions = reshape(positions, [1, 1]) + node.constant(np.arange(length)[None, :], positions.dtype)
    y = rotated(apart, cosines, sines, positions, interleaved=node.flag("interleaved"))
    return y if x.rank == 4 else reshape(transpose(y, [0, 2, 1, 3]), x.shape)


def _dynamic_quantize_matmul(node: Node) -> Value:
    """Activations in bytes by their own range, multiplied by bytes."""
    x, b, b_scale, b_zero = dynamic_bytes(node.input(0)), node.input(1), node.input(2), node.optional(3)
    total = integer_product(x.values, x.zero_point, b, b_zero)
    return _scaled(node, total, x.scale * b_scale, 4)


def _integer_matmul_to_float(node: Node) -> Value:
    a, b, a_scale, b_scale = (node.input(position) for position in range(4))
    total = integer_product(a, node.optional(4), b, node.optional(5))
    return _scaled(node, total, a_scale * b_scale, 6)


def _scaled(node: Node, total: Value, scale: Value, bias: int) -> Value:
    """The sums of a product as floats, plus the operand at `bias`."""
    y, added = cast(total, _FLOAT) * scale, node.optional(bias)
    return y if added is None else y + added


IMPORTERS: Mapping[str, Importer] = {
    "BiasGelu": _bias_gelu,
    "DynamicQuantizeMatMul": _dynamic_quantize_matmul,
    "FastGelu": _fast_gelu,
    "FusedConv": _fused_conv,
    "FusedGemm": _fused_gemm,
    "FusedMatMul": _fused_matmul,
    "TransposeMatMul": _fused_matmul,
    "Gelu": lambda node: gelu(node.input(0)),
    "GroupQueryAttention": grouped_query_attention,
    "MatMulIntegerToFloat": _integer_matmul_to_float,
    "QuickGelu": _quick_gelu,
    "RotaryEmbedding": _rotary_embedding,
    "SimplifiedLayerNormalization": _simplified_layer_norm,
    "SkipLayerNormalization": _skip_layer_norm,
    "SkipSimplifiedLayerNormalization": _skip_rms_norm,
}
ONNX_DOMAIN = frozenset(["SimplifiedLayerNormalization"])
"""Operators that onnxruntime adds to the domain of ONNX itself."""

_WINDOW: Mapping[str, int] = {
    **dict.fromkeys(("dilations", "kernel_shape", "pads", "strides"), AttributeProto.INTS),
}
_TRANSPOSED: Mapping[str, int | float | str] = {
    "alpha": 1.0,
    **dict.fromkeys(("transA", "transB", "transBatchA", "transBatchB"), 0),
}
DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = {
    "FusedConv": {"auto_pad": "NOTSET", "group": 1},
    "FusedGemm": {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0},
    "FusedMatMul": _TRANSPOSED,
    "TransposeMatMul": _TRANSPOSED,
    "GroupQueryAttention": {
        "do_rotary": 0,
        "local_window_size": -1,
        "rotary_interleaved": 0,
        "scale": 0.0,
        "softcap": 0.0,
        **PLAIN,
    },
    "QuickGelu": {"alpha": 1.702},
    "RotaryEmbedding": {"interleaved": 0, "num_heads": 0, "rotary_embedding_dim": 0, "is_packed_batching": 0},
    "SimplifiedLayerNormalization": {"axis": -1, "epsilon": 1e-5, "stash_type": 1},
    "SkipLayerNormalization": {"epsilon": 1e-12},
    "SkipSimplifiedLayerNormalization": {"epsilon": 1e-12},
}
REQUIRED: Mapping[str, Mapping[str, int]] = {
    "GroupQueryAttention": {"kv_num_heads": AttributeProto.INT, "num_heads": AttributeProto.INT},
}
OPTIONAL: Mapping[str, Mapping[str, int]] = {
    "FusedConv": {
        **_WINDOW,
        "activation": AttributeProto.STRING,
        "activation_params": AttributeProto.FLOATS,
    },
    "FusedGemm": {
        "activation": AttributeProto.STRING,
        **{f"activation_{name}": AttributeProto.FLOAT for name in ("alpha", "beta", "gamma")},
    },
    "RotaryEmbedding": {"scale": AttributeProto.FLOAT},
}
INPUTS: Mapping[str, tuple[int, int]] = {
    "BiasGelu": (2, 2),
    "DynamicQuantizeMatMul": (3, 5),
    "FastGelu": (1, 2),
    "FusedConv": (2, 4),
    "FusedGemm": (2, 3),
    "FusedMatMul": (2, 2),
    "TransposeMatMul": (2, 2),
    "Gelu": (1, 1),
    "GroupQueryAttention": (7, 14),
    "MatMulIntegerToFloat": (4, 7),
    "QuickGelu": (1, 1),
    "RotaryEmbedding": (4, 4),
    "SimplifiedLayerNormalization": (2, 2),
    "SkipLayerNormalization": (3, 5),
    "SkipSimplifiedLayerNormalization": (3, 4),
}
OUTPUTS: Mapping[str, int] = {
    "GroupQueryAttention": 3,
    "SkipLayerNormalization": 4,
    "SkipSimplifiedLayerNormalization": 4,
}
"""The largest number of outputs, where that is not one."""
