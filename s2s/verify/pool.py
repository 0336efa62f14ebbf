"""The thread pool of a network loaded in this process, started and stopped as a caller does."""

import weakref
from typing import Any

import numpy as np

from s2s.errors import CompilerBug

_ALIGN = 64
DECLARATIONS = "size_t s2s_pool_size(void); int s2s_pool_start(void *, int); int s2s_pool_stop(void *);"
"""The declarations of `s2s_pool.h` for cffi."""


class Pool:
    """A pool that runs until it is stopped."""

    def __init__(self, ffi: Any, lib: Any, threads: int) -> None:
        whole = np.zeros(int(lib.s2s_pool_size()) + _ALIGN, np.uint8)
        self.pointer: Any = ffi.cast("void *", whole.ctypes.data + -whole.ctypes.data % _ALIGN)
        status = lib.s2s_pool_start(self.pointer, threads)
        if status != 0:
            raise CompilerBug(f"s2s_pool_start with {threads} threads: status {status}")

        self.stop = weakref.finalize(self, _stop, lib, self.pointer, whole)
        """Stops the threads, at the latest when the pool is garbage-collected; their code stays loaded until then."""


def _stop(lib: Any, pointer: Any, memory: object) -> None:
    """Stop the pool at `pointer`; `memory` keeps its storage alive until then."""
    lib.s2s_pool_stop(pointer)
