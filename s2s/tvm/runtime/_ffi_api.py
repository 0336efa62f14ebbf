"""Functions of TVM's runtime that programs call by the name of its module of calls, or find as `runtime.<name>`."""

from collections.abc import Sequence

from s2s.errors import InputError
from s2s.tvm.runtime.library import ExternalModule, SourceModule, load_module, load_static_library
from s2s.tvm.runtime.module import Module
from s2s.tvm.runtime.params import (
    load_param_dict,
    load_param_dict_from_file,
    save_param_dict,
    save_param_dict_to_file,
)
from s2s.tvm.runtime.registry import register_func

FORMATS = ("c", "cc")


def CSourceModuleCreate(  # noqa: N802
    code: str, fmt: str, func_names: Sequence[str] = (), const_vars: Sequence[str] | None = None
) -> SourceModule:
    """Return the module of C source; with `func_names`, its packed functions of these names, which are compiled now.

    `const_vars` are names of constants that the source reads; `get_const_vars` tells them.
    """
    if fmt not in FORMATS:
        raise InputError(f"CSourceModuleCreate: format {fmt!r} is no C; give {' or '.join(FORMATS)}")
    if func_names:
        return ExternalModule(code, list(func_names))
    constants = list(const_vars or ())
    return SourceModule(code, {"get_const_vars": lambda: constants} if constants else {})


def ModuleGetSource(mod: Module, fmt: str = "") -> str:  # noqa: N802
    """Return the source of a module."""
    return mod.get_source(fmt)


def ModuleImportsSize(mod: Module) -> int:  # noqa: N802
    """Return how many modules a module imports itself."""
    return len(mod.imported_modules)


def ModuleGetImport(mod: Module, index: int) -> Module:  # noqa: N802
    """Return one of the modules that a module imports, by its number."""
    if not 0 <= index < len(mod.imported_modules):
        raise InputError(
            f"ModuleGetImport: {index}: the module imports {len(mod.imported_modules)}; give a lower number"
        )
    return mod.imported_modules[index]


def ModuleGetTypeKey(mod: Module) -> str:  # noqa: N802
    """Return the kind of a module."""
    return mod.type_key


def ModuleGetPropertyMask(mod: Module) -> int:  # noqa: N802
    """Return 1 where a library can keep a module, plus 2 where it has functions, plus 4 where it is code to link."""
    properties = (mod.is_binary_serializable, mod.is_runnable, mod.is_dso_exportable)
    return sum(1 << place for place, holds in enumerate(properties) if holds)


def ModuleImplementsFunction(mod: Module, name: str, query_imports: bool = False) -> bool:  # noqa: N802
    """Return whether a module has a function of a name."""
    return mod.implements_function(name, bool(query_imports))


def ModuleSaveToFile(mod: Module, name: str, fmt: str = "") -> None:  # noqa: N802
    """Write a module alone."""
    mod.save(name, fmt)


ModuleLoadFromFile, ModuleLoadStaticLibrary = load_module, load_static_library
SaveParams, SaveParamsToFile = save_param_dict, save_param_dict_to_file
LoadParams, LoadParamsFromFile = load_param_dict, load_param_dict_from_file

__all__ = [
    "CSourceModuleCreate",
    "LoadParams",
    "LoadParamsFromFile",
    "ModuleGetImport",
    "ModuleGetPropertyMask",
    "ModuleGetSource",
    "ModuleGetTypeKey",
    "ModuleImplementsFunction",
    "ModuleImportsSize",
    "ModuleLoadFromFile",
    "ModuleLoadStaticLibrary",
    "ModuleSaveToFile",
    "SaveParams",
    "SaveParamsToFile",
]

for _name in __all__:
    register_func(f"runtime.{_name}", globals()[_name])
