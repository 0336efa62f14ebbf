"""Decompose scaled dot-product attention of PyTorch into the two products and the softmax between them.

    y = scaled_dot_product_attention(q, k, v, mask)
->
    y = matmul(softmax(matmul(q, k.mT) * scale + mask), v)
"""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def attention_in_products(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """The attention at inference; with `enable_gqa` several queries share a key and a value.

    Shared keys are not copied: 4 heads of queries [1, 4, L, D] on 2 of keys [1, 2, S, D] become [1, 2, 2, L, D], on
    keys [1, 2, 1, S, D].
    """
    import torch

    del dropout_p
    lead, length = query.shape[:-1], query.shape[-2]
    if is_causal:
        attn_mask = torch.ones(length, key.shape[-2], dtype=torch.bool).tril()
    if enable_gqa and query.dim() > 2 and query.shape[-3] != key.shape[-3]:
        shared = query.shape[-3] // key.shape[-3]
        query = query.reshape(*query.shape[:-3], key.shape[-3], shared, *query.shape[-2:])
        key, value = key.unsqueeze(-3), value.unsqueeze(-3)
        if attn_mask is not None and attn_mask.dim() > 2:
            heads = attn_mask.shape[-3]
            split = (1, 1) if heads == 1 else (heads // shared, shared)
            attn_mask = attn_mask.reshape(*attn_mask.shape[:-3], *split, *attn_mask.shape[-2:])
    scores = torch.matmul(query, key.transpose(-2, -1)) * (1 / sqrt(query.shape[-1]) if scale is None else scale)
    if attn_mask is not None:
        masked = attn_mask.dtype == torch.bool
        scores = torch.where(attn_mask, scores, -torch.inf) if masked else scores + attn_mask
    return torch.matmul(torch.softmax(scores, -1), value).reshape(*lead, value.shape[-1])
