"""Graph executors as modules, which `GraphModule` takes: of the tables in a library, and of a graph JSON."""

from s2s.executor.session import LoadedLibrary, Session
from s2s.tvm.contrib.graph_executor import FUNCTIONS, GraphModule
from s2s.tvm.contrib.raw_module import RawModule
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.program import Program


class ExecutorModule(RawModule, Session):
    """The executor of the tables in a library."""

    type_key = "GraphExecutor"
    names = FUNCTIONS

    def __init__(self, library: LoadedLibrary) -> None:
        Module.__init__(self)
        Session.__init__(self, library)

    def _face(self) -> GraphModule:
        return GraphModule(self)


class ProgramModule(RawModule, Program):
    """The executor of a graph JSON on packed functions."""

    type_key = "GraphExecutor"
    names = FUNCTIONS

    def __init__(self, graph_json: str, module: Module) -> None:
        Module.__init__(self)
        Program.__init__(self, graph_json, module)

    def _face(self) -> GraphModule:
        return GraphModule(self)
