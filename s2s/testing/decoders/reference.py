"""A decoder in numpy, in doubles, over all tokens at once: what the emitted C is compared with.

Weights are widened layer by layer, so that a decoder of 1 B parameters takes little more memory than its floats.
"""

from collections.abc import Callable, Sequence
from math import erf

import numpy as np
from numpy.typing import NDArray

from s2s.frontends.decoder import Config
from s2s.testing.decoders.weights import dequantized, make_weights
from s2s.types.dtypes import Array

Reals = NDArray[np.float64]


def logits(config: Config, tokens: Sequence[int], seed: int = 0) -> Reals:
    """The logits behind each of `tokens`."""
    weights = make_weights(config, seed)

    def linear(x: Reals, name: str) -> Reals:
        return _quantised(config, x) @ dequantized(config, weights[name]).astype(np.float64)

    norm = _rms_norm if config.kind == "llama" else _layer_norm
    x = weights["embedding"][list(tokens)].astype(np.float64)
    if config.kind == "gpt":
        x = x + weights["positions"][: len(tokens)]
    for layer in range(config.layers):
        at = f"layer{layer}"
        x = x + _attention(config, norm(config, x, weights[f"{at}.norm1"], weights.get(f"{at}.norm1.bias")), at, linear)
        hidden = norm(config, x, weights[f"{at}.norm2"], weights.get(f"{at}.norm2.bias"))
        up = linear(hidden, f"{at}.up")
        inner = _swish(linear(hidden, f"{at}.gate")) * up if config.kind == "llama" else _gelu(up)
        x = x + linear(inner, f"{at}.down")
    return norm(config, x, weights["norm"], weights.get("norm.bias")) @ weights["embedding"].T.astype(np.float64)


def greedy(step: Callable[[int, int], Reals], prompt: Sequence[int], count: int) -> list[int]:
    """The `count` likeliest tokens behind `prompt`; `step` gives the logits of a token at a position."""
    tokens = list(prompt)
    found = [step(token, position) for position, token in enumerate(tokens)][-1]
    for _ in range(count):
        tokens.append(int(found.argmax()))
        found = step(tokens[-1], len(tokens) - 1)
    return tokens[len(prompt) :]


def _quantised(config: Config, x: Reals) -> Reals:
    """The activations that a linear layer computes with: integers of 8 bits, a scale for each block."""
    if not config.int8_activations:
        return x
    blocks = x.reshape(len(x), -1, config.block)
    scales = np.maximum(np.abs(blocks).max(-1, keepdims=True) / 127, 1e-32)
    return (np.rint(blocks / scales) * scales).reshape(x.shape)


def _rms_norm(config: Config, x: Reals, gain: Array, bias: Array | None) -> Reals:
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + config.epsilon) * gain


def _layer_norm(config: Config, x: Reals, gain: Array, bias: Array | None) -> Reals:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + config.epsilon) * gain
    return scaled if bias is None else scaled + bias


def _rotated(config: Config, x: Reals) -> Reals:
    """`x[position, head, width]` as complex numbers, turned by their positions."""
    half = config.head // 2
    angles = np.arange(len(x))[:, None] * config.theta ** (-np.arange(0, config.head, 2) / config.head)
    turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * angles)[:, None]
    return np.concatenate([turned.real, turned.imag], -1)


def _attention(config: Config, x: Reals, at: str, linear: Callable[[Reals, str], Reals]) -> Reals:
    count = len(x)
    q, k, v = (linear(x, f"{at}.{name}").reshape(count, -1, config.head) for name in "qkv")
    if config.kind == "llama":
        q, k = _rotated(config, q), _rotated(config, k)
    k, v = (np.repeat(cached(config, each), config.group, axis=1) for each in (k, v))
    scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(config.head)
    attended = np.tri(count, dtype=bool) & ~np.tri(count, k=-config.length, dtype=bool)
    scores[:, ~attended] = -np.inf
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return linear(np.einsum("hij,jhd->ihd", shares, v).reshape(count, -1), f"{at}.o")


def cached(config: Config, x: Reals) -> Reals:
    """What the cache holds of keys or values `x[position, head, width]`."""
    if config.cache == "float32":
        return x
    if config.cache == "float16":
        return x.astype(np.float16).astype(np.float64)
    scales = np.abs(x).max(-1, keepdims=True) / 127
    return np.rint(x / scales) * scales


def _swish(x: Reals) -> Reals:
    return x / (1 + np.exp(-x))


def _gelu(x: Reals) -> Reals:
    return x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))
