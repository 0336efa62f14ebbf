"""Executors as TVM's modules: `module["set_input"]("x", x)`, `module["run"]()`, `time_evaluator("run", dev)`."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.packed_func import PackedFunc


class RawModule(Module):
    """An executor whose functions are methods of the object `face`, each found by its name in `names`."""

    names: Sequence[str] = ()

    @cached_property
    def face(self) -> Any:
        """The object that has the methods."""
        return self._face()

    def _face(self) -> Any:
        raise NotImplementedError

    def function_names(self) -> list[str]:
        """The names of the functions."""
        return list(self.names)

    def find(self, name: str, query_imports: bool = False) -> PackedFunc | None:
        """The function of a name, which is made when it is first asked for; None where there is none."""
        if name in self.names and name not in self._functions:
            self._functions[name] = PackedFunc(getattr(self.face, name), name)
        return super().find(name, query_imports)
