"""Decoders of GGUF files: the emitted C against doubles in numpy, and files that lie."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from s2s.artifact import compile_artifact
from s2s.errors import S2SError
from s2s.frontends.decoder import Config
from s2s.frontends.gguf import read_decoder, read_gguf
from s2s.frontends.gguf.reader import is_gguf
from s2s.options import CompileOptions
from s2s.testing.decoders import write_gguf
from s2s.types.dtypes import Array
from support.compiled import quickly_loaded

CONFIG = Config(vocabulary=48, width=64, layers=1, heads=4, kv_heads=2, hidden=96, length=8, epsilon=1e-6, theta=1e6)
KINDS: Any = gguf.GGMLQuantizationType
TENSORS = {
    "attn_q": (64, 64),
    "attn_k": (32, 64),
    "attn_v": (32, 64),
    "attn_output": (64, 64),
    "ffn_gate": (96, 64),
    "ffn_up": (96, 64),
    "ffn_down": (64, 96),
}
Real = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def write(path: Path, architecture: str, kind: str) -> dict[str, Real]:
    """Write a file with seeded weights; return what they are as doubles once they are quantised."""
    rng = np.random.default_rng(1)
    writer: Any = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(CONFIG.length)
    writer.add_embedding_length(CONFIG.width)
    writer.add_block_count(CONFIG.layers)
    writer.add_feed_forward_length(CONFIG.hidden)
    writer.add_head_count(CONFIG.heads)
    writer.add_head_count_kv(CONFIG.kv_heads)
    writer.add_layer_norm_rms_eps(CONFIG.epsilon)
    writer.add_rope_freq_base(CONFIG.theta)
    writer.add_token_list(["a", "b"] * (CONFIG.vocabulary // 2))
    real: dict[str, Real] = {}

    def add(name: str, array: Array, kind: str = "F32") -> None:
        data = gguf.quants.quantize(array.astype(np.float32), KINDS[kind])
        writer.add_tensor(name, data, raw_dtype=KINDS[kind])
        real[name] = gguf.quants.dequantize(data, KINDS[kind]).astype(np.float64)

    add("token_embd.weight", rng.standard_normal((CONFIG.vocabulary, CONFIG.width)), kind)
    add("output_norm.weight", rng.uniform(0.5, 1.5, CONFIG.width))
    add("blk.0.attn_norm.weight", rng.uniform(0.5, 1.5, CONFIG.width))
    add("blk.0.ffn_norm.weight", rng.uniform(0.5, 1.5, CONFIG.width))
    for name, shape in TENSORS.items():
        add(f"blk.0.{name}.weight", rng.standard_normal(shape) * shape[1] ** -0.5, kind)
        if architecture == "qwen2" and name in ("attn_q", "attn_k", "attn_v"):
            add(f"blk.0.{name}.bias", rng.standard_normal(shape[0]))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return real


def norm(x: Real, gain: Real) -> Real:
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + CONFIG.epsilon) * gain


def rotated(x: Real, *, pairs: bool) -> Real:
    """`x[position, head, width]` rotated by its positions: neighbours against each other, or halves."""
    turn = np.exp(1j * np.arange(len(x))[:, None] * CONFIG.theta ** (-np.arange(0, CONFIG.head, 2) / CONFIG.head))
    half = CONFIG.head // 2
    first, second = (x[..., ::2], x[..., 1::2]) if pairs else (x[..., :half], x[..., half:])
    rotated = (first + 1j * second) * turn[:, None]
    return np.concatenate([rotated.real, rotated.imag], -1)


def logits(weights: dict[str, Real], tokens: list[int], architecture: str) -> Real:
    x, count = weights["token_embd.weight"][tokens], len(tokens)
    mine = {name.removeprefix("blk.0."): each for name, each in weights.items()}

    def linear(x: Real, name: str) -> Real:
        return x @ mine[f"{name}.weight"].T + mine.get(f"{name}.bias", 0)

    inner = norm(x, mine["attn_norm.weight"])
    q, k, v = (linear(inner, f"attn_{name}").reshape(count, -1, CONFIG.head) for name in "qkv")
    q, k = (rotated(each, pairs=architecture == "llama") for each in (q, k))
    k, v = (np.repeat(each, CONFIG.group, axis=1) for each in (k, v))
    scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(CONFIG.head)
    shares = np.exp(scores) * np.tri(count)
    shares /= shares.sum(-1, keepdims=True)
    x = x + linear(np.einsum("hij,jhd->ihd", shares, v).reshape(count, -1), "attn_output")
    inner = norm(x, mine["ffn_norm.weight"])
    gate = linear(inner, "ffn_gate")
    x = x + linear(gate / (1 + np.exp(-gate)) * linear(inner, "ffn_up"), "ffn_down")
    return norm(x, mine["output_norm.weight"]) @ weights["token_embd.weight"].T


@pytest.mark.parametrize(
    ("architecture", "kind", "activations", "bound"),
    [
        ("llama", "F16", "model", 2e-5),
        ("llama", "Q4_0", "float", 2e-5),
        ("llama", "Q8_0", "model", 3e-2),
        ("qwen2", "Q8_0", "float", 2e-5),
    ],
)
def test_each_step_gives_the_logits_of_the_whole_sequence(
    tmp_path: Path, architecture: str, kind: str, activations: Any, bound: float
):
    path = tmp_path / "made-up.gguf"
    weights = write(path, architecture, kind)
    tokens = np.random.default_rng(2).integers(0, CONFIG.vocabulary, CONFIG.length).tolist()
    expected = logits(weights, tokens, architecture)
    with compile_artifact(str(path), CompileOptions(target="c", activations=activations)) as artifact:
        network = quickly_loaded(artifact)
        steps = [
            network.run({"token": np.array([token]), "position": np.array([at])}) for at, token in enumerate(tokens)
        ]
    found = np.concatenate([step["logits"] for step in steps])
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound * np.abs(expected).max())


@pytest.mark.parametrize(
    ("kind", "target"),
    [("Q8_0", "c"), ("Q4_0", "c"), ("Q8_0", "cortex-m55"), ("Q4_0", "cortex-m4"), ("Q4_0", "x86-64-v4")],
)
def test_a_tied_embedding_is_stored_once(tmp_path: Path, kind: Any, target: str):
    """Quantised, and packed for the logits: rows are looked up there."""
    write_gguf(tmp_path / "m.gguf", replace(CONFIG, vocabulary=128), kind)
    with compile_artifact(str(tmp_path / "m.gguf"), CompileOptions(target=target)) as artifact:
        arrays = json.loads(artifact.tree().text("metadata.json"))["weights"]["arrays"]
        assert artifact.verify().passed
    assert {each["name"] for each in arrays if each["name"].startswith("rows")} == {"rows_packed", "rows.scales"}
    assert sum(each["dtype"] == "i8" for each in arrays) == len(TENSORS) + 1


def test_the_user_says_how_many_positions_the_cache_has(tmp_path: Path):
    write(tmp_path / "m.gguf", "llama", "Q8_0")
    assert read_decoder(tmp_path / "m.gguf", 5).config.length == 5
    with pytest.raises(S2SError, match=r"m\.gguf has 8 at most"):
        read_decoder(tmp_path / "m.gguf", 9)


def test_other_architectures_are_refused(tmp_path: Path):
    write(tmp_path / "m.gguf", "mamba", "F32")
    with pytest.raises(S2SError, match="the architecture is 'mamba'; known are llama and qwen2"):
        read_decoder(tmp_path / "m.gguf")


def test_files_that_lie_are_refused(tmp_path: Path):
    """Cut off anywhere, or with any byte of its first part changed, a file is read or refused, and never breaks."""
    path = tmp_path / "m.gguf"
    write(path, "llama", "Q8_0")
    data, rng = path.read_bytes(), np.random.default_rng(3)
    refused = 0
    for at in rng.integers(4, 1200, 150):
        for changed in (data[:at], data[:at] + bytes([rng.integers(256)]) + data[at + 1 :]):
            path.write_bytes(changed)
            try:
                read_gguf(path)
                read_decoder(path)
            except S2SError:
                refused += 1
    assert refused > 150


def test_a_file_that_is_gguf_by_name_only_is_damaged(tmp_path: Path):
    """Its user reads what is wrong with it, and not that it is no ONNX model."""
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUM" + bytes(60))
    assert is_gguf(path)
    with pytest.raises(S2SError, match=r"m\.gguf"):
        read_gguf(path)
