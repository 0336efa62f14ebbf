"""WebAssembly in tests: clang compiles, wasmtime runs."""

import importlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.c_syntax.interface import Interface
from s2s.types.dtypes import Array
from support.c_compilers import EVERYTHING, require

TRIPLE = "--target=wasm32-wasi"


def require_clang() -> str:
    """Return clang; the test is skipped where it lacks the library or linker of WebAssembly, but never in CI."""
    clang = require("clang")
    require("wasm-ld")
    command = [clang, TRIPLE, "-E", "-x", "c", "-"]
    headers = subprocess.run(command, input="#include <math.h>\n", text=True, capture_output=True, check=False)
    if headers.returncode and os.environ.get(EVERYTHING):
        pytest.fail("wasi-libc is not installed")
    if headers.returncode:
        pytest.skip("wasi-libc is not installed")
    return clang


def runtime() -> Any:
    """Return the package `wasmtime`, which the extra `dev` brings."""
    if os.environ.get(EVERYTHING):
        return importlib.import_module("wasmtime")
    return pytest.importorskip("wasmtime")


def run_program(file: Path) -> str:
    """Run a program of WASI; return what it prints. A status that is not 0 fails the test."""
    wasmtime = runtime()
    engine, printed = wasmtime.Engine(), file.with_suffix(".txt")
    linker, store, settings = wasmtime.Linker(engine), wasmtime.Store(engine), wasmtime.WasiConfig()
    linker.define_wasi()
    settings.stdout_file = str(printed)
    store.set_wasi(settings)
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, str(file)))
    code = 0
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as ended:
        code = ended.code
    assert code == 0, printed.read_text()
    return printed.read_text()


class WasmNetwork:
    """A module of `s2s export --format wasm`, loaded without imports."""

    def __init__(self, file: Path, network: Interface) -> None:
        wasmtime = runtime()
        self.network, self.store = network, wasmtime.Store()
        module = wasmtime.Module.from_file(self.store.engine, str(file))
        self.exports: Any = wasmtime.Instance(self.store, module, []).exports(self.store)

    def call(self, name: str, *arguments: int) -> int:
        """Call an exported function."""
        return self.exports[name](self.store, *arguments)

    def run(self, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """Return the outputs by name."""
        memory = self.exports["memory"]
        for number, port in enumerate(self.network.inputs):
            memory.write(self.store, inputs[port.name].tobytes(), self.call("input", number))
        assert self.call("run") == 0
        outputs: dict[str, Array] = {}
        for number, port in enumerate(self.network.outputs):
            at = self.call("output", number)
            content = bytes(memory.read(self.store, at, at + port.size))
            outputs[port.name] = np.frombuffer(content, port.dtype).reshape(port.shape)
        return outputs
