"""The rules by which `gpt2` tokenisers cut text into words, by the names that the metadata of files have for them."""

from collections.abc import Mapping
from typing import NamedTuple

from s2s.types.language import Words

ANY_NUMBER = 0xFFFFFFFF


class Rules(NamedTuple):
    """How text is cut into words."""

    words: Words
    digits: int
    """The most digits in one word."""
    whole_words: bool = False
    """Whether a word that is a token is not taken apart."""
    begins: bool = False
    """Whether a text begins with the token for that where the metadata do not say."""
    numbers_first: bool = False
    """Whether numbers are cut out of a text before it is cut into words, so that no space stays before them."""


GPT2 = Rules("gpt2", ANY_NUMBER)
LLAMA3 = Rules("llama3", 3, whole_words=True, begins=True)
GROUPS_OF_THREE = Rules("llama3", 3)
SINGLE_DIGITS = Rules("llama3", 1)
DIGITS_FIRST = Rules("gpt2", 1, numbers_first=True)
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
}  # fmt: skip
"""The rules by name."""
