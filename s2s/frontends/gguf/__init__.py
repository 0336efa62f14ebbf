"""Read language models of GGUF files.

The decoder that a file describes is written as an ONNX model that takes one token a run, and imported as such.
"""

from s2s.frontends.gguf.loaded import Decoder
from s2s.frontends.gguf.source import decoder_of, is_gguf, with_decoder

__all__ = ["Decoder", "decoder_of", "is_gguf", "with_decoder"]
