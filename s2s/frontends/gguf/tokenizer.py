"""Read the tokeniser of a GGUF file: `llama` (SentencePiece, merges by score) and `gpt2` (merges of bytes)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

import numpy as np

from s2s.chat.turns import read_template
from s2s.errors import InputError, UnsupportedError
from s2s.frontends.gguf.characters import of_category
from s2s.frontends.gguf.end_tokens import end_tokens
from s2s.frontends.gguf.pre_tokenizers import ANY_NUMBER, RULES, Rules
from s2s.frontends.gguf.reader import Field
from s2s.types.dtypes import Array
from s2s.types.language import NO_TOKEN, ChatTemplate, Tokenizer, Turns

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6
"""Types of tokens."""
DEFAULTS: Mapping[str, int] = {"unknown": 0, "bos": 1, "eos": 2}
"""The special tokens of `llama` where the metadata name none."""
SPACE = "\u2581"
"""What stands for a space in tokens of `llama`."""
MAX_PARTS = 1 << 28
"""The characters of all parts of all tokens together: every way to part a token in two is looked up. Vocabularies of
256,000 tokens have 3e7."""
SPECIAL: Mapping[str, str] = {"bos": "bos", "eos": "eos", "unk": "unknown", "sep": "seperator", "pad": "padding"}
"""The special tokens that chat templates may name, as the metadata spell them."""


def read_tokenizer(metadata: Mapping[str, Field], rows: int, label: str) -> Tokenizer:
    """The tokeniser that the metadata of a file describe; `rows` is the number of tokens that its model knows."""
    return _Reader(metadata, rows, label).read()


class _Reader:
    """Makes the tables of one tokeniser."""

    def __init__(self, metadata: Mapping[str, Field], rows: int, label: str) -> None:
        self.metadata, self.label = metadata, label
        self.kind = self._get("model")
        if self.kind not in ("llama", "gpt2"):
            raise UnsupportedError(f"{label}: the tokeniser is {self.kind!r}; known are llama and gpt2")
        self.tokens = self._texts("tokens")
        if not 0 < len(self.tokens) <= rows:
            raise self._invalid(f"there are {len(self.tokens)} tokens for {rows} rows of the embedding")
        if sum(len(text) ** 2 for text in self.tokens) > MAX_PARTS:
            raise self._invalid("its tokens are texts of thousands of characters")
        types = self._get("token_type", [NORMAL] * len(self.tokens))
        if not isinstance(types, Sequence) or len(types) != len(self.tokens):
            raise self._invalid("the types of tokens are not as many as the tokens")
        self.types = list(types)
        self.numbers = {
            text: number for number, text in enumerate(self.tokens) if self.types[number] in (NORMAL, USER_DEFINED)
        }

    def read(self) -> Tokenizer:
        """Make all tables."""
        texts = [self._bytes(number) for number in range(len(self.tokens))]
        rules = self._rules()
        starts = np.cumsum([0, *map(len, texts)])
        if starts[-1] >= NO_TOKEN:
            raise self._invalid("the texts of its tokens are too long")
        ends = end_tokens(self.tokens, self._token)
        marks = {number for number, kind in enumerate(self.types) if kind in (UNKNOWN, CONTROL, USER_DEFINED)}
        special = list(marks.union(ends))
        special.sort(key=lambda number: (-len(texts[number]), number))
        by_text = sorted(self.numbers.values(), key=lambda number: texts[number]) if rules.whole_words else None
        if by_text is not None:
            unreachable = sorted(set(range(len(texts))) - set(by_text))
            by_text = sorted([*by_text, *unreachable], key=lambda number: (texts[number], number))
        tables = {
            "starts": starts,
            "merges": _sorted(self._pairs() if self.kind == "llama" else self._merges(), 4),
            "characters": _sorted(self._characters(), 2),
            "bytes": self._byte_tokens(),
            "special": special,
            "letters": of_category("L"),
            "numbers": of_category("N"),
            **rules.cut_tables(),
            "ends": ends,
            **({} if by_text is None else {"by_text": by_text}),
        }
        is_spm = self.kind == "llama"
        begin = self._token("bos") if self._get("add_bos_token", is_spm or rules.begins) is True else NO_TOKEN
        template, turns = self._template(begin)
        return Tokenizer(
            text=np.frombuffer(b"".join(texts), np.uint8),
            tables={name: np.asarray(table, np.uint32) for name, table in tables.items()},
            words=rules.words,
            digits=rules.digits,
            space_before=is_spm and self._get("add_space_prefix", True) is not False,
            begin=begin,
            template=template,
            turns=turns,
        )

    def _template(self, begin: int) -> tuple[ChatTemplate | None, Turns | str]:
        """The chat template, and what it writes around texts."""
        text = self.metadata.get("tokenizer.chat_template")
        if text is None:
            return None, Turns()
        if not isinstance(text, str):
            return None, f"{self.label}: its chat template is no text; convert the model again"
        tokens = {name: self._token(key) for name, key in SPECIAL.items()}
        texts = {f"{name}_token": self.tokens[token] for name, token in tokens.items() if token != NO_TOKEN}
        return read_template(text, texts, self.label, "" if begin == NO_TOKEN else self.tokens[begin])

    def _rules(self) -> Rules:
        if self.kind == "llama":
            return Rules("none", ANY_NUMBER)
        found = self._get("pre")
        if not isinstance(found, str) or found not in RULES:
            known = ", ".join(RULES)
            raise UnsupportedError(f"{self.label}: its tokeniser cuts words by the rules {found!r}; known are {known}")
        return RULES[found]

    def _bytes(self, number: int) -> bytes:
        """The text that a token stands for."""
        text, kind = self.tokens[number], self.types[number]
        if self.kind == "llama":
            byte = re.fullmatch(r"<0x([0-9A-Fa-f]{2})>", text) if kind == BYTE else None
            return bytes([int(byte[1], 16)]) if byte else text.replace(SPACE, " ").encode()
        if kind != NORMAL:
            return text.encode()
        letters = _byte_letters()
        return b"".join(letters[each] if each in letters else each.encode() for each in text)

    def _pairs(self) -> list[tuple[int, int, int, int]]:
        """All pairs of tokens that are a token together; in the order of its scores, the greatest first."""
        scores = self._get("scores")
        if not isinstance(scores, Sequence) or len(scores) != len(self.tokens):
            raise self._invalid("there is no score for each token")
        order = {score: rank for rank, score in enumerate(sorted({_real(each) for each in scores}, reverse=True))}
        ranks = [order[_real(each)] for each in scores]
        return [
            (self.numbers[text[:at]], self.numbers[text[at:]], number, ranks[number])
            for text, number in self.numbers.items()
            for at in range(1, len(text))
            if text[:at] in self.numbers and text[at:] in self.numbers
        ]

    def _merges(self) -> list[tuple[int, int, int, int]]:
        """The merges that the file lists, in order."""
        made: dict[tuple[int, int], tuple[int, int]] = {}
        for rank, merge in enumerate(self._texts("merges")):
            left, _, right = merge.partition(" ")
            if not {left, right, left + right} <= self.numbers.keys():
                raise self._invalid(f"the merge {merge!r} is of no tokens")
            made.setdefault((self.numbers[left], self.numbers[right]), (self.numbers[left + right], rank))
        return [(*pair, *found) for pair, found in made.items()]

    def _characters(self) -> list[tuple[int, int]]:
        if self.kind == "gpt2":
            return []
        plain = ((text.replace(SPACE, " "), number) for text, number in self.numbers.items())
        return list({ord(text): (ord(text), number) for text, number in plain if len(text) == 1}.values())

    def _byte_tokens(self) -> list[int]:
        """The token of each byte."""
        if self.kind == "gpt2":
            return [self.numbers.get(letter, NO_TOKEN) for letter in _letters_of_bytes()]
        found = {text: number for number, text in enumerate(self.tokens) if self.types[number] == BYTE}
        unknown = self._token("unknown")
        return [found.get(f"<0x{byte:02X}>", unknown) for byte in range(256)]

    def _token(self, name: str) -> int:
        number = self._get(f"{name}_token_id")
        if number is None:
            default = DEFAULTS.get(name, NO_TOKEN) if self.kind == "llama" else NO_TOKEN
            return default if default < len(self.tokens) else NO_TOKEN
        if not isinstance(number, int) or not 0 <= number < len(self.tokens):
            raise self._invalid(f"{name}_token_id is {number!r}")
        return number

    def _texts(self, name: str) -> list[str]:
        found = self._get(name)
        if not isinstance(found, Sequence) or isinstance(found, str):
            raise self._invalid(f"there are no {name}")
        return [each for each in found if isinstance(each, str)]

    def _get(self, name: str, default: Field | None = None) -> Field | None:
        return self.metadata.get(f"tokenizer.ggml.{name}", default)

    def _invalid(self, fact: str) -> InputError:
        return InputError(f"{self.label}: {fact}; convert the model again")


def _real(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _sorted(rows: Iterable[tuple[int, ...]], width: int) -> Array:
    return np.array(sorted(rows), np.int64).reshape(-1, width)


def _letters_of_bytes() -> list[str]:
    """The letter that stands for each byte in tokens of `gpt2`: itself if it is printed, else one from 256 on."""
    printed = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = iter(range(256, 512))
    return [chr(byte if byte in printed else next(others)) for byte in range(256)]


@cache
def _byte_letters() -> Mapping[str, bytes]:
    return {letter: bytes([byte]) for byte, letter in enumerate(_letters_of_bytes())}
