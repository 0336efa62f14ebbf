"""GGUF files as sources of a compilation. What reads them is loaded with the first one, not with other models."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from s2s.errors import InputError
from s2s.frontends.gguf.loaded import Decoder
from s2s.frontends.gguf.reader import is_gguf
from s2s.options import CompileOptions

SourceT = TypeVar("SourceT")


def with_decoder(source: SourceT, options: CompileOptions) -> tuple[SourceT | Decoder, CompileOptions]:
    """Return the decoder of a GGUF file, and options that make its cache state; anything else as it is. The dimension
    `positions` of the options is the size of the cache, `tokens` the number of tokens of a run."""
    if not is_gguf(source):
        if options.cache != "float32" and not _is_missing(source):
            fact = "the model is no GGUF file, and its own inputs tell the types of its states"
            raise InputError(f"--cache {options.cache}: {fact}; leave it out")
        return source, options
    dims = dict(options.dims)
    positions, tokens = dims.pop("positions", None), dims.pop("tokens", 1)
    if positions is not None and not isinstance(positions, int):
        raise InputError(f"--dim positions: a cache has one size, not {positions}; give a number")
    if not isinstance(tokens, int):
        raise InputError(f"--dim tokens: a run takes one number of tokens, not {tokens}; give a number")
    from s2s.frontends.gguf.decoder import read_decoder

    decoder = read_decoder(str(source), positions, tokens, options.cache)
    return decoder, replace(options, dims=dims, states={**decoder.states, **options.states})


def _is_missing(source: object) -> bool:
    """Return whether `source` names a file that does not exist, which is what reading it says."""
    return isinstance(source, str | os.PathLike) and not Path(os.fspath(source)).exists()
