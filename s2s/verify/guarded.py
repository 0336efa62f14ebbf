"""Aligned memory with a guard behind it, so that a kernel that writes too far is caught."""

from copy import copy

import numpy as np

GUARD = 64
"""Bytes behind the memory that no kernel may touch."""
_UNTOUCHED = 0xA5


class Guarded:
    """Aligned bytes with a guard behind them."""

    def __init__(self, size: int, align: int) -> None:
        whole = np.full(size + align + GUARD, _UNTOUCHED, np.uint8)
        start = -whole.ctypes.data % align
        self.memory = whole[start : start + size]
        self._guard = whole[start + size : start + size + GUARD]

    def part(self, offset: int, size: int) -> "Guarded":
        """Return some of the bytes, with the same guard."""
        part = copy(self)
        part.memory = self.memory[offset : offset + size]
        return part

    def is_intact(self) -> bool:
        """Whether the guard is unchanged."""
        return bool((self._guard == _UNTOUCHED).all())
