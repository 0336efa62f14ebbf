"""Executors that can be looked into, under TVM's names."""

from s2s.tvm.contrib.debugger import debug_executor

__all__ = ["debug_executor"]
