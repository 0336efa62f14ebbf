"""Functions of TVM's runtime that programs call by the name of its module of calls."""

from collections.abc import Sequence

from s2s.errors import InputError
from s2s.tvm.runtime.library import ExternalModule, SourceModule

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


__all__ = ["CSourceModuleCreate"]
