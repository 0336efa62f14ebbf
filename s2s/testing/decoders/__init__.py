"""Decoders as language models have them, as ONNX models with made-up weights: one token a run, a cache as state.

    config = decoders.SIZES["1M"]
    artifact = s2s.compile(decoders.make_model(config), states=decoders.states(config))
    logits = artifact.run({"token": np.array([3]), "position": np.array([0])})["logits"]

A `llama` has RMSNorm, rotary positions, grouped-query attention and SwiGLU; a `gpt` LayerNorm, learned positions, one
head of keys and values for each of queries, and GELU. Both use the embedding as the last layer too. With `bits` 4 or 8
the linear layers are MatMulNBits, quantised by blocks.
"""

from s2s.frontends.decoder import SIZES, Config, states
from s2s.testing.decoders.gguf import write_gguf
from s2s.testing.decoders.model import make_model
from s2s.testing.decoders.weights import dequantized, make_weights

__all__ = ["SIZES", "Config", "dequantized", "make_model", "make_weights", "states", "write_gguf"]
