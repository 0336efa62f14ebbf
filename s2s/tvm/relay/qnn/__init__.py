"""Quantised operators under TVM's names."""

from s2s.tvm.relay.qnn import op

__all__ = ["op"]
