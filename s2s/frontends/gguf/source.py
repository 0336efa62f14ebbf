"""GGUF files as sources of a compilation. What reads them is loaded with the first one, not with other models."""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TypeGuard, TypeVar

from s2s.errors import InputError
from s2s.frontends.gguf.loaded import Decoder
from s2s.frontends.recognition import format_of
from s2s.options import Cache, CompileOptions
from s2s.types.sizes import DimSize

SourceT = TypeVar("SourceT")


def is_gguf(source: object) -> TypeGuard[str | os.PathLike[str] | bytes]:
    """Return whether `source` is a GGUF file, or its bytes."""
    return format_of(source) == "GGUF"


def with_decoder(source: SourceT, options: CompileOptions) -> tuple[SourceT | Decoder, CompileOptions]:
    """Return the decoder of a GGUF file, and options that make its cache state; anything else as it is. The dimension
    `positions` of the options is the size of the cache, `tokens` the number of tokens of a run."""
    if not is_gguf(source):
        return source, options
    decoder, dims = decoder_of(source, options.dims, options.cache, untrusted=options.untrusted)
    return decoder, replace(options, dims=dims, states={**decoder.states, **options.states})


def decoder_of(
    source: str | os.PathLike[str] | bytes,
    dims: Mapping[str, DimSize],
    cache: Cache = "float32",
    *,
    untrusted: bool = False,
) -> tuple[Decoder, dict[str, DimSize]]:
    """Return the decoder of a GGUF file, and what is left of `dims` without its sizes, `positions` and `tokens`. An
    `untrusted` file is read in a child process first."""
    left = dict(dims)
    positions, tokens = left.pop("positions", None), left.pop("tokens", 1)
    if positions is not None and not isinstance(positions, int):
        raise InputError(f"--dim positions: a cache has one size, not {positions}; give a number")
    if not isinstance(tokens, int):
        raise InputError(f"--dim tokens: a run takes one number of tokens, not {tokens}; give a number")
    from s2s.frontends.gguf.decoder import read_decoder

    read = partial(read_decoder, source, positions, tokens, cache)
    if untrusted:
        from s2s.frontends.gate import try_reading

        try_reading(read, "model" if isinstance(source, bytes) else str(source))
    return read(), left
