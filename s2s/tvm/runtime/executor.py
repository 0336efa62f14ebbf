"""The AOT executor where TVM's documentation has it."""

from s2s.tvm.contrib.aot_executor import AotModule

__all__ = ["AotModule"]
