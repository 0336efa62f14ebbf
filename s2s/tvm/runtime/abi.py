"""The types of packed functions for cffi: one instance for the whole process, since cffi's types do not mix."""

from functools import cache
from typing import Any

from s2s.executor.declarations import declarations_of

HEADERS = ("s2s.h", "s2s_tensor.h", "s2s_packed.h", "s2s_graph.h", "s2s_kernels.h", "s2s_library.h", "s2s_program.h")

INT, UINT, FLOAT, HANDLE, NULL, DTYPE, DEVICE, TENSOR = 0, 1, 2, 3, 4, 5, 6, 7
FUNCTION, TEXT, BYTES, MANAGED = 10, 11, 12, 13
"""Type codes of values, as s2s_packed.h lists them."""


@cache
def abi() -> Any:
    """The cffi instance that knows values, functions and registries."""
    from cffi import FFI

    ffi: Any = FFI()
    ffi.cdef(declarations_of(HEADERS))
    return ffi


@cache
def c_type(name: str) -> Any:
    """A type of C, parsed once."""
    return abi().typeof(name)
