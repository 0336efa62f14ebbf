"""Write the decoder of a GGUF file as an ONNX model: the architectures `llama` and `qwen2`."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.decoder import Blocks, Config, Superblocks, states, write_model
from s2s.frontends.decoder.model import Linear
from s2s.frontends.gguf.k_quants import halves, q4_k, q6_k
from s2s.frontends.gguf.loaded import Decoder
from s2s.frontends.gguf.reader import Gguf, Tensor, read_gguf
from s2s.frontends.gguf.tokenizer import read_tokenizer
from s2s.options import Cache
from s2s.types.dtypes import Array
from s2s.types.language import Language, Tokenizer

ARCHITECTURES = ("llama", "qwen2")
MAX_POSITIONS = 2048
"""Positions of the cache where nobody says how many, if the model allows more."""
MAX_CONTEXT = 32768
"""Positions of a text whose oldest ones leave the cache, if the model allows more: each has a row of angles."""
RING = "-ring"
LAYERS: Mapping[str, str] = {
    "attn_q": "q",
    "attn_k": "k",
    "attn_v": "v",
    "attn_output": "o",
    "ffn_gate": "gate",
    "ffn_up": "up",
    "ffn_down": "down",
    "attn_norm": "norm1",
    "ffn_norm": "norm2",
}
"""The tensors of a layer by their names in the file, and in the decoder."""


def read_decoder(
    path: str | os.PathLike[str], positions: int | None = None, tokens: int = 1, cache: Cache = "float32"
) -> Decoder:
    """Read a decoder that takes `tokens` a run; `positions` is the size of its cache, by default that of the model,
    2048 at most. In a `cache` that is a ring, positions up to those of the model overwrite the oldest."""
    found = _File(read_gguf(path), Path(path).name)
    kind: Any = cache.removesuffix(RING)
    config = replace(found.config(positions), cache=kind)
    if cache.endswith(RING):
        config = replace(config, context=max(config.length, min(found.trained, MAX_CONTEXT)))
    model = write_model(config, found.weights(config), tokens)
    model.graph.name = Path(path).stem
    language = Language(config.length, config.positions, found.tokenizer(config.vocabulary), tokens)
    return Decoder(model, states(config), config, language, str(Path(path).absolute().parent), str(path))


class _File:
    """The parts of a file by the names that the decoder has for them."""

    def __init__(self, gguf: Gguf, label: str) -> None:
        self.metadata, self.tensors, self.label = gguf.metadata, gguf.tensors, label
        self.used = set[str]()
        self.architecture = self.metadata.get("general.architecture")
        if self.architecture not in ARCHITECTURES:
            known = " and ".join(ARCHITECTURES)
            raise UnsupportedError(f"{label}: the architecture is {self.architecture!r}; known are {known}")

    @property
    def trained(self) -> int:
        """The positions of the texts that the model has seen."""
        return self._integer("context_length")

    def config(self, positions: int | None) -> Config:
        """The sizes that the metadata state."""
        width, heads = self._integer("embedding_length"), self._integer("attention.head_count")
        shared = self._integer("attention.head_count_kv", heads)
        if width % (2 * heads) or heads % shared:
            fact = f"{heads} heads of queries and {shared} of keys do not divide width {width}"
            raise InputError(f"{self.label}: {fact}; convert the model again")
        trained = self.trained
        length = min(trained, MAX_POSITIONS) if positions is None else positions
        if not 0 < length <= trained:
            raise InputError(f"--dim positions={length}: {self.label} has {trained} at most; give a number from 1 on")
        for key, wanted in (("rope.dimension_count", width // heads), ("attention.key_length", width // heads)):
            if self._integer(key, wanted) != wanted:
                raise self._unsupported(f"{key} is {self._integer(key)}, not the width of a head, {wanted}")
        if self.metadata.get(f"{self.architecture}.rope.scaling.type", "none") != "none":
            raise self._unsupported("rotary positions are scaled")
        return Config(
            vocabulary=self._tensor("token_embd.weight").rows,
            width=width,
            layers=self._integer("block_count"),
            heads=heads,
            kv_heads=shared,
            hidden=self._integer("feed_forward_length"),
            length=length,
            epsilon=self._real("attention.layer_norm_rms_epsilon", 1e-5),
            theta=self._real("rope.freq_base", 10000.0),
            int8_activations=True,
        )

    def weights(self, config: Config) -> dict[str, Linear]:
        """All weights; one that the decoder has no use for is an error."""
        shapes = _shapes(config)
        embedding = self._sized("token_embd.weight", config.vocabulary, config.width)
        own = "output.weight" in self.tensors
        last = self._sized("output.weight", config.vocabulary, config.width) if own else embedding
        rows = _linear(embedding, None)
        made: dict[str, Linear] = {
            "embedding": rows if isinstance(rows, Blocks) else _floats(embedding),
            "norm": _floats(self._sized("output_norm.weight", 1, config.width)).reshape(-1),
        }
        if own or isinstance(rows, Superblocks):
            made["head"] = _linear(last, None)
        for layer in range(config.layers):
            for name, role in LAYERS.items():
                place, (rows, columns) = f"blk.{layer}.{name}", shapes[role]
                order = self._row_order(config, role)
                tensor = self._sized(f"{place}.weight", rows, columns)
                if role.startswith("norm"):
                    made[f"layer{layer}.{role}"] = _floats(tensor).reshape(-1)
                    continue
                made[f"layer{layer}.{role}"] = _linear(tensor, order)
                if f"{place}.bias" in self.tensors:
                    bias = _floats(self._sized(f"{place}.bias", 1, rows)).reshape(-1)
                    made[f"layer{layer}.{role}.bias"] = bias if order is None else bias[order]
        unknown = sorted(set(self.tensors) - self.used)
        if unknown:
            raise self._unsupported(f"there are tensors such as {unknown[0]!r}")
        return made

    def tokenizer(self, rows: int) -> Tokenizer | str:
        """The tokeniser, or why it is not read: the network runs without it."""
        try:
            return read_tokenizer(self.metadata, rows, self.label)
        except UnsupportedError as error:
            return str(error)

    def _row_order(self, config: Config, role: str) -> Array | None:
        """The rows of queries and keys in the order in which the halves of a head are rotated against each other. Files
        of `llama` have the two numbers that are rotated against each other side by side."""
        if self.architecture != "llama" or role not in ("q", "k"):
            return None
        heads = config.heads if role == "q" else config.kv_heads
        rows = np.arange(heads * config.head).reshape(heads, config.head // 2, 2)
        return rows.transpose(0, 2, 1).reshape(-1)

    def _tensor(self, name: str) -> Tensor:
        if name not in self.tensors:
            raise InputError(f"{self.label}: has no tensor {name!r}; convert the model again")
        self.used.add(name)
        return self.tensors[name]

    def _sized(self, name: str, rows: int, columns: int) -> Tensor:
        tensor = self._tensor(name)
        if (tensor.rows, tensor.columns) != (rows, columns):
            fact = f"tensor {name!r} is {tensor.rows} x {tensor.columns}, the metadata say {rows} x {columns}"
            raise InputError(f"{self.label}: {fact}; convert the model again")
        return tensor

    def _integer(self, key: str, default: int | None = None) -> int:
        value = self.metadata.get(f"{self.architecture}.{key}", default)
        if not isinstance(value, int) or not 0 < value < 1 << 31:
            raise InputError(f"{self.label}: {self.architecture}.{key} is {value!r}; convert the model again")
        return value

    def _real(self, key: str, default: float) -> float:
        value = self.metadata.get(f"{self.architecture}.{key}", default)
        if not isinstance(value, float | int) or not 0 < value < 1e12:
            raise InputError(f"{self.label}: {self.architecture}.{key} is {value!r}; convert the model again")
        return float(value)

    def _unsupported(self, fact: str) -> UnsupportedError:
        return UnsupportedError(f"{self.label}: {fact}, which is not supported; take another model")


def _shapes(config: Config) -> dict[str, tuple[int, int]]:
    """Rows and columns of the tensors of a layer."""
    keys, width, hidden = config.kv_heads * config.head, config.width, config.hidden
    return {
        "q": (width, width),
        "k": (keys, width),
        "v": (keys, width),
        "o": (width, width),
        "gate": (hidden, width),
        "up": (hidden, width),
        "down": (width, hidden),
        "norm1": (1, width),
        "norm2": (1, width),
    }


def _linear(tensor: Tensor, order: Array | None) -> Linear:
    """The weights of a linear layer with its rows in `order`: quantised ones stay so."""
    if order is not None:
        tensor = tensor._replace(data=tensor.data[order])
    if not tensor.kind.startswith("Q"):
        return np.ascontiguousarray(_floats(tensor).T)
    if tensor.kind == "Q4_K":
        found = q4_k(tensor.data)
        return Superblocks(_in_pairs(found.q), (found.scales, found.mins, found.super_scales, found.super_mins))
    q, scales = _scaled(tensor)
    if tensor.kind != "Q4_0":
        return Blocks((q ^ -128).view(np.uint8), scales, 8, tensor.columns)
    return Blocks(_in_pairs((q + 8).astype(np.uint8)), scales, 4, tensor.columns)


def _in_pairs(q: Array) -> Array:
    """Put two neighbours of four bits each into a byte."""
    return q[..., ::2] | q[..., 1::2] << 4


def _floats(tensor: Tensor) -> Array:
    """The numbers of a tensor, `[rows, columns]` of float32."""
    shape = (tensor.rows, tensor.columns)
    if not tensor.kind.startswith("Q"):
        dtype = {"F32": "<f4", "F16": "<f2"}[tensor.kind]
        return np.frombuffer(tensor.data.tobytes(), dtype).reshape(shape).astype(np.float32)
    if tensor.kind == "Q4_K":
        return q4_k(tensor.data).floats().reshape(shape)
    q, scales = _scaled(tensor)
    return (q * scales[..., None]).astype(np.float32).reshape(shape)


def _scaled(tensor: Tensor) -> tuple[Array, Array]:
    """The integers of quantised blocks, `[rows, blocks, size]` of int8, and their scales. A byte of Q4_0 holds two that
    are half a block apart."""
    if tensor.kind == "Q6_K":
        return q6_k(tensor.data)
    scales, packed = halves(tensor.data[..., :2]).astype(np.float32), np.ascontiguousarray(tensor.data[..., 2:])
    if tensor.kind == "Q8_0":
        return packed.view(np.int8), scales
    return np.concatenate([packed & 15, packed >> 4], axis=-1).astype(np.int8) - np.int8(8), scales


__all__: Sequence[str] = ["read_decoder"]
