"""A network for executor `graph` as a module that makes executors, as TVM's `GraphExecutorFactoryModule`.

module = load_module("net.so")
executor = GraphModule(module["default"](cpu()))
"""

import json
from pathlib import Path
from typing import Any

from s2s.errors import InputError
from s2s.executor.declarations import executor_declarations
from s2s.executor.device import check_device
from s2s.executor.ndarray import NDArray
from s2s.tvm.contrib.executor_module import ExecutorModule
from s2s.tvm.runtime.library import LibraryModule
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.program import Program
from s2s.tvm.runtime.registry import register_func


class _Tables:
    """The tables of a loaded library, as a session wants them."""

    def __init__(self, path: Path, name: str) -> None:
        from cffi import FFI

        self.name = name
        self.ffi: Any = FFI()
        self.ffi.cdef(executor_declarations(name))
        self.lib: Any = self.ffi.dlopen(str(path))


class GraphExecutorFactory(Module):
    """Makes executors of the network in the library that it imports."""

    type_key = "GraphExecutorFactory"

    def __init__(self, graph_json: str, name: str, mod_name: str) -> None:
        self._graph_json, self._name, self._mod_name = graph_json, name, mod_name
        super().__init__(
            {
                mod_name: self._create,
                "debug_create": self._debug_create,
                "get_graph_json": self.get_graph_json,
                "get_graph_params": self.get_params,
            }
        )

    def _create(self, device: object = None) -> ExecutorModule:
        check_device(device)
        library = next((each for each in self.imported_modules if isinstance(each, LibraryModule)), None)
        if library is None:
            raise InputError(f"{self._mod_name}: its kernels are missing; import their library")
        return ExecutorModule(_Tables(library.path, self._name))

    def _debug_create(self, mod_name: str, device: object = None) -> Program:
        """The network node by node, for `GraphModuleDebug`."""
        check_device(device)
        if mod_name != self._mod_name:
            raise InputError(f"debug_create({mod_name!r}): the library holds {self._mod_name!r}; ask for that")
        program = Program(self._graph_json, self)
        names = [port.name for port in program.inputs]
        for name, value in self.get_params().items():
            program.set_parameter(names.index(name), value)
        return program

    def get_graph_json(self) -> str:
        """The network in TVM's graph JSON."""
        return self._graph_json

    def get_params(self) -> dict[str, NDArray]:
        """The parameters by the names of the graph JSON, in the element order that the kernels read."""
        session = self._create()
        found = {port.name: session.input_memory(i) for i, port in enumerate(session.inputs) if port.is_parameter}
        return {name: memory.copy().view(NDArray) for name, memory in found.items() if memory is not None}

    def save_to_binary(self) -> bytes:
        """Everything but the kernels."""
        return json.dumps({"graph_json": self._graph_json, "name": self._name, "mod_name": self._mod_name}).encode()


@register_func("runtime.module.loadbinary_GraphExecutorFactory")
def _load(data: bytes) -> Module:
    described = json.loads(data)
    return GraphExecutorFactory(*(str(described[key]) for key in ("graph_json", "name", "mod_name")))
