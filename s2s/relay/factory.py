"""`s2s.build`: a network as a library, under TVM's names.

    library = s2s.build(module, target="host", params=params)
    runtime = s2s.contrib.graph_executor.GraphModule(library["default"](s2s.cpu()))

It is `s2s.compile` on a module instead of a model file. The library is built when it is first needed.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp

from s2s.artifact import Artifact, compile_artifact
from s2s.contrib.graph_executor_factory import export_library
from s2s.emit.stream import pieces
from s2s.errors import InputError
from s2s.executor.device import check_device
from s2s.executor.graph_json import dump
from s2s.executor.ndarray import NDArray
from s2s.executor.params import load_param_dict
from s2s.executor.session import Session
from s2s.frontends.model import GraphModel
from s2s.options import CompileOptions, Executor
from s2s.targets import Target
from s2s.verify.build import LoadedNetwork

DEFAULT_NAME = "default"
"""What a network is called unless it has a name; a word of C, so C calls it otherwise."""
_C_NAME = "network"


def build(
    module: ModuleOp,
    target: str | Target = "host",
    *,
    params: Mapping[str, npt.ArrayLike] | None = None,
    executor: Executor = "graph",
    mod_name: str = DEFAULT_NAME,
) -> "ExecutorFactory":
    """Compile a module of the graph level; `params` are the values of its weights."""
    name = None if mod_name == DEFAULT_NAME else mod_name
    arrays = {key: np.asarray(value) for key, value in (params or {}).items()}
    options = CompileOptions(target=target, executor=executor, name=name)
    return ExecutorFactory(compile_artifact(GraphModel(module, arrays, name or _C_NAME), options), mod_name)


class ExecutorFactory:
    """A compiled network that makes executors."""

    def __init__(self, artifact: Artifact, name: str) -> None:
        self.artifact, self.name = artifact, name

    def __getitem__(self, name: str) -> Callable[[object], Session]:
        """The function that makes an executor for a device: what `GraphModule` takes."""
        if name != self.name:
            raise InputError(f"library[{name!r}]: the library holds {self.name!r}; ask for that")

        def create(device: object = None) -> Session:
            check_device(device)
            self._check_graph("context to run in")
            return Session(self.get_lib())

        return create

    def get_graph_json(self) -> str:
        """The network in TVM's graph JSON."""
        self._check_graph("graph JSON")
        network = self.artifact.info.graph
        assert network is not None
        return dump(network)

    def get_params(self) -> dict[str, NDArray]:
        """The parameters by the names of the graph JSON, in the element order that the kernels read."""
        self._check_graph("parameters")
        tree = self.artifact.tree()
        blob = b"".join(pieces(tree.files[f"{self.artifact.name}.params"]))
        return {name: array.view(NDArray) for name, array in load_param_dict(blob).items()}

    def get_lib(self) -> LoadedNetwork:
        """The library, built and loaded."""
        return self.artifact.loaded()

    def get_executor_config(self) -> str:
        """The executor that the network was compiled for."""
        return self.artifact.info.executor

    def export_library(self, file_name: str | Path) -> None:
        """Write a shared library (`.so`), or its objects (`.tar`); `s2s.runtime.load_module` takes both."""
        self._check_graph("library to export")
        export_library(self.artifact, self.name, file_name)

    def _check_graph(self, what: str) -> None:
        if self.get_executor_config() != "graph":
            raise InputError(f"{self.name}: built for executor aot, which has no {what}; build with executor='graph'")
