"""A network for executor `aot` as a module, as TVM's `AotExecutorFactoryModule`.

module = load_module("net.so")
executor = AotModule(module["default"](cpu()))
module["__tvm_main__"](image, scores)
"""

import json
from collections.abc import Mapping
from typing import Any

from s2s.errors import InputError
from s2s.executor.device import check_device
from s2s.tvm.runtime.library import LibraryModule
from s2s.tvm.runtime.module import ENTRY, Module
from s2s.tvm.runtime.registry import register_func
from s2s.verify.build import LoadedNetwork, load_library


class AotExecutorFactory(Module):
    """Loads the network of the library that it imports; `record` is the record of the network's tree."""

    type_key = "AotExecutorFactory"

    def __init__(self, record: Mapping[str, Any], mod_name: str) -> None:
        self._record, self._mod_name = record, mod_name
        self._network: LoadedNetwork | None = None
        super().__init__({mod_name: self._create, ENTRY: self._run}, entry=ENTRY)

    def _create(self, device: object = None) -> LoadedNetwork:
        check_device(device)
        library = next((each for each in self.imported_modules if isinstance(each, LibraryModule)), None)
        if library is None:
            raise InputError(f"{self._mod_name}: its functions are missing; import their library")
        return load_library(library.path, self._record)

    def _run(self, *arrays: Any) -> None:
        """Run the network on arrays: inputs, and then outputs, which are written."""
        if self._network is None:
            self._network = self._create()
        self._network.run_into(*arrays)

    def save_to_binary(self) -> bytes:
        """Everything but the functions."""
        return json.dumps({"record": self._record, "mod_name": self._mod_name}).encode()


@register_func("runtime.module.loadbinary_AotExecutorFactory")
def _load(data: bytes) -> Module:
    described = json.loads(data)
    return AotExecutorFactory(described["record"], str(described["mod_name"]))
