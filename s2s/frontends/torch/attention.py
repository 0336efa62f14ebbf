"""Attention, as the operations that `graph-fuse-attention` joins to one kernel."""

from collections.abc import Mapping
from math import sqrt

import numpy as np

from s2s.dialects import graph
from s2s.frontends.builder import Value, emit
from s2s.frontends.formulas import reshape, select, unsqueeze
from s2s.frontends.torch.node import Importer, Node
from s2s.types.size import greatest


def _attention(node: Node) -> Value:
    """`softmax(scale * q k^T + mask) v`; with `enable_gqa` several queries share a key and a value."""
    q, k, v = (node.value(name) for name in ("query", "key", "value"))
    if node.has("dropout_p") and node.real("dropout_p"):
        raise node.unsupported("drops weights at random", "call eval() on the module before its export")
    shape = (*q.shape[:-1], v.shape[-1])
    mask = node.optional("attn_mask")
    if node.flag("is_causal"):
        sizes = q.shape[-2], k.shape[-2]
        mask = node.table(np.tri(*greatest(sizes), dtype=np.bool_), sizes)
    shared = q.shape[-3] // k.shape[-3] if node.flag("enable_gqa") and q.rank > 2 else 1
    if shared > 1:
        q = reshape(q, [*q.shape[:-3], k.shape[-3], shared, *q.shape[-2:]])
        k, v = (unsqueeze(each, [each.rank - 2]) for each in (k, v))
        if mask is not None and mask.rank > 2:
            mask = _split_heads(mask, shared)
    scale = node.real("scale") if node.has("scale") else 1 / sqrt(q.shape[-1])
    scores = _masked(emit(graph.MatmulOp, q, k, transpose_b=True) * scale, mask)
    weights = emit(graph.SoftmaxOp, scores, axis=scores.rank - 1)
    return reshape(emit(graph.MatmulOp, weights, v), shape)


def _split_heads(mask: Value, shared: int) -> Value:
    """A mask for each head as one for each key and each query that shares it."""
    heads = mask.shape[-3]
    if heads == 1:
        return unsqueeze(mask, [mask.rank - 2])
    return reshape(mask, [*mask.shape[:-3], heads // shared, shared, *mask.shape[-2:]])


def _masked(scores: Value, mask: Value | None) -> Value:
    if mask is None:
        return scores
    return select(mask, scores, -np.inf) if mask.is_bool else scores + mask


IMPORTERS: Mapping[str, Importer] = {
    "scaled_dot_product_attention": _attention,
}
