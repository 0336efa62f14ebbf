"""A decoder in numpy, in doubles, over all tokens at once: what the emitted C is compared with."""

from collections.abc import Callable, Sequence
from math import erf

import numpy as np
from numpy.typing import NDArray

from s2s.testing.decoders import Config, dequantized, make_weights

Reals = NDArray[np.float64]


def logits(config: Config, tokens: Sequence[int], seed: int = 0) -> Reals:
    """The logits behind each of `tokens`."""
    weights = {
        name: dequantized(config, each).astype(np.float64) if _is_linear(name) else each.astype(np.float64)
        for name, each in make_weights(config, seed).items()
    }
    norm = _rms_norm if config.kind == "llama" else _layer_norm
    x = weights["embedding"][list(tokens)]
    if config.kind == "gpt":
        x = x + weights["positions"][: len(tokens)]
    for layer in range(config.layers):
        mine = {name.partition(".")[2]: each for name, each in weights.items() if name.startswith(f"layer{layer}.")}
        x = x + _attention(config, norm(config, x, mine["norm1"], mine.get("norm1.bias")), mine)
        hidden = norm(config, x, mine["norm2"], mine.get("norm2.bias"))
        up = hidden @ mine["up"]
        inner = _swish(hidden @ mine["gate"]) * up if config.kind == "llama" else _gelu(up)
        x = x + inner @ mine["down"]
    return norm(config, x, weights["norm"], weights.get("norm.bias")) @ weights["embedding"].T


def greedy(step: Callable[[int, int], Reals], prompt: Sequence[int], count: int) -> list[int]:
    """The `count` likeliest tokens behind `prompt`; `step` gives the logits of a token at a position."""
    tokens = list(prompt)
    found = [step(token, position) for position, token in enumerate(tokens)][-1]
    for _ in range(count):
        tokens.append(int(found.argmax()))
        found = step(tokens[-1], len(tokens) - 1)
    return tokens[len(prompt) :]


def _is_linear(name: str) -> bool:
    return name.rpartition(".")[2] in ("q", "k", "v", "o", "up", "down", "gate")


def _rms_norm(config: Config, x: Reals, gain: Reals, bias: Reals | None) -> Reals:
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + config.epsilon) * gain


def _layer_norm(config: Config, x: Reals, gain: Reals, bias: Reals | None) -> Reals:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + config.epsilon) * gain
    return scaled if bias is None else scaled + bias


def _rotated(config: Config, x: Reals) -> Reals:
    """`x[position, head, width]` as complex numbers, turned by their positions."""
    half = config.head // 2
    angles = np.arange(len(x))[:, None] * config.theta ** (-np.arange(0, config.head, 2) / config.head)
    turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angles)[:, None]
    return np.concatenate([turned.real, turned.imag], -1)


def _attention(config: Config, x: Reals, weights: dict[str, Reals]) -> Reals:
    count = len(x)
    q, k, v = ((x @ weights[name]).reshape(count, -1, config.head) for name in "qkv")
    if config.kind == "llama":
        q, k = _rotated(config, q), _rotated(config, k)
    k, v = (np.repeat(each, config.group, axis=1) for each in (k, v))
    scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(config.head)
    scores[:, ~np.tri(count, dtype=bool)] = -np.inf
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return np.einsum("hij,jhd->ihd", shares, v).reshape(count, -1) @ weights["o"]


def _swish(x: Reals) -> Reals:
    return x / (1 + np.exp(-x))


def _gelu(x: Reals) -> Reals:
    return x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))
