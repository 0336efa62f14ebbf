"""The rules by which `gpt2` tokenisers cut text into words, by the names that the metadata of files have for them."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from s2s.frontends.gguf.characters import (
    DEEPSEEK_EAST_ASIA,
    DEEPSEEK_LETTERS,
    DEEPSEEK_PUNCTUATION,
    LINE_ENDS,
    SPACES,
    of_category,
)
from s2s.types.dtypes import Array
from s2s.types.language import Words

ANY_NUMBER = 0xFFFFFFFF
How = Literal["runs", "spaced_runs", "last_run"]
HOW: tuple[How, ...] = ("runs", "spaced_runs", "last_run")
"""The ways of cutting in the order of `s2s_cut` in C."""


class Cut(NamedTuple):
    """How pieces of a text are cut into smaller ones: runs of characters of a set, and what is between them."""

    characters: tuple[tuple[int, int], ...] | str
    """The first and last characters of the set's ranges, or the general category of its characters."""
    how: How = "runs"
    """`spaced_runs` take a space before them; of `last_run` there is one, at the end of a piece."""
    most: int = ANY_NUMBER
    """The most characters of a run."""

    def ranges(self) -> Array:
        """The ranges of the set, `[ranges, 2]`."""
        chosen = self.characters
        return of_category(chosen) if isinstance(chosen, str) else np.array(chosen)


class Rules(NamedTuple):
    """How text is cut into words."""

    words: Words
    digits: int
    """The most digits in one word."""
    whole_words: bool = False
    """Whether a word that is a token is not taken apart."""
    begins: bool = False
    """Whether a text begins with the token for that where the metadata do not say."""
    cuts: tuple[Cut, ...] = ()
    """How a text is cut before its pieces are cut into words, each cut after the one before it."""

    def cut_tables(self) -> dict[str, Array]:
        """Return the tables of `s2s_tokenizer` for the cuts and for words with capitals."""
        sets, tables = [cut.ranges() for cut in self.cuts], dict[str, Array]()
        if self.cuts:
            places = np.cumsum([0, *map(len, sets)])
            rows = [
                (HOW.index(cut.how), place, len(ranges), cut.most)
                for cut, place, ranges in zip(self.cuts, places, sets, strict=False)
            ]
            tables = {"cuts": np.array(rows, np.int64), "sets": np.concatenate(sets)}
        if self.words == "tekken":
            tables["capitals"] = of_category("Lu", "Lt", "Lm", "Lo", "M")
            tables["small"] = of_category("Ll", "Lm", "Lo", "M")
        return tables


GPT2 = Rules("gpt2", ANY_NUMBER)
LLAMA3 = Rules("llama3", 3, whole_words=True, begins=True)
GROUPS_OF_THREE = Rules("llama3", 3)
SINGLE_DIGITS = Rules("llama3", 1)
DIGITS_FIRST = Rules("gpt2", 1, cuts=(Cut("N", most=1),))
TEKKEN = Rules("tekken", 1, whole_words=True, begins=True)
DEEPSEEK_LLM = (
    Cut(LINE_ENDS, most=1),
    Cut(DEEPSEEK_LETTERS, "spaced_runs"),
    Cut(DEEPSEEK_PUNCTUATION, "spaced_runs"),
    Cut(SPACES, "last_run"),
    Cut(DEEPSEEK_EAST_ASIA),
    Cut("N"),
)
DEEPSEEK_CODER = (
    Cut(LINE_ENDS, most=1),
    Cut("L", "spaced_runs"),
    Cut("P", "spaced_runs"),
    Cut(DEEPSEEK_EAST_ASIA),
    Cut("N", most=1),
)
RULES: Mapping[str, Rules] = {
    **dict.fromkeys(
        (
            "gpt-2", "phi-2", "mpt", "olmo", "jais", "trillion", "mellum", "gigachat", "a.x-4.0", "exaone4",
            "granite-docling",
        ), GPT2
    ),
    **dict.fromkeys(("llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"), LLAMA3),
    **dict.fromkeys(("dbrx", "smaug-bpe", "glm4", "chatglm-bpe"), GROUPS_OF_THREE),
    **dict.fromkeys(
        (
            "qwen2", "deepseek-r1-qwen", "megrez", "stablelm2", "hunyuan", "grok-2", "kormo", "solar-open",
        ), SINGLE_DIGITS
    ),
    **dict.fromkeys(
        (
            "smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b", "mellum2",
        ), DIGITS_FIRST
    ),
    "tekken": TEKKEN,
    "deepseek-llm": Rules("none", ANY_NUMBER, cuts=DEEPSEEK_LLM),
    "deepseek-coder": Rules("none", ANY_NUMBER, cuts=DEEPSEEK_CODER),
}  # fmt: skip
"""The rules by name."""
