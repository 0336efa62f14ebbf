"""Networks to try things out with: `decoders` are ONNX models of language models with made-up weights."""

from s2s.testing import decoders

__all__ = ["decoders"]
