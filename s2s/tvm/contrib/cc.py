"""The C compiler under TVM's names.

library.export_library("net.so", fcompile=cc.cross_compiler("arm-linux-gnueabihf-gcc"))
"""

import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from s2s.errors import UnsupportedError
from s2s.tvm.refusals import refusing
from s2s.tvm.runtime.library import create_shared
from s2s.verify.toolchain import default_compiler, run_program

Paths = Sequence[str | Path] | str | Path
Compile = Callable[..., None]


def get_cc() -> str:
    """The path of the C compiler of this machine."""
    name = default_compiler()[0]
    return shutil.which(name) or name


def create_executable(
    output: str | Path, objects: Paths, options: Sequence[str] | None = None, cc: str | None = None
) -> None:
    """Compile and link C files and objects to a program."""
    compiler = shlex.split(cc) if cc is not None else default_compiler()
    files = [Path(file).resolve() for file in ([objects] if isinstance(objects, str | Path) else objects)]
    run_program([*compiler, *(options or ()), "-o", Path(output).resolve(), *files, "-lm"])


def cross_compiler(
    compile_func: str | Compile,
    options: Sequence[str] | None = None,
    output_format: str | None = None,
    get_target_triple: Callable[[], str] | None = None,
    add_files: Sequence[str | Path] | None = None,
) -> Compile:
    """The function that links objects by another compiler, given by its command or as a function like `create_shared`,
    with further options and files; `export_library` takes it as `fcompile`."""
    if get_target_triple is not None:
        raise UnsupportedError("cc.cross_compiler: get_target_triple: the target tells the processor; leave it out")

    def fcompile(outputs: str | Path, objects: Paths, options: Sequence[str] | None = None) -> None:
        files = [*([objects] if isinstance(objects, str | Path) else objects), *(add_files or ())]
        flags = [*first, *(options or ())]
        if isinstance(compile_func, str):
            create_shared(outputs, files, flags, compile_func)
        else:
            compile_func(outputs, files, options=flags)

    first = list(options or ())
    fcompile.__dict__["output_format"] = output_format or "so"
    return fcompile


__all__ = ["create_executable", "create_shared", "cross_compiler", "get_cc"]

if not TYPE_CHECKING:  # a checker would take every name for an object
    __getattr__ = refusing("contrib.cc")
