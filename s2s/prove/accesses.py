"""The bytes of the arena that each kernel reads and writes, for the certificate."""

from __future__ import annotations

import numpy as np

from s2s.prove.buffers import Buffer


class Accesses:
    """The accesses of kernels to a buffer: bytes that others left there and they read, and bytes that they write."""

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self.writer = np.zeros(buffer.size, np.int64)
        """The kernel, from 1 on, that wrote a byte last; 0 for none."""
        self.read = np.zeros(buffer.size, bool)
        self.written = np.zeros(buffer.size, bool)
        self.kernels: list[dict[str, list[list[int]]]] = []

    def note(self, buffer: Buffer, cells: np.ndarray, size: int, *, writes: bool) -> None:
        """A load, or a store, of numbers of `size` bytes at cells."""
        if buffer is not self.buffer:
            return
        for byte in range(size):
            at = cells + byte
            if writes:
                self.written[at] = True
            else:
                self.read[at] |= ~self.written[at]

    def finish(self) -> None:
        """A kernel has returned."""
        reads = [[*span, int(self.writer[span[0]])] for span in _spans(self.read, self.writer)]
        self.kernels.append({"reads": reads, "writes": _spans(self.written, self.written)})
        self.writer[self.written] = len(self.kernels)
        self.read[:] = False
        self.written[:] = False


def _spans(marked: np.ndarray, values: np.ndarray) -> list[list[int]]:
    """Begin and end of the runs of marked bytes with one value."""
    keys = np.where(marked, values.astype(np.int64), -1)
    cuts = np.flatnonzero(np.diff(keys)) + 1
    begins, ends = [0, *cuts.tolist()], [*cuts.tolist(), len(keys)]
    return [[begin, end] for begin, end in zip(begins, ends, strict=True) if end > begin and keys[begin] >= 0]
