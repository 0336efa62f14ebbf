"""GGUF files as sources of a compilation. What reads them is loaded with the first one, not with other models."""

from dataclasses import replace
from typing import TypeVar

from s2s.errors import InputError
from s2s.frontends.gguf.files import is_gguf
from s2s.frontends.gguf.loaded import Decoder
from s2s.options import CompileOptions

SourceT = TypeVar("SourceT")


def with_decoder(source: SourceT, options: CompileOptions) -> tuple[SourceT | Decoder, CompileOptions]:
    """Return the decoder of a GGUF file, and options that make its cache state; anything else as it is. The dimension
    `positions` of the options is the size of the cache, `tokens` the number of tokens of a run."""
    if not is_gguf(source):
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
