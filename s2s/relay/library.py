"""The library of a built network: its compiled functions as a module, what `get_lib` of TVM's factories returns."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from s2s.errors import InputError
from s2s.runtime.module import ENTRY, Module
from s2s.types.dtypes import Array
from s2s.verify.build import LoadedNetwork


class NetworkLibrary(Module):
    """The functions of a network: kernels for executor graph, for aot the function that runs it."""

    type_key = "c"

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]],
        source: Callable[[], str],
        export: Callable[[str | Path], None],
    ) -> None:
        super().__init__(functions, entry=ENTRY if ENTRY in functions else None)
        self._source, self._export = source, export

    def get_source(self, fmt: str = "") -> str:
        """The C of the network."""
        return self._source()

    def save(self, file_name: str, fmt: str = "") -> None:
        """Write the library, as `export_library` does."""
        self.export_library(file_name)

    def export_library(self, file_name: str | Path) -> None:
        """Write a shared library (`.so`) or its objects (`.tar`); `s2s.runtime.load_module` takes both."""
        self._export(file_name)


def run_function(network: LoadedNetwork) -> Callable[..., None]:
    """A function of arrays, inputs and then outputs, which it writes."""

    def run(*arrays: Any) -> None:
        names, results = network.input_names, network.output_names
        if len(arrays) != len(names) + len(results):
            raise InputError(
                f"{network.name}: {len(arrays)} arrays given; give {', '.join(names)} and then {', '.join(results)}"
            )
        found = network.run(dict(zip(names, arrays, strict=False)))
        for name, out in zip(results, arrays[len(names) :], strict=True):
            _copy(name, found[name], out)

    return run


def _copy(name: str, value: Array, out: Any) -> None:
    """Write a result into the array of the caller."""
    array = np.asarray(out)
    if array.dtype != value.dtype or array.shape != value.shape or not array.flags.writeable:
        wanted = f"{value.dtype}{list(value.shape)}"
        raise InputError(f"{name}: {array.dtype}{list(array.shape)} given; give an array {wanted} that may be written")
    array[...] = value
