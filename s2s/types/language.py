"""What is known of a language model beside its network: its tokeniser, and the positions of its cache."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from s2s.support.frozen import frozen
from s2s.types.dtypes import Array

Words = Literal["none", "gpt2", "llama3", "tekken"]
NO_TOKEN = 0xFFFFFFFF
TABLES = (
    *("starts", "merges", "characters", "bytes", "special", "letters", "numbers", "capitals", "small", "cuts", "sets"),
    *("ends", "by_text"),
)
"""The tables of 32-bit integers, as the C structure calls them."""


class ChatTemplate(NamedTuple):
    """The Jinja template by which a model was taught to take conversations."""

    text: str
    tokens: Mapping[str, str] = {}
    """The special tokens that it may name, such as `bos_token`."""
    in_parts: bool = False
    """Whether it takes the content of a message as a list of parts, not as a text."""


class Turns(NamedTuple):
    """What stands around the texts of a conversation: the chat template of the model, for turns of user and model."""

    opening: str = ""
    """The text before the first one of the user."""
    closing: str = ""
    """The text between one of the user and the answer."""
    between: str | None = ""
    """The text between an answer and the next one of the user; None if a template rewrites earlier turns, so that a
    conversation is not its texts with others between them."""
    system: tuple[str, str] | None = None
    """The texts before a system prompt, and between it and the first one of the user; None if there is no such turn."""


@frozen
class Tokenizer:
    """A byte-pair encoding: the tables of `runtime_c/include/s2s_tokenizer.h`."""

    text: Array
    """The bytes of all tokens, one after the other."""
    tables: Mapping[str, Array]
    """The tables by name; `by_text` is absent where merges alone count, `cuts` where words are cut out of whole texts,
    `capitals` and `small` where case does not count."""
    words: Words
    digits: int
    """The most digits in one word."""
    space_before: bool
    """Whether a text gets a space before it."""
    begin: int
    """The token before a text; `NO_TOKEN` if there is none."""
    template: ChatTemplate | None = None
    turns: Turns | str = Turns()
    """What the template writes around texts, or why it cannot be said."""

    @property
    def size(self) -> int:
        """The number of tokens."""
        return len(self.tables["starts"]) - 1


@frozen
class Language:
    """A network that takes `token` and `position`, keeps a cache as state, and gives `logits`."""

    positions: int
    """The number of positions of the cache."""
    context: int
    """The number of positions of a text; if there are more, they overwrite the oldest of the cache."""
    tokenizer: Tokenizer | str
    """The tokeniser, or why there is none."""
    tokens: int = 1
    """The tokens of a run."""
