"""Write decoders of language models as ONNX models that take one token a run, with a cache of keys and values."""

from s2s.frontends.decoder.config import SIZES, Config
from s2s.frontends.decoder.model import Blocks, Superblocks, states, write_model

__all__ = ["SIZES", "Blocks", "Config", "Superblocks", "states", "write_model"]
