"""Import com.microsoft.GroupQueryAttention: heads of queries in groups that share keys and values, with a cache of past
ones.

    cache [B, G, P, H], new keys [B, G, S, H]  ->  present [B, G, T, H],  T = max(P, total length)

`total length` is a constant. How many numbers of each row are there (`seqlens_k + 1`) may be computed at run time: the
new keys follow the past ones, of which the cache may hold fewer than it has room for.
"""

from math import sqrt

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import broadcast_to, cast, clamp, concat, less, reshape, select, take, transpose
from s2s.frontends.onnx.node import Node
from s2s.frontends.onnx.rotary import rotated

_INT = np.dtype(np.int32)
_LOWEST = float(np.finfo(np.float32).min)
PLAIN = {"smooth_softmax": 0, "qk_output": 0, "k_quant_type": "NONE", "v_quant_type": "NONE", "kv_cache_bit_width": 0}
"""Attributes that are imported only with these values."""


def grouped_query_attention(node: Node) -> list[Value]:
    """The attention `[B, S, N × H]`, and the present keys and values."""
    heads, groups = node.integer("num_heads"), node.integer("kv_num_heads")
    _check(node, heads, groups)
    query, key, value = _operands(node, heads, groups)
    batch, _, length, size = query.shape
    total = int(node.known_number(6, "total_sequence_length") or 0)
    past = _past_lengths(node, batch, length, total)
    if node.flag("do_rotary"):
        cos, sin = node.input(7), node.input(8)
        positions = reshape(past, [batch, 1]) + node.constant(np.arange(length)[None, :], _INT)
        interleaved = node.flag("rotary_interleaved")
        query, key = (rotated(each, cos, sin, positions, interleaved=interleaved) for each in (query, key))
    keys, values = (
        _present(node, node.optional(position), new, past, total) for position, new in ((3, key), (4, value))
    )
    y = _attend(node, query, keys, values, past)
    return [reshape(transpose(y, [0, 2, 1, 3]), [batch, length, heads * size]), keys, values][: max(1, node.outputs())]


def _check(node: Node, heads: int, groups: int) -> None:
    if heads < 1 or groups < 1 or heads % groups:
        raise node.invalid(f"{heads} heads of queries share {groups} of keys", "make one a multiple of the other")
    for name, plain in PLAIN.items():
        found = node.text(name) if isinstance(plain, str) else node.integer(name)
        if found != plain:
            raise node.unsupported(f"attribute {name!r} is {found}", f"export the model with {plain}")
    if any(node.optional(position) is not None for position in range(9, 14)):
        raise node.unsupported("has positions, a bias or sinks as operands", "export the model without them")


def _operands(node: Node, heads: int, groups: int) -> tuple[Value, Value, Value]:
    """Queries `[B, N, S, H]`, keys and values `[B, G, S, H]`, which may come packed in one tensor."""
    query, key, value = node.input(0), node.optional(1), node.optional(2)
    counts = (heads, groups, groups) if key is None else (heads,)
    if query.rank != 3 or query.shape[2] % sum(counts):
        raise node.invalid(f"query has shape {list(query.shape)} for {sum(counts)} heads", "fix num_heads")
    size = query.shape[2] // sum(counts)
    if key is None or value is None:
        starts = (0, heads * size, (heads + groups) * size)
        parts = [take(query, 2, start, count * size) for start, count in zip(starts, counts, strict=True)]
    else:
        parts = [query, key, value]
    batch, length = query.shape[:2]
    for each, count in zip(parts, (heads, groups, groups), strict=True):
        if each.shape != (batch, length, count * size):
            raise node.invalid(f"keys or values have shape {list(each.shape)} for {count} heads of {size}", "fix them")
    apart = [
        transpose(reshape(each, [batch, length, count, size]), [0, 2, 1, 3])
        for each, count in zip(parts, (heads, groups, groups), strict=True)
    ]
    return apart[0], apart[1], apart[2]


def _past_lengths(node: Node, batch: int, length: int, total: int) -> Value:
    """How many past keys each row has, `[B]`; none if the new ones are all."""
    if total < length:
        raise node.invalid(f"{length} numbers are new of {total}", "fix total_sequence_length")
    if total == length:
        return node.constant(np.zeros(batch), _INT)
    return clamp(_given_lengths(node, batch, length), 0, total - length)


def _given_lengths(node: Node, batch: int, length: int) -> Value:
    """How many keys are past as the model says it at run time, `[B]`."""
    lengths = node.input(5)
    if lengths.type.element_count() != batch:
        raise node.invalid(f"seqlens_k has shape {list(lengths.shape)} for {batch} rows", "give one length each")
    return cast(reshape(lengths, [batch]), _INT) + (1 - length)


def _check_room(node: Node, past: Value | None, new: Value) -> None:
    if past is not None and (past.rank != 4 or past.shape[:2] != new.shape[:2] or past.shape[3] != new.shape[3]):
        raise node.invalid(f"the cache {list(past.shape)} does not fit keys {list(new.shape)}", "fix the cache")


def _present(node: Node, cache: Value | None, new: Value, past: Value, total: int) -> Value:
    """The past ones, then the new ones, the last of which fills the rest. A cache of one text with room for all of them
    is written in place."""
    _check_room(node, cache, new)
    batch, groups, length, size = new.shape
    room = 0 if cache is None else cache.shape[2]
    present = max(room, total)
    if past.array is not None and not past.array.any():
        return _filled(new, present)
    if cache is None or total - length > room:
        raise node.invalid(f"{total - length} numbers are past, the cache holds {room}", "fix the cache")
    if batch == 1 and room == present:
        rows = _given_lengths(node, batch, length) + node.constant(np.arange(length), _INT)
        return emit(
            graph.ScatterElementsOp, cache, broadcast_to(reshape(rows, [1, 1, length, 1]), new.shape), new, axis=2
        )
    at = node.constant(np.arange(present)[None, :], _INT)
    start = reshape(past, [batch, 1])
    behind = clamp(at - start + room, room, room + length - 1)
    places = select(less(at, start), broadcast_to(at, [batch, present]), behind)
    whole = concat([cache, new], 2)
    if batch == 1:
        return emit(graph.GatherOp, whole, reshape(places, [present]), axis=2)
    indices = broadcast_to(reshape(places, [batch, 1, present, 1]), [batch, groups, present, size])
    return emit(graph.GatherElementsOp, whole, indices, axis=2)


def _filled(x: Value, count: int) -> Value:
    """Append zeros to the keys or values `x` of a prompt, up to `count` positions."""
    missing = count - x.shape[2]
    if not missing:
        return x
    return concat([x, x.builder.filled(0, (*x.shape[:2], missing, x.shape[3]), x.dtype)], 2)


def _attend(node: Node, query: Value, keys: Value, values: Value, past: Value) -> Value:
    """Attention of `[B, N, S, H]` to the keys up to each query, and inside the window."""
    batch, heads, length, size = query.shape
    groups, present = keys.shape[1:3]
    shared = heads // groups
    rows = reshape(query, [batch, groups, shared * length, size])
    scores = emit(graph.MatmulOp, rows, keys, transpose_b=True) * (node.real("scale") or 1 / sqrt(size))
    if cap := node.real("softcap"):
        scores = emit(graph.TanhOp, scores / cap) * cap
    at = reshape(past, [batch, 1, 1]) + node.constant(np.arange(length)[None, :, None], _INT)
    places = node.constant(np.arange(present)[None, None, :], _INT)
    seen = emit(graph.LessEqualOp, places, at)
    window = node.integer("local_window_size")
    if window >= 0:
        seen = emit(graph.LogicalAndOp, seen, emit(graph.GreaterOp, places, at - window))
    spread = reshape(scores, [batch, heads, length, present])
    masked = select(reshape(seen, [batch, 1, length, present]), spread, _LOWEST if query.dtype.itemsize >= 4 else -6e4)
    weights = reshape(emit(graph.SoftmaxOp, masked, axis=3), [batch, groups, shared * length, present])
    return reshape(emit(graph.MatmulOp, weights, values), [batch, heads, length, size])
