"""Quantised operators and passes on them under TVM's names."""

from s2s.tvm.relay.qnn import op, transform

__all__ = ["op", "transform"]
