"""The tokens that end what a model writes, as llama.cpp finds them.

Besides those that the metadata name, all tokens count whose texts are known marks of an end: files name one of the two
or three that their models write.
"""

from collections.abc import Callable, Sequence

from s2s.types.language import NO_TOKEN

NAMED = ("eos", "eot", "eom", "fim_pad", "fim_rep", "fim_sep")
"""The ends that metadata name: of a text, a turn, a message, and the marks of a middle that is filled in."""
ENDS = frozenset(
    {
        "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>",
        "<|endoftext|>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>",
        "<turn|>", "<｜end▁of▁sentence｜>", "</s>",
    }
)  # fmt: skip
"""Texts of tokens that end a text, a turn or a message."""
FILLED = frozenset(
    {
        "<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>",
        "<reponame>", "<|file_sep|>",
    }
)  # fmt: skip
"""Texts of tokens behind a middle that was filled in."""
HARMONY = {"<|return|>", "<|call|>", "<|end|>"}
"""Where all three are tokens, the last one ends a part of an answer, and more parts follow."""


def end_tokens(tokens: Sequence[str], token_named: Callable[[str], int]) -> list[int]:
    """Return the tokens that end an answer of the model, sorted; `token_named` looks up a token by its metadata key."""
    texts = {text: number for number, text in enumerate(tokens) if text in ENDS | FILLED}
    ends = {number for text, number in texts.items() if not (text == "<|end|>" and texts.keys() >= HARMONY)}
    return sorted(ends | {number for number in map(token_named, NAMED) if number != NO_TOKEN})
