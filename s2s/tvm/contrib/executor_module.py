"""Executors as TVM's raw modules: `module["set_input"]("x", x)`, `module["run"]()`, `time_evaluator("run", dev)`."""

from functools import cached_property
from typing import Any

from s2s.executor.session import Executor, Session
from s2s.tvm.contrib.graph_executor import FUNCTIONS, GraphModule
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.packed_func import PackedFunc
from s2s.tvm.runtime.program import Program


class RawModule(Executor):
    """An executor whose functions are found by their names, as `GraphModule` has them."""

    @cached_property
    def graph(self) -> GraphModule:
        """The executor with the methods of `GraphModule`."""
        return GraphModule(self)

    @cached_property
    def _by_name(self) -> Module:
        return Module({name: getattr(self.graph, name) for name in FUNCTIONS})

    def __getitem__(self, name: str) -> PackedFunc:
        """The function of a name."""
        return self._by_name[name]

    def get_function(self, name: str, query_imports: bool = False) -> PackedFunc:
        """The function of a name."""
        return self._by_name.get_function(name, query_imports)

    def time_evaluator(self, func_name: str, dev: object = None, number: int = 10, repeat: int = 1, **how: Any) -> Any:
        """A function that times another one, as `Module.time_evaluator` does."""
        return self._by_name.time_evaluator(func_name, dev, number, repeat, **how)


class ExecutorModule(RawModule, Session):
    """The executor of the tables in a library."""


class ProgramModule(RawModule, Program):
    """The executor of a graph JSON on packed functions."""
