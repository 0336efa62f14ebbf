"""Write the decoder of a GGUF file as an ONNX model: the architectures `llama`, `qwen2`, `qwen3` and Gemma's three."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from s2s.errors import InputError, UnsupportedError
from s2s.frontends.decoder import Config, Linear, states, write_model
from s2s.frontends.gguf.gemma import GEMMAS, RESULT_NORMS, as_gemma
from s2s.frontends.gguf.loaded import Decoder
from s2s.frontends.gguf.reader import Gguf, Tensor, read_gguf
from s2s.frontends.gguf.rotation import read_rotation
from s2s.frontends.gguf.tensors import floats, is_quantised, linear_weights
from s2s.frontends.gguf.tokenizer import read_tokenizer
from s2s.options import Cache
from s2s.types.dtypes import Array
from s2s.types.language import Language, Tokenizer

ARCHITECTURES = ("llama", "qwen2", "qwen3", *GEMMAS)
MAX_POSITIONS = 2048
"""Positions of the cache where nobody says how many, if the model allows more."""
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
HEAD_NORMS: Mapping[str, str] = {"attn_q_norm": "q_norm", "attn_k_norm": "k_norm"}
"""The tensors of `qwen3` and `gemma3` besides."""
ROTATION = "rope_freqs.weight"
SHORT_ROTATION, LONG_ROTATION = "rope_factors_short.weight", "rope_factors_long.weight"
"""The factors of `longrope` for texts of the length of the first training, and for longer ones."""
MAX_CONTEXT = 1 << 24
"""The most positions of texts; tables of angles have rows for them."""


def read_decoder(
    source: str | os.PathLike[str] | bytes, positions: int | None = None, tokens: int = 1, cache: Cache = "float32"
) -> Decoder:
    """Read a decoder that takes `tokens` a run; `positions` is the size of its cache, by default the model's, 2048 at
    most. In a `cache` that is a ring, positions up to those of the model overwrite the oldest; in a model that attends
    to a window of positions, the cache is a ring of these."""
    path = Path("model") if isinstance(source, bytes) else Path(source)
    found = _File(read_gguf(source), path.name)
    kind: Any = cache.removesuffix(RING)
    is_ring = cache.endswith(RING)
    config = replace(found.config(positions, goes_on=is_ring), cache=kind)
    model = write_model(config, found.weights(config), tokens)
    model.graph.name = path.stem
    language = Language(config.length, config.positions, found.tokenizer(config.vocabulary), tokens)
    return Decoder(model, states(config), config, language, str(path.absolute().parent), str(path))


class _File:
    """The parts of a file by the names that the decoder has for them."""

    def __init__(self, gguf: Gguf, label: str) -> None:
        self.metadata, self.tensors, self.label = gguf.metadata, gguf.tensors, label
        self.used = set[str]()
        self.architecture = str(self.metadata.get("general.architecture"))
        if self.architecture not in ARCHITECTURES:
            known = ", ".join(ARCHITECTURES)
            fact = f"the architecture is {self.architecture!r}, which is not supported"
            raise UnsupportedError(f"{label}: {fact}; take a model of one of {known}")

    @property
    def trained(self) -> int:
        """The positions of the texts that the model has seen."""
        trained = self._integer("context_length")
        if trained > MAX_CONTEXT:
            fact = f"{self.architecture}.context_length is {trained}, more than {MAX_CONTEXT}"
            raise InputError(f"{self.label}: {fact}; convert the model again")
        return trained

    def config(self, positions: int | None, *, goes_on: bool = False) -> Config:
        """The sizes that the metadata state. A text that `goes_on` may be as long as those that the model has seen."""
        heads = self._integer("attention.head_count")
        shared, width = self._integer("attention.head_count_kv", heads), self._head_width(heads)
        if heads % shared or width % 2:
            fact = f"{heads} heads of queries of width {width} share {shared} of keys"
            raise InputError(f"{self.label}: {fact}; convert the model again")
        trained = self.trained
        length = min(trained, MAX_POSITIONS) if positions is None else positions
        if not 0 < length <= trained:
            raise InputError(f"--dim positions={length}: {self.label} has {trained} at most; give a number from 1 on")
        if f"{self.architecture}.expert_count" in self.metadata:
            raise self._unsupported("it is a mixture of experts")
        context = max(length, trained) if goes_on else length
        rotated = self._rotated(width)
        factors = self._factors(rotated // 2, context)
        rotation = read_rotation(self.metadata, self.architecture, rotated, factors, self.label)
        is_gemma = self.architecture in GEMMAS
        config = Config(
            vocabulary=self._tensor("token_embd.weight").rows,
            width=self._integer("embedding_length"),
            layers=self._integer("block_count"),
            heads=heads,
            kv_heads=shared,
            hidden=self._integer("feed_forward_length"),
            length=length if is_gemma else min(length, self._window(length)),
            context=context,
            epsilon=self._real("attention.layer_norm_rms_epsilon", 1e-5),
            frequencies=rotation.angles,
            magnitude=rotation.magnitude,
            head_width=width,
            norms_heads=self.architecture == "qwen3",
            int8_activations=True,
        )
        if not is_gemma:
            return config
        return as_gemma(config, self.architecture, self._count, self._bound)

    def _window(self, positions: int) -> int:
        """The positions that each position attends to: itself and the ones before it."""
        window = self.metadata.get(f"{self.architecture}.attention.sliding_window", 0) or positions
        if not isinstance(window, int | float) or not 0 < window < 1 << 31:
            fact = f"{self.architecture}.attention.sliding_window is {window!r}"
            raise InputError(f"{self.label}: {fact}; convert the model again")
        return int(window)

    def _rotated(self, width: int) -> int:
        """The numbers of a head that are rotated, the first ones."""
        rotated = self._integer("rope.dimension_count", width)
        if rotated > width or rotated % 2:
            fact = f"{self.architecture}.rope.dimension_count is {rotated}, of heads of {width}"
            raise InputError(f"{self.label}: {fact}; convert the model again")
        return rotated

    def _factors(self, pairs: int, positions: int) -> Array | None:
        """The numbers that divide the angles of `pairs`, if there are some, for texts of `positions` positions."""
        first = self._real("rope.scaling.original_context_length", self.trained)
        tables = (ROTATION, LONG_ROTATION if positions > first else SHORT_ROTATION)
        self.used.update({LONG_ROTATION, SHORT_ROTATION} & self.tensors.keys())
        name = next((each for each in tables if each in self.tensors), None)
        return None if name is None else floats(self._sized(name, 1, pairs)).reshape(-1)

    def _head_width(self, heads: int) -> int:
        """The width of a head of queries, keys and values."""
        total = self._integer("embedding_length")
        if "attention.key_length" not in self._own and total % heads:
            fact = f"{heads} heads do not divide width {total}"
            raise InputError(f"{self.label}: {fact}; convert the model again")
        width = self._integer("attention.key_length", max(total // heads, 1))
        if self._integer("attention.value_length", width) != width:
            values = self._integer("attention.value_length")
            raise self._unsupported(f"attention.value_length is {values}, not the width of a head, {width}")
        return width

    @property
    def _own(self) -> set[str]:
        """The keys of the architecture."""
        return {key.removeprefix(f"{self.architecture}.") for key in self.metadata}

    def weights(self, config: Config) -> dict[str, Linear]:
        """All weights; one that the decoder has no use for is an error."""
        embedding = self._sized("token_embd.weight", config.vocabulary, config.width)
        made: dict[str, Linear] = {
            "embedding": linear_weights(embedding) if is_quantised(embedding) else floats(embedding),
            "norm": floats(self._sized("output_norm.weight", 1, config.width)).reshape(-1),
        }
        if "output.weight" in self.tensors:
            made["head"] = linear_weights(self._sized("output.weight", config.vocabulary, config.width))
        for layer in range(config.layers):
            made.update(self._layer(config, layer))
        unknown = sorted(set(self.tensors) - self.used)
        if unknown:
            raise self._unsupported(f"there are tensors such as {unknown[0]!r}")
        return made

    def _layer(self, config: Config, layer: int) -> dict[str, Linear]:
        """The weights of one layer."""
        shapes, made = _shapes(config), dict[str, Linear]()
        names = {**LAYERS, **(HEAD_NORMS if config.norms_heads else {})}
        names |= RESULT_NORMS if config.norms_results else {}
        for name, role in names.items():
            place, (rows, columns) = f"blk.{layer}.{name}", shapes[role]
            order = self._row_order(config, role)
            tensor = self._sized(f"{place}.weight", rows, columns)
            if "norm" in role:
                made[f"layer{layer}.{role}"] = floats(tensor).reshape(-1)
                continue
            made[f"layer{layer}.{role}"] = linear_weights(tensor, order)
            if f"{place}.bias" in self.tensors:
                bias = floats(self._sized(f"{place}.bias", 1, rows)).reshape(-1)
                made[f"layer{layer}.{role}.bias"] = bias if order is None else bias[order]
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
        rows, rotated = np.arange(heads * config.head).reshape(heads, config.head), config.rotated
        halves = rows[:, :rotated].reshape(heads, rotated // 2, 2).transpose(0, 2, 1).reshape(heads, rotated)
        return np.concatenate([halves, rows[:, rotated:]], axis=1).reshape(-1)

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

    def _count(self, key: str, default: int) -> int:
        """An integer that may be 0, as where there is none of something."""
        return self._integer(key, default) if self.metadata.get(f"{self.architecture}.{key}", default) else 0

    def _bound(self, key: str, default: float) -> float:
        """A number that may be 0, as where there is no bound."""
        return self._real(key, default) if self.metadata.get(f"{self.architecture}.{key}", default) else 0.0

    def _unsupported(self, fact: str) -> UnsupportedError:
        return UnsupportedError(f"{self.label}: {fact}, which is not supported; take another model")


def _shapes(config: Config) -> dict[str, tuple[int, int]]:
    """Rows and columns of the tensors of a layer."""
    keys, width, hidden = config.kv_heads * config.head, config.width, config.hidden
    return {
        "q": (config.queries, width),
        "k": (keys, width),
        "v": (keys, width),
        "o": (width, config.queries),
        "gate": (hidden, width),
        "up": (hidden, width),
        "down": (width, hidden),
        "norm1": (1, width),
        "norm2": (1, width),
        "post_norm1": (1, width),
        "post_norm2": (1, width),
        "q_norm": (1, config.head),
        "k_norm": (1, config.head),
    }


__all__: Sequence[str] = ["read_decoder"]
