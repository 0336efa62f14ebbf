"""Decompositions that torch lacks: fused layers, written in operators that are imported.

`nn.TransformerEncoderLayer` calls `_transformer_encoder_layer_fwd` where `torch.compile` traces it without gradients.
"""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

_OF_QUERIES, _OF_KEYS = 0, 1
"""Types of masks: [queries, keys] for all heads, and [batch, keys]; any other is [batch, heads, queries, keys]."""


def decompositions() -> dict[Any, Any]:
    """The decomposition of each operator."""
    import torch

    return {torch.ops.aten._transformer_encoder_layer_fwd.default: _encoder_layer}


def _encoder_layer(
    src: Tensor,
    embed_dim: int,
    num_heads: int,
    qkv_weight: Tensor,
    qkv_bias: Tensor,
    proj_weight: Tensor,
    proj_bias: Tensor,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    norm_weight_1: Tensor,
    norm_bias_1: Tensor,
    norm_weight_2: Tensor,
    norm_bias_2: Tensor,
    ffn_weight_1: Tensor,
    ffn_bias_1: Tensor,
    ffn_weight_2: Tensor,
    ffn_bias_2: Tensor,
    mask: Tensor | None = None,
    mask_type: int | None = None,
) -> Tensor:
    """Attention, then two linear layers, each added to its input; normalised before each, or after each sum."""
    from torch.nn import functional

    def first_norm(x: Tensor) -> Tensor:
        return functional.layer_norm(x, (embed_dim,), norm_weight_1, norm_bias_1, eps)

    def second_norm(x: Tensor) -> Tensor:
        return functional.layer_norm(x, (embed_dim,), norm_weight_2, norm_bias_2, eps)

    def attention(x: Tensor) -> Tensor:
        weights = qkv_weight, qkv_bias, proj_weight, proj_bias
        return _attention(x, num_heads, weights, mask, mask_type)

    def feed_forward(x: Tensor) -> Tensor:
        hidden = functional.linear(x, ffn_weight_1, ffn_bias_1)
        hidden = functional.gelu(hidden) if use_gelu else functional.relu(hidden)
        return functional.linear(hidden, ffn_weight_2, ffn_bias_2)

    if norm_first:
        x = src + attention(first_norm(src))
        return x + feed_forward(second_norm(x))
    x = first_norm(src + attention(src))
    return second_norm(x + feed_forward(x))


def _attention(
    x: Tensor,
    heads: int,
    weights: tuple[Tensor, Tensor, Tensor, Tensor],
    mask: Tensor | None,
    mask_type: int | None,
) -> Tensor:
    """Attention of `x` to itself with several heads, between two linear layers."""
    from torch.nn import functional

    qkv_weight, qkv_bias, proj_weight, proj_bias = weights
    batch, length, features = x.shape
    projected = functional.linear(x, qkv_weight, qkv_bias).reshape(batch, length, 3, heads, features // heads)
    q, k, v = projected.permute(2, 0, 3, 1, 4)
    seen = None if mask is None else ~_hidden(mask, mask_type)
    y = functional.scaled_dot_product_attention(q, k, v, seen)
    return functional.linear(y.transpose(1, 2).reshape(batch, length, features), proj_weight, proj_bias)


def _hidden(mask: Tensor, mask_type: int | None) -> Tensor:
    """Which keys are left out, in a shape that broadcasts to [batch, heads, queries, keys]."""
    import torch

    hidden = mask.to(torch.bool)
    if mask_type == _OF_KEYS:
        return hidden[:, None, None, :]
    return hidden[None, None] if mask_type == _OF_QUERIES else hidden
