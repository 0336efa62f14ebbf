"""The C compiler under TVM's names."""

from s2s.tvm.runtime.library import create_shared

__all__ = ["create_shared"]
