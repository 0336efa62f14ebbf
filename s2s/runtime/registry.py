"""Functions of the process by name, under TVM's names."""

import sys
from collections.abc import Callable
from typing import Any, overload

from s2s.errors import InputError
from s2s.runtime.packed_func import PackedFunc

_functions: dict[str, PackedFunc] = {}


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
    found = _functions.get(name)
    if found is None and not allow_missing:
        raise InputError(f"function {name!r}: nothing is registered under this name; call register_func first")
    return found


def list_global_func_names() -> list[str]:
    """The names of all functions, sorted."""
    return sorted(_functions)


def remove_global_func(name: str) -> None:
    """Forget a function."""
    if _functions.pop(name, None) is None:
        raise InputError(f"function {name!r}: nothing is registered under this name")


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
