"""Weights of a decoder, made up from a seed."""

from collections.abc import Iterator

import numpy as np

from s2s.frontends.decoder import Config
from s2s.types.dtypes import Array


def linear_layers(config: Config) -> Iterator[tuple[str, int, int]]:
    """Name, inputs and outputs of each linear layer; the logits' layer is the embedding."""
    keys = config.kv_heads * config.head
    for layer in range(config.layers):
        yield from (
            (f"layer{layer}.q", config.width, config.width),
            (f"layer{layer}.k", config.width, keys),
            (f"layer{layer}.v", config.width, keys),
            (f"layer{layer}.o", config.width, config.width),
            (f"layer{layer}.up", config.width, config.hidden),
            (f"layer{layer}.down", config.hidden, config.width),
        )
        if config.kind == "llama":
            yield f"layer{layer}.gate", config.width, config.hidden


def make_weights(config: Config, seed: int = 0) -> dict[str, Array]:
    """Weights by name: of linear layers `[inputs, outputs]`, float32 even where the model has them quantised."""
    rng = np.random.default_rng(seed)

    def normal(*shape: int, scale: float = 1.0, mean: float = 0.0) -> Array:
        return mean + np.float32(scale) * rng.standard_normal(shape, np.float32)

    made = {"embedding": normal(config.vocabulary, config.width)}
    if config.kind == "gpt":
        made["positions"] = normal(config.positions, config.width, scale=0.5)
    for norm in (*(f"layer{layer}.norm{part}" for layer in range(config.layers) for part in (1, 2)), "norm"):
        made[norm] = normal(config.width, scale=0.1, mean=1.0).astype(np.float32)
        if config.kind == "gpt":
            made[f"{norm}.bias"] = normal(config.width, scale=0.1)
    for name, inputs, outputs in linear_layers(config):
        made[name] = normal(inputs, outputs, scale=inputs**-0.5)
    return made


def quantize(config: Config, weights: Array) -> tuple[Array, Array]:
    """Quantise `[inputs, outputs]` by blocks of inputs: bytes and scales of MatMulNBits without zero points."""
    assert config.bits is not None
    inputs, outputs = weights.shape
    blocks, half = -(-inputs // config.block), 1 << (config.bits - 1)
    padded = np.zeros((outputs, blocks * config.block), np.float32)
    padded[:, :inputs] = weights.T
    by_block = padded.reshape(outputs, blocks, config.block)
    scales = np.maximum(np.abs(by_block).max(axis=-1) / (half - 1), 1e-12).astype(np.float32)
    q = (np.clip(np.rint(by_block / scales[..., None]), -half, half - 1) + half).astype(np.uint8)
    return (q if config.bits == 8 else q[..., ::2] | q[..., 1::2] << 4), scales


def dequantized(config: Config, weights: Array) -> Array:
    """The weights `[inputs, outputs]` that the model computes with: the results of `quantize` as floats."""
    if config.bits is None:
        return weights
    packed, scales = quantize(config, weights)
    q = packed if config.bits == 8 else np.stack([packed & 15, packed >> 4], -1).reshape(*packed.shape[:2], -1)
    real = (q.astype(np.float64) - (1 << (config.bits - 1))) * scales[..., None]
    return real.reshape(weights.shape[1], -1)[:, : weights.shape[0]].T
