"""microTVM under TVM's names: archives of networks for firmware, projects, sessions, and measuring on boards.

Servers of projects that others write are not run. Beside the projects of `generate_project`, `library.write(folder)`
gives a tree with build files, and `s2s export` one for Zephyr, Arduino and others.
"""

from importlib.resources import files
from typing import TYPE_CHECKING, NoReturn

from s2s.errors import UnsupportedError
from s2s.tvm.micro import testing
from s2s.tvm.micro.loader import AutoTvmModuleLoader
from s2s.tvm.micro.model_library_format import UnsupportedInModelLibraryFormatError, export_model_library_format
from s2s.tvm.micro.project import (
    GeneratedProject,
    TemplateProject,
    generate_project,
    generate_project_from_mlf,
    get_microtvm_template_projects,
)
from s2s.tvm.micro.session import Session, create_local_aot_executor, create_local_graph_executor
from s2s.tvm.refusals import refusing


def get_standalone_crt_dir() -> str:
    """Return the folder of the C runtime, whose CMakeLists.txt makes the libraries `s2s::tvm` and `s2s::headers`."""
    return str(files("s2s.runtime_c"))


def autotvm_build_func(*_: object) -> NoReturn:
    """What names the one way to build in a `LocalBuilder`; it is not called itself."""
    raise UnsupportedError("micro.autotvm_build_func: names a way to build; give it to LocalBuilder(build_func=…)")


__all__ = [
    "AutoTvmModuleLoader",
    "GeneratedProject",
    "Session",
    "TemplateProject",
    "UnsupportedInModelLibraryFormatError",
    "autotvm_build_func",
    "create_local_aot_executor",
    "create_local_graph_executor",
    "export_model_library_format",
    "generate_project",
    "generate_project_from_mlf",
    "get_microtvm_template_projects",
    "get_standalone_crt_dir",
    "testing",
]

if not TYPE_CHECKING:  # a checker would take every submodule for an object
    __getattr__ = refusing("micro")
