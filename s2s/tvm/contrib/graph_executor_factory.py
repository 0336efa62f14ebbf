"""A network for executor `graph` as a module that makes executors, as TVM's `GraphExecutorFactoryModule`.

module = load_module("net.so")
executor = GraphModule(module["default"](cpu()))
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from s2s.errors import InputError
from s2s.executor.declarations import executor_declarations
from s2s.executor.device import check_device, device
from s2s.executor.ndarray import NDArray
from s2s.tvm.contrib.executor_module import ExecutorModule, ProgramModule
from s2s.tvm.error import MissingAttributeError
from s2s.tvm.runtime.library import LibraryModule
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.registry import register_func
from s2s.types.weights import Array


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

    def _debug_create(self, mod_name: str, device: object = None) -> ProgramModule:
        """The network node by node, for `GraphModuleDebug`."""
        check_device(device)
        if mod_name != self._mod_name:
            raise MissingAttributeError(
                f"debug_create({mod_name!r}): the library holds {self._mod_name!r}; ask for that"
            )
        return with_parameters(ProgramModule(self._graph_json, self), self.get_params())

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


class ProgramFactory(Module):
    """Makes executors of a graph JSON on the functions of a module."""

    type_key = "GraphExecutorFactory"

    def __init__(self, graph_json: str, libmod: Module, mod_name: str, params: Mapping[str, Array]) -> None:
        self._graph_json, self._libmod, self._parameters = graph_json, libmod, dict(params)
        functions = {"get_graph_json": lambda: graph_json, "get_graph_params": lambda: self._parameters}
        super().__init__({mod_name: self._create, **functions})
        self.import_module(libmod)

    def _create(self, device: object = None) -> ProgramModule:
        check_device(device)
        return with_parameters(ProgramModule(self._graph_json, self._libmod), self._parameters)


def with_parameters(program: ProgramModule, values: Mapping[str, Array]) -> ProgramModule:
    """The program with the values of its parameters."""
    names = [port.name for port in program.inputs]
    for name, value in values.items():
        program.set_parameter(names.index(name), value)
    return program


def _devices(numbers: tuple[object, ...]) -> list[object]:
    """Devices that are objects, or pairs of TVM's numbers of a kind and of a device."""
    if not all(isinstance(number, int) for number in numbers):
        return list(numbers)
    pairs = zip(cast("tuple[int, ...]", numbers[::2]), cast("tuple[int, ...]", numbers[1::2]), strict=True)
    return [device(kind, index) for kind, index in pairs]


@register_func("tvm.graph_executor.create")
def _create_executor(graph_json: str, libmod: Module, *devices: object) -> ProgramModule:
    check_device(_devices(devices) or None)
    return ProgramModule(graph_json, libmod)


register_func("tvm.graph_executor_debug.create", _create_executor)


@register_func("tvm.graph_executor_factory.create")
def _create_factory(graph_json: str, libmod: Module, mod_name: str, *params: object) -> ProgramFactory:
    """A factory of executors; parameters follow as names and arrays by turns."""
    if len(params) % 2:
        raise InputError("tvm.graph_executor_factory.create: parameters are pairs of a name and an array; give both")
    names, arrays = cast("tuple[str, ...]", params[::2]), cast("tuple[Array, ...]", params[1::2])
    return ProgramFactory(graph_json, libmod, mod_name, dict(zip(names, arrays, strict=True)))
