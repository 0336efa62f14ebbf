"""The tokens that end what a model writes."""

import pytest

from s2s.frontends.gguf.end_tokens import end_tokens
from s2s.types.language import NO_TOKEN

VOCABULARIES: dict[str, tuple[list[str], dict[str, int], list[int]]] = {
    "qwen": (["a", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|file_sep|>"], {"eos": 3}, [1, 3, 4]),
    "llama": (["a", "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>", "<|start_header_id|>"], {"eos": 1}, [1, 2, 3]),
    "gemma": (["a", "<eos>", "<start_of_turn>", "<end_of_turn>"], {"eos": 1}, [1, 3]),
    "named": (["a", "b", "c", "d"], {"eos": 3, "eot": 1, "eom": 2, "fim_pad": 1}, [1, 2, 3]),
    "harmony": (["<|end|>", "<|return|>", "<|call|>"], {}, [1, 2]),
    "named harmony": (["<|end|>", "<|return|>", "<|call|>"], {"eot": 0, "eos": 1}, [1, 2]),
    "calls": (["<|end|>", "<|flush|>", "<|calls|>", "a"], {"eot": 0}, [1, 2]),
    "tools": (["</s>", "<eos>", "<turn|>", "<|tool_response>"], {"eos": 1}, [1, 2, 3]),
    "filled": (["[PAD]", "<PAD>", "<REPO>", "a"], {}, [0, 1, 2]),
    "named filled": (["[PAD]", "<PAD>", "<REPO>", "a"], {"fim_pad": 3}, [2, 3]),
    "tilde": (["a", "[e~["], {}, [1]),
    "phi": (["<|end|>", "<|endoftext|>", "<|user|>"], {}, [0, 1]),
    "none": (["a", "b"], {}, []),
}


@pytest.mark.parametrize("name", VOCABULARIES)
def test_ends_are_those_that_are_named_and_those_of_known_texts(name: str):
    tokens, named, ends = VOCABULARIES[name]
    assert end_tokens(tokens, lambda key: named.get(key, NO_TOKEN)) == ends
