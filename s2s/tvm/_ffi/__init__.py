"""What older programs import of TVM's calls of C."""

from s2s.tvm._ffi import base, runtime_ctypes

__all__ = ["base", "runtime_ctypes"]
