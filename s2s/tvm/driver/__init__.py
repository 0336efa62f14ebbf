"""What drives the compiler from outside of a program, under TVM's names: `tvmc`, and the builds of functions."""

import importlib
from typing import TYPE_CHECKING

from s2s.tvm.te.open_function import build, lower

if TYPE_CHECKING:
    from s2s.tvm.driver import tvmc

__all__ = ["build", "lower", "tvmc"]

if not TYPE_CHECKING:  # a checker would take every submodule for an object

    def __getattr__(name: str) -> object:
        if name == "tvmc":
            return importlib.import_module("s2s.tvm.driver.tvmc")
        raise AttributeError(f"module 's2s.tvm.driver' has no attribute {name!r}")
