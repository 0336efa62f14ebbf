"""Read language models of GGUF files.

The decoder that a file describes is written as an ONNX model that takes one token a run, and imported as such.
"""

import importlib
from typing import TYPE_CHECKING

from s2s.frontends.gguf.loaded import Decoder
from s2s.frontends.gguf.reader import read_gguf
from s2s.frontends.gguf.source import with_decoder

if TYPE_CHECKING:
    from s2s.frontends.gguf.decoder import read_decoder

__all__ = ["Decoder", "read_decoder", "read_gguf", "with_decoder"]

if not TYPE_CHECKING:  # a checker would take every submodule for an object

    def __getattr__(name: str) -> object:
        if name != "read_decoder":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return importlib.import_module(f"{__name__}.decoder").read_decoder
