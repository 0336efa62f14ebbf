"""Small tokenisers of GGUF files, the emitted C of one, and byte-pair encoding by its definition."""

import random
import re
import subprocess
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import cffi

from s2s.artifact import compile_artifact
from s2s.frontends.decoder import Config
from s2s.options import CompileOptions
from s2s.testing.decoders import write_gguf

NORMAL, CONTROL, BYTE = 1, 3, 6
TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}[assistant]{% endif %}"
)
CORPUS = "the cat sat on the mat, and the hat of the cat that sat on that mat is the hat's 2024 hat; ünï thé " * 3

Metadata = dict[str, Any]


def letters() -> list[str]:
    """What stands for each byte in GPT-2's tokens."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = iter(range(256, 512))
    return [chr(byte if byte in plain else next(others)) for byte in range(256)]


def merged(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """Symbols with every such pair joined, from the left."""
    made: list[str] = []
    for symbol in symbols:
        if made and (made[-1], symbol) == pair and not made[-1].endswith("\0"):
            made[-1] = f"{made[-1]}{symbol}\0"
        else:
            made.append(symbol)
    return [symbol.rstrip("\0") for symbol in made]


def words_of(text: str) -> list[str]:
    """GPT-2's words of text without other characters than letters of Latin, digits, spaces and punctuation."""
    return re.findall(r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s+", text)


def in_letters(text: str) -> list[str]:
    return [letters()[byte] for byte in text.encode()]


def trained(count: int) -> list[tuple[str, str]]:
    """The most frequent pairs of the corpus, one after the other."""
    words = [in_letters(word) for word in words_of(CORPUS)]
    merges: list[tuple[str, str]] = []
    for _ in range(count):
        counts: dict[tuple[str, str], int] = {}
        for word in words:
            for pair in pairwise(word):
                counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=lambda pair: counts[pair])
        merges.append(best)
        words = [merged(word, best) for word in words]
    return merges


MERGES = trained(25)


def gpt2(**more: object) -> Metadata:
    tokens = [*letters(), *dict.fromkeys(left + right for left, right in MERGES), "<s>", "</s>"]
    found = {
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": tokens,
        "token_type": [NORMAL] * (len(tokens) - 2) + [CONTROL] * 2,
        "merges": [f"{left} {right}" for left, right in MERGES],
        "bos_token_id": len(tokens) - 2,
        "eos_token_id": len(tokens) - 1,
        **more,
    }
    return {f"tokenizer.ggml.{key}": value for key, value in found.items()} | {"tokenizer.chat_template": TEMPLATE}


def llama(**more: object) -> Metadata:
    texts = ["t", "h", "e", "▁", "a", "th", "the", "▁the", "▁th", "he", "▁t", "at", "hat", "ü", "▁▁"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *texts]
    found = {
        "model": "llama",
        "tokens": tokens,
        "scores": [0.0] * 259 + [-float(number % 9) for number in range(len(texts))],
        "token_type": [2, CONTROL, CONTROL] + [BYTE] * 256 + [NORMAL] * len(texts),
        "bos_token_id": 1,
        "eos_token_id": 2,
        **more,
    }
    return {f"tokenizer.ggml.{key}": value for key, value in found.items()}


def by_definition_gpt2(text: str, words: Sequence[str] | None = None) -> list[int]:
    tokens = {token: number for number, token in enumerate(gpt2()["tokenizer.ggml.tokens"])}
    found: list[int] = []
    for word in words_of(text) if words is None else words:
        symbols = in_letters(word)
        for pair in MERGES:
            symbols = merged(symbols, pair)
        found += [tokens[symbol] for symbol in symbols]
    return found


def by_definition_llama(text: str) -> list[int]:
    metadata = llama()
    tokens, scores = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.scores"]
    known = {token: number for number, token in enumerate(tokens[259:], 259)}
    symbols = list(f"▁{text.replace(' ', '▁')}") if text else []
    while True:
        pairs = [(known.get(a + b), at) for at, (a, b) in enumerate(pairwise(symbols))]
        best = max(((scores[token], -at) for token, at in pairs if token is not None), default=None)
        if best is None:
            break
        symbols[-best[1] : 2 - best[1]] = ["".join(symbols[-best[1] : 2 - best[1]])]
    every = ([known[symbol]] if symbol in known else [3 + byte for byte in symbol.encode()] for symbol in symbols)
    return [token for each in every for token in each]


def compiled(folder: Path, metadata: Metadata) -> Path:
    """The tree of a small decoder with this tokeniser."""
    size = len(metadata["tokenizer.ggml.tokens"])
    config = Config(vocabulary=size, width=16, layers=1, heads=2, kv_heads=1, hidden=16, length=64)
    write_gguf(folder / "talker.gguf", config, "F32", metadata=metadata)
    return compile_artifact(str(folder / "talker.gguf"), CompileOptions(target="c")).write(folder / "tree")


class Encoder:
    """The tokeniser of a tree in a library of its own."""

    def __init__(self, tree: Path) -> None:
        sources = [f"src/talker_{part}.c" for part in ("tokenizer", "tokens")] + ["runtime/src/tokenizer.c"]
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-shared", "-fPIC"]
        folders = [f"-I{name}" for name in ("include", "src", "runtime/include")]
        subprocess.run(["cc", *flags, *folders, *sources, "-o", "tokenizer.so"], cwd=tree, check=True)
        self.ffi = cffi.FFI()
        self.ffi.cdef(
            "extern char talker_tokenizer[]; int s2s_tokenizer_encode(const void *self, const char *text,"
            "size_t size, _Bool begin, uint32_t *tokens, uint32_t *ranks, uint32_t capacity, uint32_t *count);"
        )
        self.library: Any = self.ffi.dlopen(str(tree / "tokenizer.so"))

    def __call__(self, text: str) -> list[int]:
        data = text.encode()
        tokens, ranks = (self.ffi.new("uint32_t[]", len(data) + 2) for _ in range(2))
        count: Any = self.ffi.new("uint32_t[]", 1)
        tokenizer = self.library.talker_tokenizer
        arguments = (tokenizer, data, len(data), False, tokens, ranks, len(data) + 2, count)
        assert self.library.s2s_tokenizer_encode(*arguments) == 0
        return [tokens[at] for at in range(count[0])]


def texts(alphabet: Sequence[str]) -> list[str]:
    rng = random.Random(1)
    return ["", *("".join(rng.choices(alphabet, k=rng.randint(1, 40))) for _ in range(200))]
