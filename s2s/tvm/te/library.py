"""A function of tensor expressions as a library: what `load_module` makes of the file that `export_library` wrote."""

import json
from typing import Any

import numpy as np

from s2s.errors import InputError
from s2s.tvm.runtime.library import FUNCTION_LIBRARY, loaded_network
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.registry import register_func
from s2s.types.dtypes import Array
from s2s.verify.build import LoadedNetwork


class FunctionLibrary(Module):
    """A compiled function of arrays, in the library that the module imports with its metadata.

    `arguments` are the names of its arguments in their order. `system_lib` finds it where `is_system`.
    """

    type_key = FUNCTION_LIBRARY

    def __init__(self, name: str, arguments: list[str], *, is_system: bool = False) -> None:
        self.is_system = is_system
        self._name, self._arguments = name, arguments
        self._network: LoadedNetwork | None = None
        super().__init__({name: self._run}, entry=name)

    @property
    def entry_name(self) -> str:
        """The name of the function."""
        return self._name

    def _loaded(self) -> LoadedNetwork:
        if self._network is None:
            self._network = loaded_network(self, self._name)
        return self._network

    def _run(self, *arrays: Any) -> None:
        """Run the function on arrays in the order of its arguments; computed ones are overwritten."""
        network = self._loaded()
        if len(arrays) != len(self._arguments):
            raise InputError(f"{self._name}: {len(arrays)} arrays given, {len(self._arguments)} wanted; give one each")
        by_name = dict(zip(self._arguments, arrays, strict=True))
        ordered = [by_name[name] for name in (*network.input_names, *network.output_names)]
        ports = (*network.inputs, *network.outputs)
        if network.sizes and not any(any(port.varies[1:]) for port in ports):
            network.run_on(*map(as_array, ordered))
        else:
            network.run_into(*ordered)

    def save_to_binary(self) -> bytes:
        """Everything but the code."""
        described = {"name": self._name, "arguments": self._arguments}
        return json.dumps({**described, "system": True} if self.is_system else described).encode()


def as_array(array: Any) -> Array:
    """An array of numpy, or one on the memory of what numpy reads by DLPack."""
    return array if hasattr(array, "__array_interface__") else np.from_dlpack(array)


@register_func("runtime.module.loadbinary_FunctionLibrary")
def _load(data: bytes) -> Module:
    described = json.loads(data)
    is_system = bool(described.get("system", False))
    return FunctionLibrary(str(described["name"]), list(described["arguments"]), is_system=is_system)
