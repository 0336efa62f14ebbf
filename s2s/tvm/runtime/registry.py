"""Functions of the process by name, under TVM's names.

C finds the functions of Python in the global registry of s2s_packed.h (`s2s_global_registry`, `TVMFuncGetGlobal`), and
Python finds here what C has added there.
"""

import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from s2s.errors import InputError, WrongValueError
from s2s.executor.ndarray import NDArray
from s2s.interpret.host import provide
from s2s.tvm.runtime.abi import abi
from s2s.tvm.runtime.native import loaded, native, when_loaded
from s2s.tvm.runtime.packed_func import PackedFunc, raise_error
from s2s.types.weights import Array

_functions: dict[str, PackedFunc] = {}
PLACES: Mapping[str, str] = {
    "relay.build_module._BuildModule": "relay.build_module",
    "rpc.test.add_to_lhs": "rpc.testing",
    "rpc.test.addone": "rpc.testing",
    "rpc.test.except": "rpc.testing",
    "rpc.test.remote_array_func": "rpc.testing",
    "rpc.test.remote_return_nd": "rpc.testing",
    "rpc.test.runtime_str_concat": "rpc.testing",
    "rpc.test.strcat": "rpc.testing",
    "runtime.SystemLib": "runtime.library",
    **dict.fromkeys(
        (
            "runtime.CSourceModuleCreate",
            "runtime.LoadParams",
            "runtime.LoadParamsFromFile",
            "runtime.ModuleGetImport",
            "runtime.ModuleGetPropertyMask",
            "runtime.ModuleGetSource",
            "runtime.ModuleGetTypeKey",
            "runtime.ModuleImplementsFunction",
            "runtime.ModuleImportsSize",
            "runtime.ModuleLoadFromFile",
            "runtime.ModuleLoadStaticLibrary",
            "runtime.ModuleSaveToFile",
            "runtime.SaveParams",
            "runtime.SaveParamsToFile",
        ),
        "runtime._ffi_api",
    ),
    "runtime.module.loadbinary_AotExecutorFactory": "contrib.aot_executor_factory",
    "runtime.module.loadbinary_FunctionLibrary": "te.library",
    "runtime.module.loadbinary_GraphExecutorFactory": "contrib.graph_executor_factory",
    "runtime.module.loadbinary_c": "runtime.library",
    "runtime.module.loadbinary_external": "runtime.library",
    "runtime.module.loadbinary_metadata": "runtime.library",
    "runtime.module.loadfile_o": "runtime.library",
    "runtime.module.loadfile_so": "runtime.library",
    "runtime.module.loadfile_tar": "runtime.library",
    "testing.echo": "testing",
    "tvm.contrib.random.normal": "contrib.random",
    "tvm.contrib.random.randint": "contrib.random",
    "tvm.contrib.random.random_fill": "runtime.ndarray",
    "tvm.contrib.random.uniform": "contrib.random",
    "tvm.graph_executor.create": "contrib.graph_executor_factory",
    "tvm.graph_executor_debug.create": "contrib.graph_executor_factory",
    "tvm.graph_executor_factory.create": "contrib.graph_executor_factory",
    "tvm.relay.build": "relay.build_module",
    "tvm.relay.module_export_library": "relay.build_module",
}
"""The functions of the system, and the modules of `s2s.tvm` that register them when they are imported."""
REASONS: Mapping[str, str] = {
    "relay.backend.GraphPlanMemory": "the plan of memory is made by a build: its graph JSON has the storage ids",
    "relay.backend.": "a network is lowered by relay.build, not step by step",
    "relay.ext.": "a code generator is a class, whose parts relay.build gives it (s2s.external.registry)",
    "runtime.ModulePackImportsTo": "export_library packs imports into the library",
    "target.build.": "there is one generator of C; others are external code generators (s2s.external.registry)",
    "tvm.rpc.server.": "a session has upload, download, remove and listdir",
}
"""What to do in place of functions of TVM that there are not, by the beginnings of their names."""
FUNCTIONS_OF_C = 1024
"""The most functions that C can add."""
_shared: list[Any] = []
"""The global registry of C, and what it points at."""


def _share(library: Any) -> None:
    """Make the registry of the process, which asks Python for what C has not added."""
    ffi = abi()

    def find(_: Any, name: Any) -> Any:
        found = _functions.get(bytes(ffi.string(name)).decode(errors="replace"))
        return ffi.NULL if found is None else found.pointer

    rows = ffi.new("s2s_named_function[]", FUNCTIONS_OF_C)
    registry = ffi.new("s2s_registry *")
    library.s2s_registry_init(registry, rows, FUNCTIONS_OF_C)
    registry.other = callback = ffi.callback("s2s_function *(void *, const char *)", find)
    _shared[:] = [registry, rows, callback]
    library.s2s_set_global_registry(registry)


when_loaded(_share)


def functions_of_c() -> dict[str, PackedFunc]:
    """The functions that C has added."""
    if loaded() is None:
        return {}
    ffi, registry = abi(), _shared[0]
    rows = [registry.rows[number] for number in range(registry.count)]
    names = [bytes(ffi.string(row.name)).decode(errors="replace") for row in rows]
    return {name: PackedFunc.of_c(ffi.addressof(row.function), name) for name, row in zip(names, rows, strict=True)}


class _Host:
    """The registry as networks see it that call its functions."""

    def call(
        self, name: str, inputs: Sequence[Array], outputs: Sequence[Array], numbers: Sequence[int | float] = ()
    ) -> bool:
        """Let the function of a name write `outputs` from `inputs`, with `numbers` as last arguments; False if there is
        none."""
        found = get_global_func(name, allow_missing=True)
        if found is None:
            return False
        if found(*(each.view(NDArray) for each in (*inputs, *outputs)), *numbers) is not None:
            raise InputError(f"packed function {name}: returned a value; let it write into its last arguments")
        return True

    def before_loading(self) -> None:
        """Load the C side, whose registry libraries that are loaded later find."""
        native()

    def raise_error(self, place: str) -> None:
        """Raise the exception of the Python function that failed, or the error that C has set."""
        raise_error(place)


provide(_Host())


@overload
def register_func(func_name: str, f: None = None, override: bool = False) -> Callable[[Any], Any]: ...
@overload
def register_func(func_name: str, f: Callable[..., Any], override: bool = False) -> Callable[..., Any]: ...
@overload
def register_func(func_name: Callable[..., Any]) -> Callable[..., Any]: ...
def register_func(
    func_name: str | Callable[..., Any], f: Callable[..., Any] | None = None, override: bool = False
) -> Callable[..., Any]:
    """Register a function for everybody in the process; without `f`, the decorator that does. It returns `f`.

    A name that is taken is refused unless `override` is set.
    """
    if not isinstance(func_name, str):
        return register_func(func_name.__name__, func_name)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if func_name in _functions and not override:
            raise InputError(f"register_func: {func_name!r} is registered already; give override=True to replace it")
        made = function if isinstance(function, PackedFunc) else PackedFunc(function, func_name)
        _functions[func_name] = made
        return function

    return register if f is None else register(f)


def get_global_func(name: str, allow_missing: bool = False) -> PackedFunc | None:
    """The function of a name; where there is none, None if `allow_missing` is set, else an error."""
    if name not in _functions and name in PLACES:
        importlib.import_module(f"s2s.tvm.{PLACES[name]}")
    found = _functions.get(name) or functions_of_c().get(name)
    if found is None and not allow_missing:
        reason = next((REASONS[prefix] for prefix in REASONS if name.startswith(prefix)), "register it first")
        raise WrongValueError(f"function {name!r}: nothing is registered under this name; {reason}")
    return found


def list_global_func_names() -> list[str]:
    """The names of all functions, sorted."""
    return sorted({*PLACES, *_functions, *functions_of_c()})


def remove_global_func(name: str) -> None:
    """Forget a function."""
    if _functions.pop(name, None) is None:
        raise WrongValueError(f"function {name!r}: nothing is registered under this name; name a function that is")


def init_api(namespace: str, target_module_name: str | None = None) -> None:
    """Make the functions `<namespace>.<name>` attributes `<name>` of a Python module, which is called as the namespace
    unless its name is given."""
    module = sys.modules.get(target_module_name or namespace)
    if module is None:
        raise InputError(
            f"init_api: Python module {target_module_name or namespace!r} is not imported; import it first"
        )
    for name, function in _functions.items():
        prefix, _, short = name.rpartition(".")
        if prefix == namespace and short.isidentifier():
            setattr(module, short, function)
