"""A graph JSON run by the loader of the C runtime, on the packed functions of a module and on registered ones."""

from typing import Any

import numpy as np

from s2s.errors import CompilerBug, InputError
from s2s.executor import graph_json_reader
from s2s.executor.element_types import numpy_of_name
from s2s.executor.graph_json import Call, Network, Value
from s2s.executor.ndarray import NDArray, aligned_empty
from s2s.executor.session import Executor, Port
from s2s.tvm.runtime.abi import abi
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.native import native
from s2s.tvm.runtime.packed_func import PackedFunc, raise_error
from s2s.tvm.runtime.registry import get_global_func
from s2s.tvm.runtime.tensors import memory_of
from s2s.types.weights import Array

MIN_MEMORY = 1 << 16
MAX_MEMORY = 1 << 44
"""Bytes that the loader is offered first and last."""


class Program(Executor):
    """A loaded JSON. It keeps its functions, and all memory that its tensors lie in."""

    def __init__(self, graph_json: str, module: Module) -> None:
        super().__init__(abi(), "graph JSON")
        self.network: Network = graph_json_reader.load(graph_json)
        self._native: Any = native()
        self._called: list[PackedFunc] = []
        self._registry: Any = self._registered(module)
        self._program: Any = self._ffi.new("s2s_program *")
        self._memory = self._load(graph_json.encode())
        self.inputs = tuple(_port(source.name, source.value) for source in self.network.sources())
        nodes, values = self.network.nodes, map(self.network.value, self.network.outputs)
        names = [nodes[entry.node].name for entry in self.network.outputs]
        self.outputs = tuple(map(_port, names, values))
        for index, port in enumerate(self.outputs):
            self._bound_outputs[index] = aligned_empty(port.shape, port.dtype)

    def run_node(self, number: int) -> None:
        """Run one node on what is in memory now."""
        self._check(self._finished(self._native.s2s_program_run_node(self._program, number)), self.name)

    def node_output(self, number: int, result: int) -> NDArray:
        """A copy of what a node has computed."""
        node = self.network.nodes[number]
        count = len(node.results) if isinstance(node, Call) else 1
        if not 0 <= result < count:
            raise InputError(f"node {node.name!r}: it has {count} outputs; there is no output {result}")
        tensor = self._program.tensors[self._program.nodes[number].first_entry + result]
        if not tensor.data:
            raise InputError(f"node {node.name!r}: it has no value yet; run the network first")
        return memory_of(tensor)[1].copy()

    def fixed_constant(self, name: str) -> Array | None:
        """All constants can be replaced."""
        return None

    def _linked_value(self, index: int) -> Array | None:
        return None

    def _bind_input(self, index: int, tensor: Any) -> int:
        return self._native.s2s_program_set_input_zero_copy(self._program, index, tensor)

    def _bind_output(self, index: int, tensor: Any) -> int:
        """Outputs are copied when the network has run, since one tensor may be several of them."""
        wanted = self._native.s2s_program_output(self._program, index)
        shape = [tensor.shape[i] for i in range(tensor.ndim)]
        same_type = bytes(self._ffi.buffer(self._ffi.addressof(tensor.dtype))) == bytes(
            self._ffi.buffer(self._ffi.addressof(wanted.dtype))
        )
        if not same_type:
            return self._native.S2S_ERR_DTYPE
        return 0 if shape == [wanted.shape[i] for i in range(wanted.ndim)] else self._native.S2S_ERR_SHAPE

    def _run(self) -> int:
        status = self._finished(self._native.s2s_program_run(self._program))
        for index, value in self._bound_outputs.items() if status == 0 else ():
            np.copyto(value, memory_of(self._native.s2s_program_output(self._program, index))[1])
        return status

    def _finished(self, status: int) -> int:
        """Raise the error of a function; other statuses are returned."""
        if status == self._native.S2S_ERR_STATE:
            raise_error(self.name)
        return status

    def _registered(self, module: Module) -> Any:
        """A registry with the functions that the network calls."""
        names = {node.function for node in self.network.nodes if isinstance(node, Call)}
        found = {name: module.find(name, True) or get_global_func(name, allow_missing=True) for name in sorted(names)}
        known = {name: function for name, function in found.items() if function is not None}
        self._called = list(known.values())
        self._names = [self._ffi.new("char[]", name.encode()) for name in known]
        self._rows: Any = self._ffi.new("s2s_named_function[]", max(len(self._called), 1))
        registry: Any = self._ffi.new("s2s_registry *")
        self._native.s2s_registry_init(registry, self._rows, len(self._called))
        for name, function in zip(self._names, self._called, strict=True):
            self._native.s2s_registry_add(registry, name, function.pointer[0], False)
        return registry

    def _load(self, text: bytes) -> Array:
        """Load the text into as much memory as it takes, and return that."""
        error = self._ffi.new("s2s_file_error *")
        size = MIN_MEMORY
        while size <= MAX_MEMORY:
            memory = aligned_empty((size,), np.dtype(np.uint8))
            status = self._native.s2s_program_load(
                self._program, text, len(text), self._registry, self._pointer(memory), size, error
            )
            if status == 0:
                return memory
            if status != self._native.S2S_ERR_ARENA_SIZE:
                what = bytes(self._ffi.string(error.what)).decode() if error.what else "it cannot be loaded"
                raise InputError(f"graph JSON: byte {error.at}: {what}; write it again")
            size *= 4
        raise CompilerBug("graph JSON: the loader wants more memory than there is")


def _port(name: str, value: Value) -> Port:
    return Port(name, numpy_of_name(value.dtype), value.shape, is_parameter=False)
