"""Executors and compilers beside the runtime, under TVM's names; each module is imported when first used."""

import importlib
from typing import TYPE_CHECKING

from s2s.tvm.refusals import refusing

if TYPE_CHECKING:
    from s2s.tvm.contrib import aot_executor, cblas, cc, debugger, graph_executor, random, utils

__all__ = ["aot_executor", "cblas", "cc", "debugger", "graph_executor", "random", "utils"]

if not TYPE_CHECKING:  # a checker would take every submodule for an object

    def __getattr__(name: str) -> object:
        if name in __all__:
            return importlib.import_module(f"s2s.tvm.contrib.{name}")
        return refusing("contrib")(name)
