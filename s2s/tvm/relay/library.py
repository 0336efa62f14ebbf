"""The library of a built network: its compiled functions as a module, what `get_lib` of TVM's factories returns."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from s2s.tvm.runtime.module import ENTRY, Module


class NetworkLibrary(Module):
    """The functions of a network: kernels for executor graph, for aot the function that runs it."""

    type_key = "c"

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]],
        source: Callable[[], str],
        export: Callable[..., None],
    ) -> None:
        super().__init__(functions, entry=ENTRY if ENTRY in functions else None)
        self._source, self._export = source, export

    def get_source(self, fmt: str = "") -> str:
        """The C of the network."""
        return self._source()

    def save(self, file_name: str, fmt: str = "") -> None:
        """Write the library, as `export_library` does."""
        self.export_library(file_name)

    def export_library(
        self,
        file_name: str | Path,
        fcompile: Callable[..., object] | None = None,
        addons: Sequence[str | Path] | None = None,
        workspace_dir: str | Path | None = None,
        **keywords: Any,
    ) -> None:
        """Write a shared library (`.so`) or its objects (`.tar`), as the factory does."""
        self._export(file_name, fcompile, addons, workspace_dir, **keywords)
