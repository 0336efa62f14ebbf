"""Small GGUF files of several architectures with seeded weights, and what they compute, in doubles."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import gguf
import numpy as np

from s2s.frontends.gguf.reader import BLOCKS
from s2s.types.dtypes import Array

KINDS: Any = gguf.GGMLQuantizationType
Real = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
EPSILON, BASE = 1e-6, 1e6
RESULT_NORMS = ("post_attention_norm", "post_ffw_norm")
CAPS: Mapping[str, tuple[float, float]] = {"gemma2": (50, 30)}
"""The caps of scores and logits."""
PERIODS: Mapping[str, int] = {"gemma2": 2, "gemma3": 6}
"""Of this many layers the last one attends to all positions."""
HALVES: Mapping[str, Mapping[int, float]] = {
    "Q2_K": {80: 1 / 12, 82: 1 / 8},
    "Q3_K": {108: 1 / 42},
    "Q4_K": {0: 1 / 150, 2: 1 / 20},
    "Q5_K": {0: 1 / 300, 2: 1 / 20},
    "Q6_K": {208: 1 / 1330},
    "IQ4_NL": {0: 1 / 60},
    "IQ4_XS": {0: 1 / 1200},
    "IQ3_S": {0: 1 / 120},
}
"""The numbers of half precision in the blocks of types that the package does not quantise to: places and factors that
make weights of about 1."""


@dataclass(frozen=True)
class Model:
    """What a file holds."""

    architecture: str = "llama"
    kind: str = "F32"
    """The type of its matrices."""
    embedding: str | None = None
    """The type of its embedding, if that is another one."""
    tied: bool = True
    width: int = 64
    head: int = 16
    heads: int = 4
    kv_heads: int = 2
    hidden: int = 96
    length: int = 8
    vocabulary: int = 48
    layers: int = 1
    metadata: Mapping[str, float | str] = field(default_factory=dict[str, float | str])
    """More keys of the architecture."""
    rotated: int | None = None
    """The numbers of a head that are rotated; None: all."""
    window: int | None = None
    """The positions that each attends to."""
    factors: tuple[str, ...] = ()
    """Tensors that divide the angles of rotary positions in `longrope`."""
    has_factors: bool = False
    """Whether there is a tensor that divides the angles of rotary positions."""

    @property
    def shapes(self) -> dict[str, tuple[int, int]]:
        queries, keys = self.heads * self.head, self.kv_heads * self.head
        return {
            "attn_q": (queries, self.width),
            "attn_k": (keys, self.width),
            "attn_v": (keys, self.width),
            "attn_output": (self.width, queries),
            "ffn_gate": (self.hidden, self.width),
            "ffn_up": (self.hidden, self.width),
            "ffn_down": (self.width, self.hidden),
        }


def write(path: Path, model: Model) -> dict[str, Real]:
    """Write the file; return its weights as doubles, once they are quantised."""
    writer, rng, real = _writer(path, model), np.random.default_rng(1), dict[str, Real]()

    def add(name: str, array: Array, kind: str = "F32") -> None:
        data = _quantised(array.astype(np.float32), kind, rng)
        writer.add_tensor(name, data, raw_dtype=KINDS[kind])
        real[name] = gguf.quants.dequantize(data, KINDS[kind]).astype(np.float64).reshape(array.shape)

    table = model.embedding or model.kind
    add("token_embd.weight", rng.standard_normal((model.vocabulary, model.width)), table)
    if not model.tied:
        add("output.weight", rng.standard_normal((model.vocabulary, model.width)), table)
    add("output_norm.weight", rng.uniform(0.5, 1.5, model.width))
    if model.has_factors:
        add("rope_freqs.weight", rng.uniform(1, 8, model.head // 2))
    for name in model.factors:
        add(name, rng.uniform(1, 8, model.head // 2))
    for layer in range(model.layers):
        for name in ("attn_norm", "ffn_norm"):
            add(f"blk.{layer}.{name}.weight", rng.uniform(0.5, 1.5, model.width))
        if model.architecture in ("qwen3", "gemma3"):
            for name in ("attn_q_norm", "attn_k_norm"):
                add(f"blk.{layer}.{name}.weight", rng.uniform(0.5, 1.5, model.head))
        for name in RESULT_NORMS if model.architecture in ("gemma2", "gemma3") else ():
            add(f"blk.{layer}.{name}.weight", rng.uniform(0.5, 1.5, model.width))
        for name, shape in model.shapes.items():
            add(f"blk.{layer}.{name}.weight", rng.standard_normal(shape) * shape[1] ** -0.5, model.kind)
            if model.architecture == "qwen2" and name in ("attn_q", "attn_k", "attn_v"):
                add(f"blk.{layer}.{name}.bias", rng.standard_normal(shape[0]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return real


def _writer(path: Path, model: Model) -> Any:
    writer: Any = gguf.GGUFWriter(path, model.architecture)
    writer.add_context_length(model.length)
    writer.add_embedding_length(model.width)
    writer.add_block_count(model.layers)
    writer.add_feed_forward_length(model.hidden)
    writer.add_head_count(model.heads)
    writer.add_head_count_kv(model.kv_heads)
    writer.add_layer_norm_rms_eps(EPSILON)
    writer.add_rope_freq_base(BASE)
    if model.head * model.heads != model.width:
        writer.add_key_length(model.head)
        writer.add_value_length(model.head)
    if model.rotated is not None:
        writer.add_rope_dimension_count(model.rotated)
    if model.window is not None:
        writer.add_sliding_window(model.window)
    for key, value in model.metadata.items():
        add = {str: writer.add_string, int: writer.add_uint32, float: writer.add_float32}[type(value)]
        add(f"{model.architecture}.{key}", value)
    writer.add_token_list(["a", "b"] * (model.vocabulary // 2))
    return writer


def _quantised(array: Array, kind: str, rng: np.random.Generator) -> Array:
    """The bytes of `array`; for types that the package does not quantise to, random ones of the same size."""
    if kind not in HALVES:
        return gguf.quants.quantize(array, KINDS[kind])
    _, block, size = BLOCKS[KINDS[kind].value]
    data = rng.integers(0, 256, (len(array), array.shape[1] // block, size)).astype(np.uint8)
    for at, factor in HALVES[kind].items():
        scale = np.float16(factor * np.abs(array).mean())
        data[..., at : at + 2] = np.full((*data.shape[:2], 1), scale, "<f2").view(np.uint8)
    return data.reshape(len(array), -1)


def logits(model: Model, weights: Mapping[str, Real], tokens: list[int], angles: Real, magnitude: float = 1.0) -> Real:
    """The logits behind each of `tokens`; `angles` are those of the pairs of a head for one position."""
    is_gemma = model.architecture.startswith("gemma")
    x = weights["token_embd.weight"][tokens] * (model.width**0.5 if is_gemma else 1)
    for layer in range(model.layers):
        mine = {name.removeprefix(f"blk.{layer}."): each for name, each in weights.items()}
        of_layer, mine_angles = _windowed(model, layer, angles)
        attended = _attention(of_layer, mine, _norm(x, mine["attn_norm.weight"]), mine_angles, magnitude)
        x = x + _result(mine, "post_attention_norm", attended)
        inner = _norm(x, mine["ffn_norm.weight"])
        gate = inner @ mine["ffn_gate.weight"].T
        opened = _gelu(gate) if is_gemma else gate / (1 + np.exp(-gate))
        made = (opened * (inner @ mine["ffn_up.weight"].T)) @ mine["ffn_down.weight"].T
        x = x + _result(mine, "post_ffw_norm", made)
    last = weights.get("output.weight", weights["token_embd.weight"])
    return _capped(_norm(x, weights["output_norm.weight"]) @ last.T, CAPS.get(model.architecture, (0, 0))[1])


def _windowed(model: Model, layer: int, angles: Real) -> tuple[Model, Real]:
    """The model with the window that one layer of Gemma has, and the angles of this layer."""
    period = model.metadata.get("attention.sliding_window_pattern", PERIODS.get(model.architecture))
    if not isinstance(period, int) or model.window is None:
        return model, angles
    if layer % period == period - 1:
        return replace(model, window=None), angles
    return model, 1e4 ** (-np.arange(0, model.head, 2) / model.head) if model.architecture == "gemma3" else angles


def _result(mine: Mapping[str, Real], name: str, x: Real) -> Real:
    return _norm(x, mine[f"{name}.weight"]) if f"{name}.weight" in mine else x


def _gelu(x: Real) -> Real:
    return x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def _capped(x: Real, cap: float) -> Real:
    return cap * np.tanh(x / cap) if cap else x


def plain_angles(model: Model) -> Real:
    """The angles without scaling."""
    rotated = model.rotated or model.head
    return BASE ** (-np.arange(0, rotated, 2) / rotated)


def _norm(x: Real, gain: Real) -> Real:
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + EPSILON) * gain


def _attention(model: Model, mine: Mapping[str, Real], x: Real, angles: Real, magnitude: float) -> Real:
    count = len(x)
    q, k, v = (
        (x @ mine[f"attn_{name}.weight"].T + mine.get(f"attn_{name}.bias", 0)).reshape(count, -1, model.head)
        for name in "qkv"
    )
    if model.architecture in ("qwen3", "gemma3"):
        q, k = _norm(q, mine["attn_q_norm.weight"]), _norm(k, mine["attn_k_norm.weight"])
    turn = magnitude * np.exp(1j * np.arange(count)[:, None, None] * angles)
    q, k = (_rotated(each, turn, in_pairs=model.architecture == "llama") for each in (q, k))
    k, v = (np.repeat(each, model.heads // model.kv_heads, axis=1) for each in (k, v))
    scores = _capped(np.einsum("ihd,jhd->hij", q, k) / np.sqrt(model.head), CAPS.get(model.architecture, (0, 0))[0])
    shares = np.exp(scores) * (np.tri(count) - np.tri(count, k=-(model.window or count)))
    shares /= shares.sum(-1, keepdims=True)
    return np.einsum("hij,jhd->ihd", shares, v).reshape(count, -1) @ mine["attn_output.weight"].T


def _rotated(x: Real, turn: Array, *, in_pairs: bool) -> Real:
    """`x[position, head, width]` rotated: neighbours against each other, or halves."""
    x, rest = x[..., : 2 * turn.shape[-1]], x[..., 2 * turn.shape[-1] :]
    half = x.shape[-1] // 2
    first, second = (x[..., ::2], x[..., 1::2]) if in_pairs else (x[..., :half], x[..., half:])
    rotated = (first + 1j * second) * turn
    return np.concatenate([rotated.real, rotated.imag, rest], -1)
