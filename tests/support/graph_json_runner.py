"""Executes a graph JSON in Python: one array of bytes for each storage number, kernels called by name through cffi."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from cffi import FFI

from s2s.executor import graph_json_reader
from s2s.executor.element_types import numpy_of_name
from s2s.executor.graph_json import CONCAT, COPY, NO_OPERATION, SCRATCH, SPLIT, Call, Entry, Network, Source, Value
from s2s.executor.ndarray import aligned_empty
from s2s.types.weights import Array

POISON = 0xA5


class GraphJsonRunner:
    """A network that a JSON describes, on the kernels of a shared library."""

    def __init__(self, text: str, library: str, params: Mapping[str, Array]) -> None:
        self.network: Network = graph_json_reader.load(text)
        self.ffi: Any = FFI()
        self.kernels: Any = self._load(library)
        sizes: dict[int, int] = {}
        for value in self.network.values():
            sizes[value.storage_id] = max(sizes.get(value.storage_id, 0), size_of(value))
        self.storage = {number: aligned_empty((max(size, 1),), np.dtype(np.uint8)) for number, size in sizes.items()}
        for memory in self.storage.values():
            memory[...] = POISON
        for name, array in params.items():
            self.set_input(name, array)

    def _load(self, library: str) -> Any:
        names = {call.function: call for call in self.network.nodes if isinstance(call, Call)}
        for name, call in names.items():
            if re.fullmatch(r"\w+", name) and name not in (NO_OPERATION, COPY):
                pointers = ", ".join(["void *"] * (len(call.operands) + len(call.results)))
                self.ffi.cdef(f"void {name}({pointers});")
        return self.ffi.dlopen(library)

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs for inputs in the order of the model."""
        for source, array in zip(self.network.sources(), inputs, strict=False):
            self.set_input(source.name, array)
        for node in self.network.nodes:
            if isinstance(node, Call):
                self._call(node)
        return [self.array(self.network.value(entry)).copy() for entry in self.network.outputs]

    def set_input(self, name: str, array: Array) -> None:
        """Copy a value to where the source of that name is stored."""
        source = next(node for node in self.network.nodes if isinstance(node, Source) and node.name == name)
        assert (array.dtype.name, array.shape) == (source.value.dtype, source.value.shape)
        self.array(source.value)[...] = array

    def array(self, value: Value) -> Array:
        """An entry in its storage."""
        return self.bytes(value).view(numpy_of_name(value.dtype)).reshape(value.shape)

    def bytes(self, value: Value) -> Array:
        """The bytes of an entry."""
        return self.storage[value.storage_id][: size_of(value)]

    def _call(self, call: Call) -> None:
        operands = [self.network.value(entry) for entry in call.operands]
        if call.function == NO_OPERATION:
            assert (operands[0].storage_id, size_of(operands[0])) == (
                call.results[0].storage_id,
                size_of(call.results[0]),
            )
        elif call.function in (CONCAT, SPLIT, COPY):
            self._move(operands, call.results)
        else:
            made = len(call.results) - int(call.attributes.get(SCRATCH, "0"))
            order = [*call.results[:made], *operands, *call.results[made:]]
            pointers = [self.ffi.cast("void *", self.bytes(value).ctypes.data) for value in order]
            getattr(self.kernels, call.function)(*pointers)

    def _move(self, operands: Sequence[Value], results: Sequence[Value]) -> None:
        moved = np.concatenate([self.bytes(value) for value in operands])
        assert moved.size == sum(map(size_of, results))
        start = 0
        for value in results:
            self.bytes(value)[...] = moved[start : start + size_of(value)]
            start += size_of(value)

    def entry(self, entry: Entry) -> Array:
        """What an entry holds now."""
        return self.array(self.network.value(entry))


def size_of(value: Value) -> int:
    """Bytes of an entry."""
    return math.prod(value.shape) * numpy_of_name(value.dtype).itemsize
