"""Import the attention operators of com.microsoft that project, mask and attend: Attention, QAttention,
MultiHeadAttention.

    Attention      x [B, S, D], weights [D, 3 N H]      ->  y [B, S, N H]
    with a cache   past [2, B, N, P, H]                 ->  present [2, B, N, P + S, H]
"""

from collections.abc import Mapping
from math import sqrt

import numpy as np
from onnx import AttributeProto

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import cast, concat, greater, less, matmul, maximum, reshape, select, take, transpose
from s2s.frontends.onnx.linear import integer_product
from s2s.frontends.onnx.node import Importer, Node

_FLOAT, _INT = np.dtype(np.float32), np.dtype(np.int32)
_LOWEST, _LOWEST_HALF = float(np.finfo(np.float32).min), -6e4


def heads_of(node: Node, x: Value, heads: int) -> Value:
    """`x[B, S, heads × H]` as `[B, heads, S, H]`."""
    if x.rank != 3 or heads < 1 or x.shape[2] % heads:
        raise node.unsupported(
            f"an operand has shape {list(x.shape)} for {heads} heads", "give [batch, length, hidden]"
        )
    batch, length, hidden = x.shape
    return transpose(reshape(x, [batch, length, heads, hidden // heads]), [0, 2, 1, 3])


def _attend(node: Node, query: Value, key: Value, value: Value, mask: Value | None, bias: Value | None) -> Value:
    """Scaled dot-product attention of `[B, N, S, H]`, as `[B, S, N × H]`."""
    batch, heads, length, size = query.shape
    scale = node.real("scale", 0.0) or 1 / sqrt(size)
    scores = emit(graph.MatmulOp, query, key, transpose_b=True) * scale
    total = key.shape[2]
    if mask is not None:
        absent = select(_present(node, mask, batch, length, total), scores.like(0.0), node.real("mask_filter_value"))
        scores = scores + absent
    if bias is not None:
        scores = scores + bias
    if node.flag("unidirectional"):
        lowest = _LOWEST if scores.dtype.itemsize >= 4 else _LOWEST_HALF
        later = np.where(np.tri(length, total, total - length, dtype=np.bool_), np.float32(0), np.float32(lowest))
        scores = maximum(scores + node.constant(later, scores.dtype), lowest)
    weights = emit(graph.SoftmaxOp, scores, axis=3)
    y = transpose(emit(graph.MatmulOp, weights, value), [0, 2, 1, 3])
    return reshape(y, [batch, length, heads * value.shape[3]])


def _present(node: Node, mask: Value, batch: int, length: int, total: int) -> Value:
    """Which keys a mask leaves, `[B, 1, S or 1, T]`.

    The mask is `[B, T]` or `[B, S, T]` with 0 where no key is, or holds the end of each row `[B]`, with the starts
    behind the ends `[2 B]`: ends 3, 5 and starts 1, 0 leave the keys 1 and 2 of the first row, 0 to 4 of the second.
    """
    if mask.shape == (batch, total):
        return reshape(greater(mask, 0), [batch, 1, 1, total])
    if mask.shape == (batch, length, total):
        return reshape(greater(mask, 0), [batch, 1, length, total])
    if mask.rank == 1 and mask.shape[0] in (batch, 2 * batch):
        places = node.constant(np.arange(total).reshape(1, 1, 1, -1), _INT)
        bounds = [reshape(take(mask, 0, at, batch), [batch, 1, 1, 1]) for at in range(0, mask.shape[0], batch)]
        before_end = less(places, bounds[0])
        if len(bounds) == 1:
            return before_end
        return emit(graph.LogicalAndOp, before_end, greater(places, bounds[1] - 1))
    raise node.unsupported(f"its mask has shape {list(mask.shape)}", f"give [{batch}, {total}]")


def _multi_head_attention(node: Node) -> list[Value]:
    if any(node.optional(position) is not None for position in (8, 9)):
        raise node.unsupported("its cache is a buffer that beams share", "export the model with past keys and values")
    if node.outputs() > 3:
        raise node.unsupported("gives its scores", "export the model without them")
    heads = node.integer("num_heads")
    query, key, value = _projections(node, heads)
    past = [node.optional(position) for position in (6, 7)]
    key, value = (new if old is None else concat([old, new], 2) for old, new in zip(past, (key, value), strict=True))
    return [_attend(node, query, key, value, node.optional(4), node.optional(5)), key, value][: max(1, node.outputs())]


def _projections(node: Node, heads: int) -> list[Value]:
    """Queries, keys and values `[B, N, S, H]`: apart, packed in the query `[B, S, N, 3, H]`, or both in the key."""
    query, key, value, bias = node.input(0), node.optional(1), node.optional(2), node.optional(3)
    if key is None:
        parts = _unpacked(node, query, heads, 3)
    elif value is None:
        parts = [_flat_heads(query, heads), *_unpacked(node, key, heads, 2)]
    else:
        parts = [query, key, value]
    if bias is not None:
        hidden = _width(parts[0])
        starts = (0, hidden, 2 * hidden)
        sizes = (hidden, hidden, bias.shape[0] - 2 * hidden)
        parts = [
            part + _shaped_bias(take(bias, 0, start, size), part)
            for part, start, size in zip(parts, starts, sizes, strict=True)
        ]
    return [part if part.rank == 4 else heads_of(node, part, heads) for part in parts]


def _flat_heads(query: Value, heads: int) -> Value:
    """The query `[B, S, N × H]` with its heads apart, `[B, N, S, H]`."""
    batch, length, hidden = query.shape
    return transpose(reshape(query, [batch, length, heads, hidden // heads]), [0, 2, 1, 3])


def _width(part: Value) -> int:
    return part.shape[2] if part.rank == 3 else part.shape[1] * part.shape[3]


def _shaped_bias(bias: Value, part: Value) -> Value:
    return bias if part.rank == 3 else reshape(bias, [part.shape[1], 1, part.shape[3]])


def _unpacked(node: Node, x: Value, heads: int, count: int) -> list[Value]:
    """The parts of `x[B, S, N, count, H]`, each `[B, N, S, H]`."""
    if x.rank != 5 or x.shape[2:4] != (heads, count):
        raise node.invalid(
            f"a packed operand has shape {list(x.shape)}", f"give [batch, length, {heads}, {count}, size]"
        )
    batch, length, _, _, size = x.shape
    parts = [reshape(take(x, 3, part, 1), [batch, length, heads, size]) for part in range(count)]
    return [transpose(part, [0, 2, 1, 3]) for part in parts]


def _attention(node: Node) -> list[Value]:
    """Projections to query, key and value by one matrix, and attention."""
    x, weights, bias = node.input(0), node.input(1), node.optional(2)
    projected = matmul(x, weights)
    return _of_projected(node, projected if bias is None else projected + bias, node.optional(4), node.optional(5))


def _quantised_attention(node: Node) -> list[Value]:
    """Attention whose projections are products of 8-bit integers."""
    total = integer_product(node.input(0), node.optional(6), node.input(1), node.optional(7))
    projected = cast(total, _FLOAT) * (node.input(3) * node.input(4)) + node.input(2)
    return _of_projected(node, projected, node.optional(8), None, mask=5)


def _of_projected(node: Node, projected: Value, past: Value | None, bias: Value | None, mask: int = 3) -> list[Value]:
    """Attention of queries, keys and values that stand side by side; `mask` is the position of that operand."""
    heads = node.integer("num_heads")
    if node.integer("past_present_share_buffer", 0):
        raise node.unsupported("past and present keys share a buffer", "export the model without sharing it")
    if node.integer("do_rotary", 0):
        raise node.unsupported("rotates its operands", "optimise the model without fusing RotaryEmbedding")
    third = projected.shape[-1] // 3
    sizes = node.integers("qkv_hidden_sizes", [third] * 3)
    if len(sizes) != 3 or sum(sizes) != projected.shape[-1] or sizes[0] != sizes[1]:
        raise node.invalid(f"qkv_hidden_sizes are {sizes} for {projected.shape[-1]} columns", "fix them")
    starts = (0, sizes[0], sizes[0] + sizes[1])
    query, key, value = (
        heads_of(node, take(projected, projected.rank - 1, start, size), heads)
        for start, size in zip(starts, sizes, strict=True)
    )
    if past is not None:
        if past.rank != 5 or key.shape != value.shape or past.shape[:3] != (2, *key.shape[:2]):
            raise node.invalid(f"past keys and values have shape {list(past.shape)}", "give [2, batch, heads, …]")
        key, value = (
            concat([reshape(take(past, 0, at, 1), past.shape[1:]), new], 2) for at, new in enumerate((key, value))
        )
    outputs = [_attend(node, query, key, value, node.optional(mask), bias)]
    if node.outputs() > 1:
        outputs.append(concat([reshape(each, [1, *each.shape]) for each in (key, value)], 0))
    return outputs


_MASKED: Mapping[str, int | float | str] = {"mask_filter_value": -10000.0, "unidirectional": 0}
IMPORTERS: Mapping[str, Importer] = {
    "Attention": _attention,
    "MultiHeadAttention": _multi_head_attention,
    "QAttention": _quantised_attention,
}
DEFAULTS: Mapping[str, Mapping[str, int | float | str]] = dict.fromkeys(IMPORTERS, _MASKED)
REQUIRED: Mapping[str, Mapping[str, int]] = {name: {"num_heads": AttributeProto.INT} for name in IMPORTERS}
OPTIONAL: Mapping[str, Mapping[str, int]] = {
    "Attention": {
        "do_rotary": AttributeProto.INT,
        "past_present_share_buffer": AttributeProto.INT,
        "qkv_hidden_sizes": AttributeProto.INTS,
        "rotary_embedding_dim": AttributeProto.INT,
        "scale": AttributeProto.FLOAT,
    },
    "MultiHeadAttention": {"scale": AttributeProto.FLOAT},
    "QAttention": {
        "do_rotary": AttributeProto.INT,
        "past_present_share_buffer": AttributeProto.INT,
        "scale": AttributeProto.FLOAT,
    },
}
INPUTS: Mapping[str, tuple[int, int]] = {"Attention": (2, 7), "MultiHeadAttention": (1, 10), "QAttention": (5, 9)}
OUTPUTS: Mapping[str, int] = {"Attention": 2, "MultiHeadAttention": 4, "QAttention": 2}
