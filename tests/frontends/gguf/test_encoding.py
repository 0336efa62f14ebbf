"""Texts in the tokens of GGUF files' tokenisers: the emitted C beside byte-pair encoding by its definition."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise, product
from pathlib import Path
from unicodedata import category

import pytest

from s2s.frontends.gguf.tokenizer import read_tokenizer
from s2s.types.language import NO_TOKEN
from support.tokenizers import (
    CONTROL,
    NORMAL,
    Encoder,
    by_definition_gpt2,
    by_definition_llama,
    compiled,
    gpt2,
    in_letters,
    letters,
    llama,
    texts,
    words_of,
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("gpt2"), gpt2())


def test_gpt2_texts_are_encoded_by_the_merges_in_order(tree: Path):
    encode = Encoder(tree)
    for text in texts([*"theacmosn ", "the ", " cat", "hat's", "\n", "2", "ü", "é", ", ", "'ll", "中"]):
        assert encode(text) == by_definition_gpt2(text), text


def test_smollm_cuts_digits_out_before_words(tmp_path: Path):
    """No space stays before a digit, and spaces before one are a word."""
    encode = Encoder(compiled(tmp_path, gpt2(pre="smollm")))
    for text in texts([*"theat ", "  ", "2", "024", "the ", " cat", "hat's", "\n", "ü", ", ", "'ll"]):
        pieces = re.split(r"(\d)", text)
        assert encode(text) == by_definition_gpt2(text, [word for piece in pieces for word in words_of(piece)]), text


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression with `\\p{Lu}`, whose classes Python's `re` lacks, over the characters of `CASES`."""

    def members(match: re.Match[str]) -> str:
        return "".join(re.escape(each) for each in sorted(set(CASES)) if category(each).startswith(match[1]))

    return re.compile(re.sub(r"\\p\{(\w+)\}", members, text))


def split(pieces: Sequence[str], expression: str) -> list[str]:
    """Pieces of text cut into the matches of an expression, and what is between them."""
    cut = (re.split(f"({pattern(expression).pattern})", piece) for piece in pieces)
    return [part for parts in cut for part in parts if part]


CASES = "abZÉéßǅʰ中のꙮ가\u0301\u0300 \t\n\r\u3000\u20021٣²½!/'.-‘。、！Ａｚ😀_"
"""Characters of every kind that tokenisers tell apart."""
TEKKEN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|"
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|"
    r"[\p{N}]| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
EAST_ASIA = "[一-龥ࠀ-一가-\ud7ff]+"
SPLITS: Mapping[str, Sequence[str]] = {
    "tekken": [TEKKEN],
    "deepseek-llm": [
        r"[\r\n]",
        r"\s?[A-Za-zÀ-ÖØ-öø-ƺǄ-ʓﬀ-ﬆＡ-Ｚａ-ｚꙀ-ꙭ]+",
        r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
        r"\s+\Z",
        EAST_ASIA,
        r"[\p{N}]+",
    ],
    "deepseek-coder": [r"[\r\n]", r"\s?[\p{L}]+", r"\s?[\p{P}]+", EAST_ASIA, r"[\p{N}]"],
}
"""The regular expressions of the models' `tokenizer.json`, one after the other."""


PAIRS = list(product(dict.fromkeys(in_letters(CASES)), repeat=2))
"""Merges of any two bytes, so that nearly every word that ends elsewhere has other tokens."""


def in_pairs(word: str) -> list[str]:
    """The bytes of a word in pairs, the first of `PAIRS` first."""
    ranks, symbols = {pair: rank for rank, pair in enumerate(PAIRS)}, in_letters(word)
    while best := min(
        (pair for pair in pairwise(symbols) if pair in ranks), key=lambda pair: ranks[pair], default=None
    ):
        at = list(pairwise(symbols)).index(best)
        symbols[at : at + 2] = ["".join(best)]
    return symbols


@pytest.mark.parametrize("pre", SPLITS)
def test_words_are_those_of_the_regular_expressions(tmp_path: Path, pre: str):
    tokens = [*letters(), *("".join(pair) for pair in PAIRS), "<s>", "</s>"]
    types = [NORMAL] * (len(tokens) - 2) + [CONTROL] * 2
    merges = [" ".join(pair) for pair in PAIRS]
    ends = {"bos_token_id": len(tokens) - 2, "eos_token_id": len(tokens) - 1}
    encode = Encoder(compiled(tmp_path, gpt2(pre=pre, tokens=tokens, token_type=types, merges=merges, **ends)))
    numbers = {token: number for number, token in enumerate(tokens)}
    for text in texts(CASES):
        pieces = [text]
        for expression in SPLITS[pre]:
            pieces = split(pieces, expression)
        assert encode(text) == [numbers[token] for piece in pieces for token in in_pairs(piece)], (text, pieces)


@pytest.mark.parametrize(
    ("pre", "rules"),
    [
        ("falcon3", ("llama3", 3, True, True)),
        ("deepseek-r1-qwen", ("llama3", 1, False, False)),
        ("smollm", ("gpt2", 1, False, False)),
        ("tekken", ("tekken", 1, True, True)),
        ("glm4", ("llama3", 3, False, False)),
    ],
)
def test_files_name_their_rules(pre: str, rules: tuple[str, int, bool, bool]):
    found = read_tokenizer(gpt2(pre=pre), len(gpt2()["tokenizer.ggml.tokens"]), "m")
    assert (found.words, found.digits, "by_text" in found.tables, found.begin != NO_TOKEN) == rules


def test_llama_texts_are_encoded_by_the_scores(tmp_path: Path):
    encode = Encoder(compiled(tmp_path, llama()))
    for text in texts([*"thea ", "the", "ü", "é", "中"]):
        assert encode(text) == by_definition_llama(text), text
