"""What builds networks and evaluates expressions, where TVM has it.

    graph_json, library, params = relay.build_module.BuildModule().build(mod, target="llvm", params=params)

`get_global_func("relay.build_module._BuildModule")()` is the same as a module of functions, as other languages call it.
"""

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from s2s.errors import InputError, UnsupportedError
from s2s.executor.ndarray import NDArray
from s2s.tvm.relay.executor import create_executor
from s2s.tvm.relay.expr import Constant
from s2s.tvm.relay.factory import DEFAULT_NAME, ExecutorFactory, FunctionInfo, Network, build
from s2s.tvm.relay.library import NetworkLibrary
from s2s.tvm.relay.memory_pools import ConstantMemoryPools, WorkspaceMemoryPools
from s2s.tvm.relay.module import IRModule, bind_params_by_name
from s2s.tvm.relay.options import Executor, Runtime
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.registry import register_func

Parameters = Mapping[str, Constant | npt.ArrayLike]


class BuildModule:
    """A build whose results are asked for one by one: graph JSON, library, parameters."""

    def __init__(self) -> None:
        self._parameters: dict[str, npt.ArrayLike] = {}
        self._built: tuple[Network, ExecutorFactory] | None = None

    def build(
        self,
        mod: Network,
        target: Any = None,
        target_host: object = None,
        executor: Executor | str = "graph",
        runtime: Runtime | str = "cpp",
        workspace_memory_pools: WorkspaceMemoryPools | None = None,
        constant_memory_pools: ConstantMemoryPools | None = None,
        params: Parameters | None = None,
        mod_name: str | None = None,
    ) -> tuple[str | None, NetworkLibrary, dict[str, NDArray]]:
        """Build a network; return its graph JSON (None for executor aot), library and parameters."""
        self.set_params(params or {})
        pools = workspace_memory_pools, constant_memory_pools
        name = mod_name or DEFAULT_NAME
        factory = build(mod, target, target_host, executor, runtime, *pools, self._parameters, name)
        self._built = mod, factory
        return factory.get_executor_config(), factory.get_lib(), factory.get_params()

    def optimize(
        self, mod: Network, target: Any = None, target_host: object = None, params: Parameters | None = None
    ) -> NoReturn:
        """Refused: the passes of a build run on its own levels."""
        raise UnsupportedError(
            "BuildModule.optimize: a build goes on to loops without coming back to expressions; run passes of "
            "relay.transform on the module, or look on with `s2s inspect`"
        )

    def set_params(self, params: Parameters) -> None:
        """Give values to parameters of the networks that are built from now on."""
        self._parameters |= {
            name: np.asarray(value.data if isinstance(value, Constant) else value) for name, value in params.items()
        }

    def get_params(self) -> dict[str, NDArray]:
        """The parameters of the network by the names of the graph JSON."""
        return self._factory.get_params()

    def get_graph_json(self) -> str:
        """The network in TVM's graph JSON."""
        return self._factory.get_graph_json()

    def get_module(self) -> NetworkLibrary:
        """The compiled functions."""
        return self._factory.get_lib()

    def get_function_metadata(self) -> dict[str, FunctionInfo]:
        """The bytes that the network takes."""
        return self._factory.function_metadata

    def get_devices(self) -> list[str]:
        """The devices and generators beside the first device."""
        return self._factory.get_devices()

    def get_irmodule(self) -> IRModule:
        """The network as it was given."""
        network = self._result[0]
        return network if isinstance(network, IRModule) else IRModule.from_expr(network)  # pyright: ignore[reportArgumentType]

    @property
    def _result(self) -> tuple[Network, ExecutorFactory]:
        if self._built is None:
            raise InputError("BuildModule: nothing has been built yet; call build first")
        return self._built

    @property
    def _factory(self) -> ExecutorFactory:
        return self._result[1]


FUNCTIONS = (
    "get_devices",
    "get_function_metadata",
    "get_graph_json",
    "get_irmodule",
    "get_module",
    "get_params",
    "optimize",
    "set_params",
)
"""The functions of a build that are called as they are."""


@register_func("relay.build_module._BuildModule")
def _build_module() -> Module:
    """A build as a module of functions; its `build` takes everything but the parameters, which `set_params` does."""
    builder = BuildModule()

    def build_network(
        mod: Network,
        target: Any = None,
        target_host: object = None,
        executor: Executor | str = "graph",
        runtime: Runtime | str = "cpp",
        workspace: WorkspaceMemoryPools | None = None,
        constants: ConstantMemoryPools | None = None,
        mod_name: str | None = None,
    ) -> None:
        builder.build(mod, target, target_host, executor, runtime, workspace, constants, None, mod_name)

    return Module({"build": build_network, **{name: getattr(builder, name) for name in FUNCTIONS}})


@register_func("tvm.relay.build")
def _build(mod: Network, target: Any, target_host: object, params: Parameters | None, mod_name: str) -> Module:
    return build(mod, target, target_host, params=dict(params or {}), mod_name=mod_name).module  # pyright: ignore[reportArgumentType]


@register_func("tvm.relay.module_export_library")
def _export(module: Module, file_name: str) -> None:
    module.export_library(file_name)


__all__ = ["BuildModule", "bind_params_by_name", "build", "create_executor"]
