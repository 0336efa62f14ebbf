"""The operators of domain com.microsoft that onnxruntime's optimiser and exporters make of several others of ONNX.

Each is imported as the operators that it stands for. GroupQueryAttention alone takes a cache of past keys and values.
"""

from collections.abc import Mapping
from math import sqrt

import numpy as np
from onnx import AttributeProto

from s2s.dialects import graph
from s2s.frontends.activations import gelu, gelu_by_tanh, hard_sigmoid, leaky_relu, sigmoid
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import (
    cast,
    clamp,
    greater,
    matmul,
    maximum,
    minimum,
    reshape,
    select,
    take,
    transpose,
)
from s2s.frontends.onnx.conv import convolve
from s2s.frontends.onnx.grouped_attention import PLAIN, grouped_query_attention
from s2s.frontends.onnx.linear import integer_product
from s2s.frontends.onnx.node import Importer, Node
from s2s.frontends.onnx.rotary import rotated
from s2s.frontends.onnx.window import read_window

_FLOAT = np.dtype(np.float32)
_LOWEST = float(np.finfo(np.float32).min)
_CHANNELS_LAST = "NHWC"


def _bias_gelu(node: Node) -> Value:
    return gelu(node.input(0) + node.input(1))


def _fast_gelu(node: Node) -> Value:
    bias = node.optional(1)
    return gelu_by_tanh(node.input(0) if bias is None else node.input(0) + bias)


def _quick_gelu(node: Node) -> Value:
    x = node.input(0)
    return x * sigmoid(x * node.real("alpha"))


def _activated(node: Node, x: Value, parameters: list[float]) -> Value:
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
    return _activated(node, y if added is None else y + added, node.reals("activation_params", []))


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
    return _activated(node, y, [node.real("activation_alpha", 0.0), node.real("activation_beta", 0.0)])


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


def _heads(node: Node, x: Value, heads: int) -> Value:
    """`x[B, S, heads × H]` as `[B, heads, S, H]`."""
    if x.rank != 3 or heads < 1 or x.shape[2] % heads:
        raise node.unsupported(
            f"an operand has shape {list(x.shape)} for {heads} heads", "give [batch, length, hidden]"
        )
    batch, length, hidden = x.shape
    return transpose(reshape(x, [batch, length, heads, hidden // heads]), [0, 2, 1, 3])


def _attend(node: Node, query: Value, key: Value, value: Value, mask: Value | None, bias: Value | None) -> Value:
    """Scaled dot-product attention of `[B, N, S, H]`, as `[B, S, N × H]`. `mask[B, T]` is 0 where nothing is."""
    batch, heads, length, size = query.shape
    scale = node.real("scale", 0.0) or 1 / sqrt(size)
    scores = emit(graph.MatmulOp, query, key, transpose_b=True) * scale
    total = key.shape[2]
    if mask is not None:
        if mask.shape != (batch, total):
            raise node.unsupported(f"its mask has shape {list(mask.shape)}", f"give [{batch}, {total}]")
        absent = select(greater(mask, 0), scores.like(0.0), node.real("mask_filter_value"))
        scores = scores + reshape(absent, [batch, 1, 1, total])
    if bias is not None:
        scores = scores + bias
    if node.flag("unidirectional"):
        later = np.where(np.tri(length, total, total - length, dtype=np.bool_), np.float32(0), np.float32(_LOWEST))
        scores = maximum(scores + node.constant(later, scores.dtype), _LOWEST)
    weights = emit(graph.SoftmaxOp, scores, axis=3)
    y = transpose(emit(graph.MatmulOp, weights, value), [0, 2, 1, 3])
    return reshape(y, [batch, length, heads * value.shape[3]])


def _multi_head_attention(node: Node) -> Value:
    query, heads = node.input(0), node.integer("num_heads")
    key, value, bias = node.optional(1), node.optional(2), node.optional(3)
    if key is None or value is None:
        raise node.unsupported("query, key and value are packed", "optimise the model without packing them")
    if any(node.optional(position) is not None for position in range(6, 10)) or node.outputs() > 1:
        raise node.unsupported("keys and values of the past are operands", "export the model without a cache")
    if bias is not None:
        hidden = query.shape[-1]
        query = query + take(bias, 0, 0, hidden)
        key = key + take(bias, 0, hidden, hidden)
        value = value + take(bias, 0, 2 * hidden, bias.shape[0] - 2 * hidden)
    parts = [_heads(node, each, heads) for each in (query, key, value)]
    return _attend(node, parts[0], parts[1], parts[2], node.optional(4), node.optional(5))


def _attention(node: Node) -> Value:
    """Projections to query, key and value by one matrix, and attention."""
    x, weights, bias, heads = node.input(0), node.input(1), node.optional(2), node.integer("num_heads")
    if node.optional(4) is not None or node.outputs() > 1:
        raise node.unsupported("keys and values of the past are operands", "export the model without a cache")
    if node.integer("do_rotary", 0):
        raise node.unsupported("rotates its operands", "optimise the model without fusing RotaryEmbedding")
    projected = matmul(x, weights)
    projected = projected if bias is None else projected + bias
    third = projected.shape[-1] // 3
    sizes = node.integers("qkv_hidden_sizes", [third] * 3)
    if len(sizes) != 3 or sum(sizes) != projected.shape[-1] or sizes[0] != sizes[1]:
        raise node.invalid(f"qkv_hidden_sizes are {sizes} for {projected.shape[-1]} columns", "fix them")
    starts = (0, sizes[0], sizes[0] + sizes[1])
    parts = [
        _heads(node, take(projected, projected.rank - 1, start, size), heads)
        for start, size in zip(starts, sizes, strict=True)
    ]
    return _attend(node, parts[0], parts[1], parts[2], node.optional(3), node.optional(5))


def _rotary_embedding(node: Node) -> Value:
    """Pairs of elements rotated by an angle that grows with their position."""
    x, positions, cosines, sines = (node.input(position) for position in range(4))
    half = cosines.shape[-1]
    heads = node.integer("num_heads") or (x.shape[-1] // (2 * half) if x.rank == 3 else 1)
    if x.rank not in (3, 4) or (x.rank == 3 and (heads < 1 or x.shape[2] % heads)):
        raise node.invalid(f"input has shape {list(x.shape)} for {heads} heads", "give [batch, length, hidden]")
    apart = x if x.rank == 4 else _heads(node, x, heads)
    length, size = apart.shape[2:]
    if 2 * half > size:
        raise node.invalid(f"turns {2 * half} elements of {size}", "fix the caches")
    if positions.rank == 1:
        positions = reshape(positions, [1, 1]) + node.constant(np.arange(length)[None, :], positions.dtype)
    y = rotated(apart, cosines, sines, positions, interleaved=node.flag("interleaved"))
    return y if x.rank == 4 else reshape(transpose(y, [0, 2, 1, 3]), x.shape)


def _dynamic_quantize_matmul(node: Node) -> Value:
    """Activations in bytes by their own range, multiplied by bytes."""
    x, b, b_scale, b_zero = node.input(0), node.input(1), node.input(2), node.optional(3)
    axes = list(range(x.rank))
    low = minimum(emit(graph.ReduceMinOp, x, axes=axes), 0)
    high = maximum(emit(graph.ReduceMaxOp, x, axes=axes), 0)
    span = high - low
    scale = select(greater(span, 0), span / 255, 1)
    zero = clamp(emit(graph.RoundOp, -low / scale), 0, 255)
    quantised = cast(clamp(emit(graph.RoundOp, x / scale) + zero, 0, 255), np.dtype(np.uint8))
    total = integer_product(quantised, cast(zero, np.dtype(np.uint8)), b, b_zero)
    return _scaled(node, total, scale * b_scale, 4)


def _integer_matmul_to_float(node: Node) -> Value:
    a, b, a_scale, b_scale = (node.input(position) for position in range(4))
    total = integer_product(a, node.optional(4), b, node.optional(5))
    return _scaled(node, total, a_scale * b_scale, 6)


def _scaled(node: Node, total: Value, scale: Value, bias: int) -> Value:
    """The sums of a product as floats, plus the operand at `bias`."""
    y, added = cast(total, _FLOAT) * scale, node.optional(bias)
    return y if added is None else y + added


def _nhwc_max_pool(node: Node) -> Value:
    x = node.input(0)
    if x.rank < 3:
        raise node.invalid(f"input has shape {list(x.shape)}", "give [batch, …, channels]")
    if node.flag("ceil_mode"):
        raise node.unsupported("ceil_mode is set", "pad the input")
    window = read_window(node, x.shape[1:-1], node.integers("kernel_shape"))
    sizes = {"kernel": window.kernel, "strides": window.strides, "pads": window.pads, "dilations": window.dilations}
    return emit(graph.MaxPoolOp, x, **sizes, layout=_CHANNELS_LAST)


IMPORTERS: Mapping[str, Importer] = {
    "Attention": _attention,
    "BiasGelu": _bias_gelu,
    "DynamicQuantizeMatMul": _dynamic_quantize_matmul,
    "FastGelu": _fast_gelu,
    "FusedConv": _fused_conv,
    "FusedGemm": _fused_gemm,
    "FusedMatMul": _fused_matmul,
    "Gelu": lambda node: gelu(node.input(0)),
    "GroupQueryAttention": grouped_query_attention,
    "MatMulIntegerToFloat": _integer_matmul_to_float,
    "MultiHeadAttention": _multi_head_attention,
    "NhwcMaxPool": _nhwc_max_pool,
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
_ATTENTION: Mapping[str, int | float | str] = {"mask_filter_value": -10000.0, "unidirectional": 0}
DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = {
    "Attention": _ATTENTION,
    "FusedConv": {"auto_pad": "NOTSET", "group": 1},
    "FusedGemm": {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0},
    "FusedMatMul": {"alpha": 1.0, "transA": 0, "transB": 0, "transBatchA": 0, "transBatchB": 0},
    "GroupQueryAttention": {
        "do_rotary": 0,
        "local_window_size": -1,
        "rotary_interleaved": 0,
        "scale": 0.0,
        "softcap": 0.0,
        **PLAIN,
    },
    "MultiHeadAttention": _ATTENTION,
    "NhwcMaxPool": {"auto_pad": "NOTSET", "ceil_mode": 0},
    "QuickGelu": {"alpha": 1.702},
    "RotaryEmbedding": {"interleaved": 0, "num_heads": 0, "rotary_embedding_dim": 0, "is_packed_batching": 0},
    "SimplifiedLayerNormalization": {"axis": -1, "epsilon": 1e-5, "stash_type": 1},
    "SkipLayerNormalization": {"epsilon": 1e-12},
    "SkipSimplifiedLayerNormalization": {"epsilon": 1e-12},
}
REQUIRED: Mapping[str, Mapping[str, int]] = {
    "Attention": {"num_heads": AttributeProto.INT},
    "GroupQueryAttention": {"kv_num_heads": AttributeProto.INT, "num_heads": AttributeProto.INT},
    "MultiHeadAttention": {"num_heads": AttributeProto.INT},
    "NhwcMaxPool": {"kernel_shape": AttributeProto.INTS},
}
OPTIONAL: Mapping[str, Mapping[str, int]] = {
    "Attention": {
        "do_rotary": AttributeProto.INT,
        "qkv_hidden_sizes": AttributeProto.INTS,
        "scale": AttributeProto.FLOAT,
    },
    "FusedConv": {
        **_WINDOW,
        "activation": AttributeProto.STRING,
        "activation_params": AttributeProto.FLOATS,
    },
    "FusedGemm": {
        "activation": AttributeProto.STRING,
        **{f"activation_{name}": AttributeProto.FLOAT for name in ("alpha", "beta", "gamma")},
    },
    "MultiHeadAttention": {"scale": AttributeProto.FLOAT},
    "NhwcMaxPool": _WINDOW,
    "RotaryEmbedding": {"scale": AttributeProto.FLOAT},
}
INPUTS: Mapping[str, tuple[int, int]] = {
    "Attention": (2, 7),
    "BiasGelu": (2, 2),
    "DynamicQuantizeMatMul": (3, 5),
    "FastGelu": (1, 2),
    "FusedConv": (2, 4),
    "FusedGemm": (2, 3),
    "FusedMatMul": (2, 2),
    "Gelu": (1, 1),
    "GroupQueryAttention": (7, 14),
    "MatMulIntegerToFloat": (4, 7),
    "MultiHeadAttention": (1, 10),
    "NhwcMaxPool": (1, 1),
    "QuickGelu": (1, 1),
    "RotaryEmbedding": (4, 4),
    "SimplifiedLayerNormalization": (2, 2),
    "SkipLayerNormalization": (3, 5),
    "SkipSimplifiedLayerNormalization": (3, 4),
}
OUTPUTS: Mapping[str, int] = {
    "Attention": 2,
    "GroupQueryAttention": 3,
    "MultiHeadAttention": 4,
    "SkipLayerNormalization": 4,
    "SkipSimplifiedLayerNormalization": 4,
}
"""The largest number of outputs, where that is not one."""
