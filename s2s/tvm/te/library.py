"""A function of tensor expressions as a library: what `load_module` makes of the file that `export_library` wrote."""

import json
from collections.abc import Mapping
from typing import Any

from s2s.errors import InputError
from s2s.tvm.runtime.library import LibraryModule
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.registry import register_func
from s2s.verify.build import LoadedNetwork, load_library


class FunctionLibrary(Module):
    """A compiled function of arrays, in the library that the module imports.

    `record` is that of its tree; `arguments` are the names of its arguments in their order.
    """

    type_key = "FunctionLibrary"

    def __init__(self, record: Mapping[str, Any], name: str, arguments: list[str]) -> None:
        self._record, self._name, self._arguments = record, name, arguments
        self._network: LoadedNetwork | None = None
        super().__init__({name: self._run}, entry=name)

    @property
    def entry_name(self) -> str:
        """The name of the function."""
        return self._name

    def _loaded(self) -> LoadedNetwork:
        if self._network is None:
            library = next((each for each in self.imported_modules if isinstance(each, LibraryModule)), None)
            if library is None:
                raise InputError(f"{self._name}: its code is missing; import its library")
            self._network = load_library(library.path, self._record)
        return self._network

    def _run(self, *arrays: Any) -> None:
        """Run the function on arrays in the order of its arguments; computed ones are overwritten."""
        network = self._loaded()
        if len(arrays) != len(self._arguments):
            raise InputError(f"{self._name}: {len(arrays)} arrays given, {len(self._arguments)} wanted; give one each")
        by_name = dict(zip(self._arguments, arrays, strict=True))
        network.run_into(*(by_name[name] for name in (*network.input_names, *network.output_names)))

    def save_to_binary(self) -> bytes:
        """Everything but the code."""
        return json.dumps({"record": self._record, "name": self._name, "arguments": self._arguments}).encode()


@register_func("runtime.module.loadbinary_FunctionLibrary")
def _load(data: bytes) -> Module:
    described = json.loads(data)
    return FunctionLibrary(described["record"], str(described["name"]), list(described["arguments"]))
