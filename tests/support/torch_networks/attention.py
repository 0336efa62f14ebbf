# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false
"""Transformers and other networks with attention."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from support.torch_networks.building import Forward, Made, Residual, image, network


@network
def vit() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        tokens = m.patches(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([m.cls.expand(x.shape[0], -1, -1), tokens], 1) + m.positions
        return m.head(m.encoder(tokens)[:, 0])

    layer = nn.TransformerEncoderLayer(16, 2, 32, activation="gelu", batch_first=True, norm_first=True)
    return Forward(
        forward,
        patches=nn.Conv2d(3, 16, 4, 4),
        cls=nn.Parameter(torch.randn(1, 1, 16)),
        positions=nn.Parameter(torch.randn(1, 17, 16)),
        encoder=nn.TransformerEncoder(layer, 2, enable_nested_tensor=False),
        head=nn.Linear(16, 5),
    ), image()


class WindowAttention(nn.Module):
    """Shifted windows, as in Swin."""

    def __init__(self, channels: int, window: int, shift: int) -> None:
        super().__init__()
        self.window, self.shift = window, shift
        self.qkv, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)
        self.bias = nn.Parameter(torch.randn(window**2, window**2))

    def forward(self, x: Tensor) -> Tensor:
        batch, height, width, channels = x.shape
        w = self.window
        x = torch.roll(x, (-self.shift, -self.shift), (1, 2))
        x = (
            x.view(batch, height // w, w, width // w, w, channels)
            .permute(0, 1, 3, 2, 4, 5)
            .reshape(-1, w * w, channels)
        )
        q, k, v = self.qkv(x).chunk(3, -1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(channels) + self.bias
        x = self.out(scores.softmax(-1) @ v)
        x = (
            x.view(batch, height // w, width // w, w, w, channels)
            .permute(0, 1, 3, 2, 4, 5)
            .reshape(batch, height, width, channels)
        )
        return torch.roll(x, (self.shift, self.shift), (1, 2))


@network
def swin() -> Made:
    return nn.Sequential(Residual(WindowAttention(8, 4, 0)), nn.LayerNorm(8), Residual(WindowAttention(8, 4, 2))), (
        torch.randn(1, 8, 8, 8),
    )


class MixerBlock(nn.Module):
    def __init__(self, tokens: int, channels: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.tokens = nn.Sequential(nn.Linear(tokens, 16), nn.GELU(approximate="tanh"), nn.Linear(16, tokens))
        self.channels = nn.Sequential(nn.Linear(channels, 16), nn.GELU(), nn.Linear(16, channels))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.tokens(self.first(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.second(x))


@network
def mlp_mixer() -> Made:
    return nn.Sequential(MixerBlock(9, 8), MixerBlock(9, 8)), (torch.randn(2, 9, 8),)


@network
def bert() -> Made:
    def forward(m: Any, tokens: Tensor, kinds: Tensor) -> Tensor:
        x = m.words(tokens) + m.kinds(kinds) + m.places.weight[: tokens.shape[1]]
        padding = tokens == 0
        bias = torch.zeros(tokens.shape[0], 1, 1, tokens.shape[1]).masked_fill(padding[:, None, None, :], -1e4)
        x = m.norm(x)
        q, k, v = (part.view(*tokens.shape, 2, 8).transpose(1, 2) for part in m.qkv(x).chunk(3, -1))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias).transpose(1, 2).flatten(2)
        x = m.norm(x + m.out(y))
        return torch.tanh(m.pooler((x + m.ff(x))[:, 0]))

    return Forward(
        forward,
        words=nn.Embedding(30, 16),
        kinds=nn.Embedding(2, 16),
        places=nn.Embedding(12, 16),
        norm=nn.LayerNorm(16),
        qkv=nn.Linear(16, 48),
        out=nn.Linear(16, 16),
        ff=nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)),
        pooler=nn.Linear(16, 16),
    ), (torch.randint(0, 30, (2, 7)), torch.randint(0, 2, (2, 7)))


class CausalBlock(nn.Module):
    def __init__(self, channels: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.qkv, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)
        self.ff = nn.Sequential(nn.Linear(channels, 2 * channels), nn.GELU(), nn.Linear(2 * channels, channels))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, channels = x.shape
        parts = self.qkv(self.first(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(parts[0], parts[1], parts[2], is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, channels))
        return x + self.ff(self.second(x))


@network
def gpt() -> Made:
    def forward(m: Any, tokens: Tensor) -> Tensor:
        x = m.words(tokens) + m.places(torch.arange(tokens.shape[1]))
        return m.norm(m.blocks(x)) @ m.words.weight.T

    return Forward(
        forward,
        words=nn.Embedding(40, 16),
        places=nn.Embedding(16, 16),
        blocks=nn.Sequential(CausalBlock(16, 2), CausalBlock(16, 2)),
        norm=nn.LayerNorm(16),
    ), (torch.randint(0, 40, (1, 9)),)


class LlamaBlock(nn.Module):
    def __init__(self, channels: int, heads: int, shared: int) -> None:
        super().__init__()
        self.heads, self.keys, self.size = heads, heads // shared, channels // heads
        self.first, self.second = nn.RMSNorm(channels, 1e-5), nn.RMSNorm(channels, 1e-5)
        self.q, self.out = nn.Linear(channels, channels, bias=False), nn.Linear(channels, channels, bias=False)
        self.kv = nn.Linear(channels, 2 * self.keys * self.size, bias=False)
        self.gate, self.up = (nn.Linear(channels, 24, bias=False) for _ in range(2))
        self.down = nn.Linear(24, channels, bias=False)

    def rotated(self, x: Tensor) -> Tensor:
        half = self.size // 2
        angles = torch.arange(x.shape[-2])[:, None] / 10000 ** (torch.arange(half) / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, channels = x.shape
        y = self.first(x)
        q = self.q(y).view(batch, length, self.heads, self.size).transpose(1, 2)
        k, v = self.kv(y).view(batch, length, 2, self.keys, self.size).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(self.rotated(q), self.rotated(k), v, is_causal=True, enable_gqa=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, channels))
        y = self.second(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


@network
def llama() -> Made:
    def forward(m: Any, tokens: Tensor) -> dict[str, Tensor]:
        return {"logits": m.norm(m.blocks(m.words(tokens))) @ m.words.weight.T}

    return Forward(
        forward,
        words=nn.Embedding(40, 16),
        blocks=nn.Sequential(LlamaBlock(16, 4, 2), LlamaBlock(16, 4, 2)),
        norm=nn.RMSNorm(16, 1e-5),
    ), (torch.randint(0, 40, (1, 8)),)


@network
def translation_transformer() -> Made:
    module = nn.Transformer(16, 2, 1, 1, 24, batch_first=True)
    return Forward(lambda m, source, target: m.body(source, target), body=module), (
        torch.randn(1, 6, 16),
        torch.randn(1, 4, 16),
    )


@network
def perceiver() -> Made:
    def forward(m: Any, x: Tensor) -> Tensor:
        found, weights = m.attention(m.latents.expand(x.shape[0], -1, -1), x, x)
        return m.head(found.mean(1)) + weights.sum()

    return Forward(
        forward,
        latents=nn.Parameter(torch.randn(1, 4, 8)),
        attention=nn.MultiheadAttention(8, 2, kdim=6, vdim=6, batch_first=True),
        head=nn.Linear(8, 3),
    ), (torch.randn(2, 10, 6),)
