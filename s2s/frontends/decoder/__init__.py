"""Write decoders of language models as ONNX models that take one token a run, with a cache of keys and values."""

from s2s.frontends.decoder.config import SIZES, Config, Windows
from s2s.frontends.decoder.model import states, write_model
from s2s.frontends.decoder.weights import Blocks, Linear, Superblocks

__all__ = ["SIZES", "Blocks", "Config", "Linear", "Superblocks", "Windows", "states", "write_model"]
