"""Errors and texts of TVM's calls of C, and the C side itself."""

import ctypes

from s2s.tvm.error import TVMError
from s2s.tvm.runtime.native import native


def py_str(x: bytes) -> str:
    """The text of bytes in UTF-8."""
    return x.decode("utf-8")


def __getattr__(name: str) -> object:
    """`_LIB`: what the process has of C, once the C side of packed functions is loaded. TVM loads it on import; here a
    plugin that `ctypes` loads asks for it first."""
    if name != "_LIB":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    native()
    return ctypes.CDLL(None)


__all__ = ["TVMError", "py_str"]
