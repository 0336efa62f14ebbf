"""Errors and texts of TVM's calls of C."""

from s2s.tvm.error import TVMError


def py_str(x: bytes) -> str:
    """The text of bytes in UTF-8."""
    return x.decode("utf-8")


__all__ = ["TVMError", "py_str"]
