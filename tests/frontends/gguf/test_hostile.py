"""Metadata of GGUF files that would take hours or all memory: refused at once, in one line."""

import struct
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from s2s.errors import InputError
from s2s.frontends.gguf import reader
from s2s.frontends.gguf.decoder import read_decoder
from s2s.frontends.gguf.reader import read_gguf
from s2s.frontends.gguf.tokenizer import read_tokenizer
from support.gguf_models import Model, write


def spm(tokens: list[str]) -> Mapping[str, reader.Field]:
    return {
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.scores": [0.0] * len(tokens),
    }


@pytest.mark.parametrize(
    "tokens", [["a" * 1_000_000], ["a" * length for length in range(1, 2000)]], ids=["one long token", "many prefixes"]
)
def test_tokens_of_thousands_of_characters_are_refused(tokens: list[str]):
    """A token is parted in two at each of its characters."""
    started = time.process_time()
    with pytest.raises(InputError, match="m: its tokens are texts of thousands of characters; convert the model again"):
        read_tokenizer(spm(tokens), len(tokens), "m")
    assert time.process_time() - started < 1.0


def test_long_lists_of_numbers_are_refused(monkeypatch: pytest.MonkeyPatch):
    """A byte of the file becomes eight of memory."""
    monkeypatch.setattr(reader, "MAX_ELEMENTS", 100)
    key = b"general.x"
    data = b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, len(key)) + key + struct.pack("<IIQ", 9, 0, 101) + bytes(101)
    with pytest.raises(InputError, match="model: holds a list of 101 numbers in its metadata; write the file again"):
        read_gguf(data)


def test_contexts_of_billions_of_positions_are_refused(tmp_path: Path):
    """A ring has tables of angles for all positions."""
    write(tmp_path / "m.gguf", Model(length=1 << 30))
    with pytest.raises(InputError, match="context_length is 1073741824, more than 16777216; convert the model again"):
        read_decoder(tmp_path / "m.gguf", 8, cache="float32-ring")
