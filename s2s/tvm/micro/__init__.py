"""microTVM under TVM's names: archives of networks for firmware, and measuring on boards.

Projects of TVM's template servers are refused: a tree of C is written by `library.write(folder)`, with build files for
CMake, Make, Zephyr, Arduino and others (`s2s export`), and runs on a board by `s2s verify --on qemu:m4`.
"""

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from s2s.errors import InputError, UnsupportedError
from s2s.tvm.micro import testing
from s2s.tvm.micro.loader import AutoTvmModuleLoader
from s2s.tvm.micro.model_library_format import UnsupportedInModelLibraryFormatError, export_model_library_format
from s2s.tvm.refusals import refusing


def get_microtvm_template_projects(platform: str) -> str:
    """Return the place that stands for a platform: `crt` is this machine, `zephyr` and `arduino` are packagings."""
    if platform not in ("crt", "zephyr", "arduino"):
        raise InputError(f"get_microtvm_template_projects: {platform} is not known; give crt, zephyr or arduino")
    return f"s2s:{platform}"


def get_standalone_crt_dir() -> str:
    """Return the folder of the C runtime, whose CMakeLists.txt makes the libraries `s2s::tvm` and `s2s::headers`."""
    return str(files("s2s.runtime_c"))


def generate_project(
    template_project_dir: str | Path, module: object, generated_project_dir: str | Path, options: object = None
) -> NoReturn:
    """Refused: projects are written by packagings."""
    raise UnsupportedError(
        "micro.generate_project: project servers of TVM are not run; write(folder) gives a tree with build files, and "
        "`s2s export` a project of Zephyr, Arduino, PlatformIO or ESP-IDF"
    )


class Session:
    """Refused: a board runs a network by `s2s verify --on`."""

    def __init__(self, *_: object, **__: object) -> None:
        raise UnsupportedError(
            "micro.Session: boards are driven by `s2s verify --on BOARD` and by tuners; use library.artifact.verify"
        )


def autotvm_build_func(*_: object) -> NoReturn:
    """What names the one way to build in a `LocalBuilder`; it is not called itself."""
    raise UnsupportedError("micro.autotvm_build_func: names a way to build; give it to LocalBuilder(build_func=…)")


__all__ = [
    "AutoTvmModuleLoader",
    "Session",
    "UnsupportedInModelLibraryFormatError",
    "autotvm_build_func",
    "export_model_library_format",
    "generate_project",
    "get_microtvm_template_projects",
    "get_standalone_crt_dir",
    "testing",
]

if not TYPE_CHECKING:  # a checker would take every submodule for an object
    __getattr__ = refusing("micro")
