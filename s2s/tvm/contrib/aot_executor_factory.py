"""A network for executor `aot` as a module, as TVM's `AotExecutorFactoryModule`.

module = load_module("net.so")
executor = AotModule(module["default"](cpu()))
module["__tvm_main__"](image, scores)
"""

from typing import Any

from s2s.executor.device import check_device
from s2s.tvm.contrib.aot_executor import AotExecutor
from s2s.tvm.runtime.library import loaded_network
from s2s.tvm.runtime.module import ENTRY, Module
from s2s.tvm.runtime.registry import register_func
from s2s.verify.build import LoadedNetwork


class AotExecutorFactory(Module):
    """Loads the network of the library that it imports, with the metadata beside that."""

    type_key = "AotExecutorFactory"

    def __init__(self, mod_name: str) -> None:
        self._mod_name = mod_name
        self._network: LoadedNetwork | None = None
        super().__init__({mod_name: self._create, ENTRY: self._run}, entry=ENTRY)

    def _create(self, device: object = None) -> AotExecutor:
        check_device(device)
        return AotExecutor(self._loaded())

    def _loaded(self) -> LoadedNetwork:
        return loaded_network(self, self._mod_name)

    def _run(self, *arrays: Any) -> None:
        """Run the network on arrays: inputs, and then outputs, which are written."""
        if self._network is None:
            self._network = self._loaded()
        self._network.run_into(*arrays)

    def save_to_binary(self) -> bytes:
        """The name of the network."""
        return self._mod_name.encode()


@register_func("runtime.module.loadbinary_AotExecutorFactory")
def _load(data: bytes) -> Module:
    return AotExecutorFactory(data.decode())
