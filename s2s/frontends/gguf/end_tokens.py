"""The tokens that end what a model writes, as llama.cpp finds them.

Besides those that the metadata name, all tokens count whose texts are known marks of an end: files name one of the two
or three that their models write. Marks of a middle that is filled in count where the metadata name none of their kind.
"""

from collections.abc import Callable, Mapping, Sequence

from s2s.types.language import NO_TOKEN

NAMED = ("eos", "eot", "eom")
"""The ends that metadata name: of a text, a turn and a message."""
ENDS = frozenset(
    {
        "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>",
        "<|endoftext|>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>",
        "<eos>", "<turn|>", "<|tool_response>", "<｜end▁of▁sentence｜>", "[e~[", "</s>",
    }
)  # fmt: skip
"""Texts of tokens that end a text, a turn or a message."""
FILLED: Mapping[str, frozenset[str]] = {
    "fim_pad": frozenset({"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"}),
    "fim_rep": frozenset({"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"}),
    "fim_sep": frozenset({"<|file_sep|>"}),
}
"""Texts of tokens behind a middle that was filled in, by their names in the metadata."""
GO_ON: Mapping[str, Sequence[frozenset[str]]] = {
    "<|end|>": (frozenset({"<|return|>", "<|call|>"}), frozenset({"<|return|>", "<|calls|>"}),
                frozenset({"<|flush|>", "<|call|>"}), frozenset({"<|flush|>", "<|calls|>"})),
    "</s>": (frozenset({"<|tool_response>"}),),
}  # fmt: skip
"""Texts that are no end where all tokens of one of the sets are ends: more parts of an answer follow, or the text has
another use."""


def end_tokens(tokens: Sequence[str], token_named: Callable[[str], int]) -> list[int]:
    """Return the tokens that end an answer of the model, sorted; `token_named` looks up a token by its metadata key."""
    named = {key: token_named(key) for key in (*NAMED, *FILLED)}
    texts = ENDS.union(*(marks for key, marks in FILLED.items() if named[key] == NO_TOKEN))
    ends = {number for number in named.values() if number != NO_TOKEN}
    ends |= {number for number, text in enumerate(tokens) if text in texts}
    written = {tokens[number] for number in ends}
    going_on = {text for text, others in GO_ON.items() if any(other <= written for other in others)}
    return sorted(number for number in ends if tokens[number] not in going_on)
