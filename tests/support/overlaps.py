"""At which distances a kernel may write over its input, found by running it and noting every access."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from s2s.interpret.loop import run_loop_function
from s2s.interpret.loop.scope import memref
from s2s.types.dtypes import Array, to_numpy


@dataclass
class Record:
    """When each byte of the input was read last, and each byte of the output was written first."""

    time: int = 0
    last_read: dict[int, int] = field(default_factory=dict[int, int])
    first_write: dict[int, int] = field(default_factory=dict[int, int])

    def allows(self, distance: int) -> bool:
        """Whether an output `distance` bytes behind the input overwrites nothing that is read later."""
        return not any(self.last_read.get(byte + distance, -1) > written for byte, written in self.first_write.items())


class Watched(np.ndarray):
    """A buffer that tells its record what is done to it."""

    record: Record

    def __array_finalize__(self, obj: Any) -> None:
        if isinstance(obj, Watched):
            self.record = obj.record

    def _bytes(self, key: Any) -> list[int]:
        size = self.dtype.itemsize
        elements = np.arange(len(self))[key]
        return [int(element) * size + byte for element in np.atleast_1d(elements) for byte in range(size)]

    def __getitem__(self, key: Any) -> Any:
        self.record.time += 1
        self.record.last_read.update(dict.fromkeys(self._bytes(key), self.record.time))
        return np.asarray(self)[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.record.time += 1
        for byte in self._bytes(key):
            self.record.first_write.setdefault(byte, self.record.time)
        np.asarray(self)[key] = value


def watch(kernel: FuncOp, written: SSAValue, read: SSAValue) -> Record:
    """Run `kernel` on zeros and record how it treats two of its arguments."""
    record = Record()
    buffers: list[Array] = []
    for argument in kernel.body.block.args:
        type = memref(argument)
        array = np.zeros(type.get_shape(), to_numpy(type.element_type))
        if argument is written or argument is read:
            array = array.view(Watched)
            array.record = record
        buffers.append(array)
    run_loop_function(kernel, buffers)
    return record
