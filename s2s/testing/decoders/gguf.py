"""Write decoders with made-up weights as GGUF files, to run them by others."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np

from s2s.errors import InputError
from s2s.frontends.decoder import Config
from s2s.testing.decoders.k_quants import quantize_q4_k
from s2s.testing.decoders.weights import make_weights
from s2s.types.dtypes import Array

Kind = Literal["F32", "F16", "Q8_0", "Q4_0", "Q4_K"]
LAYERS: Mapping[str, str] = {
    "q": "attn_q",
    "k": "attn_k",
    "v": "attn_v",
    "o": "attn_output",
    "gate": "ffn_gate",
    "up": "ffn_up",
    "down": "ffn_down",
    "norm1": "attn_norm",
    "norm2": "ffn_norm",
}


def write_gguf(
    path: str | os.PathLike[str],
    config: Config,
    kind: Kind,
    seed: int = 0,
    metadata: Mapping[str, object] | None = None,
    weights: Mapping[str, Array] | None = None,
) -> None:
    """Write the decoder of `config`, a `llama`, with its matrices as `kind`. Numbers, texts and lists of either in
    `metadata` are added; without them the file has no tokeniser. `weights` replace those that `seed` makes up."""
    import gguf

    if config.kind != "llama":
        raise InputError(f"decoder: GGUF files hold none of kind {config.kind}; take llama")
    kinds: Any = gguf.GGMLQuantizationType
    writer: Any = gguf.GGUFWriter(path, "llama")
    writer.add_vocab_size(config.vocabulary)
    writer.add_context_length(config.positions)
    writer.add_embedding_length(config.width)
    writer.add_block_count(config.layers)
    writer.add_feed_forward_length(config.hidden)
    writer.add_head_count(config.heads)
    writer.add_head_count_kv(config.kv_heads)
    writer.add_rope_dimension_count(config.head)
    writer.add_layer_norm_rms_eps(config.epsilon)
    writer.add_rope_freq_base(config.theta)
    for key, value in (metadata or {"tokenizer.ggml.model": "no_vocab"}).items():
        _add(writer, key, value)
    for name, array in {**make_weights(config, seed), **(weights or {})}.items():
        is_matrix = array.ndim > 1
        matrix = array.T if is_matrix and name != "embedding" else array
        if name.rpartition(".")[2] in ("q", "k"):
            matrix = _side_by_side(config, matrix)
        stored = kinds[kind if is_matrix else "F32"]
        rows = np.asarray(matrix, order="C")
        data = quantize_q4_k(rows) if stored == kinds["Q4_K"] else gguf.quants.quantize(rows, stored)
        writer.add_tensor(_name(name), data, raw_dtype=stored)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add(writer: Any, key: str, value: object) -> None:
    """Add a number, a text, or a list."""
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    elif isinstance(value, Sequence):
        writer.add_array(key, list(cast("Sequence[object]", value)))
    else:
        raise InputError(f"{key}: {value!r} is neither a number, a text nor a list; leave it out")


def _name(name: str) -> str:
    """The name of a tensor in GGUF files."""
    layer, _, role = name.partition(".")
    if role:
        return f"blk.{layer.removeprefix('layer')}.{LAYERS[role]}.weight"
    return {"embedding": "token_embd.weight", "norm": "output_norm.weight"}[name]


def _side_by_side(config: Config, rows: Array) -> Array:
    """Rows of queries or keys where rows that are rotated against each other stand side by side."""
    halves = rows.reshape(-1, 2, config.head // 2, rows.shape[1])
    return halves.transpose(0, 2, 1, 3).reshape(rows.shape)
