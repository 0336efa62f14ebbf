"""Lists and mappings that `runtime.convert` makes, under TVM's names."""

from s2s.tvm.runtime.container import Array, Map

__all__ = ["Array", "Map"]
