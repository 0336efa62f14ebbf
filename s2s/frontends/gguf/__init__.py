"""Read language models of GGUF files.

The decoder that a file describes is written as an ONNX model that takes one token a run, and imported as such.
"""

from s2s.frontends.gguf.decoder import Decoder, read_decoder, with_decoder
from s2s.frontends.gguf.reader import read_gguf

__all__ = ["Decoder", "read_decoder", "read_gguf", "with_decoder"]
