"""The build of the runtime, and modules that programs fill with functions, under TVM's names."""

import platform
import sys
from collections.abc import Callable
from typing import Any

from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.packed_func import PackedFunc
from s2s.version import current_version

FLAGS: dict[str, str] = {
    "USE_AOT_EXECUTOR": "ON",
    "USE_CUDA": "OFF",
    "USE_GRAPH_EXECUTOR": "ON",
    "USE_LLVM": "OFF",
    "USE_METAL": "OFF",
    "USE_MICRO": "ON",
    "USE_OPENCL": "OFF",
    "USE_PROFILER": "ON",
    "USE_RPC": "OFF",
    "USE_VULKAN": "OFF",
}
"""The options of TVM's build that a program may ask for, as far as they mean something here."""


def libinfo() -> dict[str, str]:
    """Return what the runtime can do, by the names of options of TVM's build."""
    return {**FLAGS, "S2S_VERSION": current_version()}


def describe() -> None:
    """Print the versions of s2s, Python and the machine, and what the runtime can do."""
    rows = {"s2s": current_version(), "Python": sys.version.split(" ")[0], "machine": platform.platform(), **libinfo()}
    sys.stdout.write("".join(f"{name:20} = {value}\n" for name, value in sorted(rows.items())))


class FrontendTestModule(Module):
    """A module that a program fills with functions of Python."""

    type_key = "frontend"

    def __init__(self, entry_name: str | None = None) -> None:
        super().__init__(entry=entry_name)

    def add_function(self, name: str, func: Callable[..., Any]) -> None:
        """Add a function, or replace the one of this name."""
        self._functions[name] = func if isinstance(func, PackedFunc) else PackedFunc(func, name)

    __setitem__ = add_function


__all__ = ["FrontendTestModule", "describe", "libinfo"]
