"""Sources of a compilation as networks that carry their caches as state: every compilation begins here."""

from typing import TypeVar

from s2s.frontends.gguf import Decoder, with_decoder
from s2s.frontends.onnx import LoadedModel
from s2s.options import CompileOptions

SourceT = TypeVar("SourceT")


def with_caches(source: SourceT, options: CompileOptions) -> tuple[SourceT | Decoder | LoadedModel, CompileOptions]:
    """Return the decoder of a GGUF file, or an ONNX model whose growing caches have one size, and the options for it;
    anything else as it is."""
    decoder, options = with_decoder(source, options)
    if not options.states:
        return decoder, options
    from s2s.frontends.bounded_caches import with_bounded_caches

    return with_bounded_caches(decoder, options)
