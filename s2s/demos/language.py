"""The language model of `s2s demo chat`: a decoder whose weights say by hand which words may follow each word.

The embedding of a word is an axis. Attention adds nothing; a hidden number of the layer is there for each word, is
active after it, and moves the value to the axes of the words that may follow.
"""

import tempfile
from pathlib import Path

import numpy as np

from s2s.artifact import compile_artifact
from s2s.demos.project import check_new
from s2s.errors import InputError
from s2s.frontends.decoder import Config
from s2s.options import CompileOptions
from s2s.support.extras import is_installed
from s2s.types.dtypes import Array

FOLLOWERS = {
    "the ": ("cat ", "dog ", "small ", "old "),
    "a ": ("cat ", "dog ", "small "),
    "small ": ("cat ", "dog ", "old "),
    "old ": ("cat ", "dog "),
    "cat ": ("sees ", "hears ", "sleeps "),
    "dog ": ("sees ", "hears ", "barks "),
    "sees ": ("the ", "a "),
    "hears ": ("the ", "a "),
    "sleeps ": ("and ", ". "),
    "barks ": ("and ", ". "),
    "and ": ("the ", "sees ", "hears "),
    ". ": ("the ", "a "),
}
"""The words that may follow each word."""
BYTES, WIDTH = 256, 16
_WORD, _BYTE = 4, 6
"""Kinds of tokens in a GGUF file: a word that is always one token, and a byte."""
_CONFIG = Config(
    vocabulary=BYTES + len(FOLLOWERS), width=WIDTH, layers=1, heads=2, kv_heads=1, hidden=WIDTH, length=128
)
_CLEAR = 4.0
"""How much likelier the words that may follow are than others."""


def write_language(destination: Path) -> None:
    """Write the tree of the model, with its chat program."""
    check_new(destination)
    if not is_installed("gguf"):
        raise InputError("s2s demo chat: the package gguf is not installed; pip install gguf")
    from s2s.testing.decoders import write_gguf

    tokens = [*(f"<0x{byte:02X}>" for byte in range(BYTES)), *(word.replace(" ", "\u2581") for word in FOLLOWERS)]
    metadata = {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * len(tokens),
        "tokenizer.ggml.token_type": [_BYTE] * BYTES + [_WORD] * len(FOLLOWERS),
        "tokenizer.ggml.eos_token_id": 0,
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.ggml.add_space_prefix": False,
    }
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "chat.gguf"
        write_gguf(model, _CONFIG, "F32", metadata=metadata, weights=_weights())
        with compile_artifact(model, CompileOptions(target="c")) as artifact:
            artifact.tree().write(destination)


def _weights() -> dict[str, Array]:
    """Return the weights that differ from made-up ones."""
    words, count = list(FOLLOWERS), len(FOLLOWERS)
    axes = np.eye(count, WIDTH, dtype=np.float32)
    follows = np.array([[word in FOLLOWERS[before] for word in words] for before in words], np.float32)
    down = np.zeros((WIDTH, WIDTH), np.float32)
    down[:count] = follows @ axes - axes
    square = np.eye(WIDTH, dtype=np.float32)
    return {
        "embedding": np.concatenate([np.zeros((BYTES, WIDTH), np.float32), axes]),
        "layer0.norm1": np.ones(WIDTH, np.float32),
        "layer0.norm2": np.ones(WIDTH, np.float32),
        "norm": np.full(WIDTH, _CLEAR, np.float32),
        "layer0.o": np.zeros((WIDTH, WIDTH), np.float32),
        # An active number is gate * up: with a norm of sqrt(WIDTH), 8 * 4 of the one and 1 / 32 of the other give 1.
        "layer0.gate": 8 * square,
        "layer0.up": square / (8 * WIDTH),
        "layer0.down": down,
    }


__all__ = ["FOLLOWERS", "write_language"]
