"""Versions of ONNX that s2s reads."""

MIN_OPSET = 6
MAX_OPSET = 28
