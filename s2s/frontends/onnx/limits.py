"""Versions of ONNX that s2s reads."""

MIN_OPSET = 6
"""The first opset of which all operators are read; of earlier ones those are that have not changed until then."""
MAX_OPSET = 28
