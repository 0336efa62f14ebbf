"""Modules: sets of functions by name that import each other, under TVM's names."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from s2s.errors import InputError, WrongValueError
from s2s.executor.device import check_device, device
from s2s.tvm.error import MissingAttributeError
from s2s.tvm.runtime.benchmark import BenchmarkResult, measure
from s2s.tvm.runtime.packed_func import PackedFunc
from s2s.tvm.runtime.registry import get_global_func

ENTRY = "__tvm_main__"
"""The name of the function that a module is called by."""


class Module:
    """Functions by name, and modules that they may call. Kinds of modules override what they know better."""

    type_key = "functions"
    entry_name = ENTRY
    """What `time_evaluator` is told to time the entry function."""
    is_system = False
    """Whether the system library has its functions."""

    def __init__(self, functions: Mapping[str, Callable[..., Any]] | None = None, entry: str | None = None) -> None:
        self._functions = {name: _packed(function, name) for name, function in (functions or {}).items()}
        self._entry = entry
        self._imports: list[Module] = []

    @property
    def is_runnable(self) -> bool:
        """Whether it has functions to call."""
        return bool(self.function_names())

    @property
    def is_binary_serializable(self) -> bool:
        """Whether a library can keep it as bytes, which `save_to_binary` gives."""
        return type(self).save_to_binary is not Module.save_to_binary

    @property
    def is_dso_exportable(self) -> bool:
        """Whether it is code, which compilers and linkers write."""
        return self.type_key in ("c", "static_library")

    def function_names(self) -> list[str]:
        """The names of the functions of this module alone."""
        return list(self._functions)

    def get_function(self, name: str, query_imports: bool = False) -> PackedFunc:
        """The function of a name, of this module, or with `query_imports` of the modules that it imports too."""
        found = self.find(name, query_imports)
        if found is None:
            known = ", ".join(self.function_names()) or "no functions"
            raise MissingAttributeError(f"function {name!r}: the module has none of this name; it has {known}")
        return found

    def find(self, name: str, query_imports: bool = False) -> PackedFunc | None:
        """The function of a name, None where there is none."""
        found = self._functions.get(self._entry if name == ENTRY and self._entry is not None else name)
        for module in self._imports if found is None and query_imports else ():
            found = found or module.find(name, True)
        return found

    def implements_function(self, name: str, query_imports: bool = False) -> bool:
        """Whether there is a function of that name."""
        return self.find(name, query_imports) is not None

    def __getitem__(self, name: str) -> PackedFunc:
        """The function of a name."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongValueError(f"module[{name!r}]: a function is asked for by its name; give a text")
        return self.get_function(name)

    def __call__(self, *arguments: Any) -> Any:
        """Call the entry function."""
        return self.entry_func(*arguments)

    @property
    def entry_func(self) -> PackedFunc:
        """The entry function: the one marked so, or the only one."""
        names = self.function_names()
        if self.implements_function(ENTRY):
            return self.get_function(ENTRY)
        if len(names) == 1:
            return self.get_function(names[0])
        raise InputError(f"module: none of its functions is its entry; ask for one: {', '.join(names)}")

    def import_module(self, module: "Module") -> None:
        """Let the functions of `module` be found through this one."""
        if module is self or self in module.all_imports():
            raise InputError("import_module: modules would import each other in a circle; import it one way only")
        self._imports.append(module)

    @property
    def imported_modules(self) -> list["Module"]:
        """The modules that this one imports itself."""
        return list(self._imports)

    def all_imports(self) -> list["Module"]:
        """The modules that this one imports, and the modules that they import, each once."""
        found: list[Module] = []
        for module in self._imports:
            found += [each for each in (module, *module.all_imports()) if each not in found]
        return found

    def get_source(self, fmt: str = "") -> str:
        """The source of the module as text."""
        raise InputError(f"get_source: a module of kind {self.type_key} has no source; ask the module of the network")

    def save(self, file_name: str, fmt: str = "") -> None:
        """Write the module alone, without the modules that it imports."""
        raise InputError(f"save: a module of kind {self.type_key} cannot be saved; export the network it belongs to")

    def export_library(
        self,
        file_name: str | Path,
        fcompile: Callable[..., object] | None = None,
        addons: Sequence[str | Path] | None = None,
        workspace_dir: str | Path | None = None,
        **keywords: Any,
    ) -> None:
        """Write the module to a file that `load_module` takes, where its kind knows how."""
        if fcompile is not None or addons or keywords:
            raise InputError(
                f"export_library: a module of kind {self.type_key} is not compiled; give the file name alone"
            )
        self.save(str(file_name))

    def save_to_binary(self) -> bytes:
        """What a library keeps of the module; `runtime.module.loadbinary_<kind>` makes the module of it again."""
        raise InputError(
            f"export_library: a module of kind {self.type_key} cannot be packed into a library; define save_to_binary"
        )

    def time_evaluator(
        self,
        func_name: str,
        dev: object = None,
        number: int = 10,
        repeat: int = 1,
        min_repeat_ms: int = 0,
        limit_zero_time_iterations: int = 100,
        cooldown_interval_ms: int = 0,
        repeats_to_cooldown: int = 1,
        cache_flush_bytes: int = 0,
        f_preproc: str = "",
    ) -> Callable[..., BenchmarkResult]:
        """A function that takes the arguments of `func_name` and times it: `repeat` times the mean of `number` calls.

        `min_repeat_ms` raises `number` until a repetition takes so long. Before each repetition, this many bytes as
        `cache_flush_bytes` says are written, which puts the operands out of the caches, and the registered function
        `f_preproc` is called with the arguments.
        """
        check_device(dev)
        function = self.entry_func if func_name == ENTRY else self.get_function(func_name, query_imports=True)
        before = get_global_func(f_preproc) if f_preproc else None
        others = np.zeros(cache_flush_bytes, np.uint8)

        def evaluate(*arguments: Any) -> BenchmarkResult:
            def prepare() -> None:
                if before is not None:
                    before(*arguments)
                others.fill(1)

            return measure(
                lambda: function(*arguments),
                repeat=repeat,
                number=number,
                min_repeat_seconds=min_repeat_ms / 1000,
                limit_zero_time_iterations=limit_zero_time_iterations,
                cooldown_seconds=cooldown_interval_ms / 1000,
                repeats_to_cooldown=repeats_to_cooldown,
                prepare=prepare,
            )

        return evaluate


class ModulePropertyMask:
    """The bits of `ModuleGetPropertyMask`: kept as bytes, has functions, is code to link."""

    BINARY_SERIALIZABLE = 1
    RUNNABLE = 2
    DSO_EXPORTABLE = 4


def enabled(target: str) -> bool:
    """Whether code runs on a device or a target of this name on this machine."""
    try:
        return device(target).exist
    except InputError:
        return False


def num_threads() -> int:
    """The processors that this process may run threads on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _packed(function: Callable[..., Any], name: str) -> PackedFunc:
    return function if isinstance(function, PackedFunc) else PackedFunc(function, name)
