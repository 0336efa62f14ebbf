"""Access the resource files of the package: templates, the C runtime, the harness of boards, and C programs for
measuring.

They are read through `importlib.resources`, so they are found in a checkout, in an installed wheel and in a zip alike.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

from s2s.errors import CompilerBug

RUNTIME = "s2s.runtime_c"
TEMPLATES = "s2s.templates"
BOARDS = "s2s.boards"
HARNESS = "harness"
"""The folder of the boards with what a program needs there."""
CYCLES = "s2s.boards.cycles"
TABLES = "tables"
"""The folder of the cycles of instructions, one table for each core."""
PARTS = "s2s.boards.parts"
TOML = ".toml"
PROFILING = "s2s.profiling"
NATIVE = "native"
"""The folder of the profiler, and of the backend of `torch.compile`, with its C."""
TORCH_BACKEND = "s2s.torch_backend"
DEMOS = "s2s.demos"


def runtime_source(path: str) -> str:
    """Return the text of a file of the C runtime, such as `include/s2s.h`."""
    return _read(RUNTIME, path)


def runtime_licence() -> str:
    """Return the text of the licence of the C runtime."""
    return _read(RUNTIME, "LICENSE.txt")


def template_source(path: str) -> str:
    """Return the text of a template, such as `header.h.j2`."""
    return _read(TEMPLATES, path)


def runtime_files() -> list[str]:
    """Paths of all files of the C runtime, sorted: `include/s2s.h`, …, `src/arena.c`, …"""
    return sorted(path for path in _walk(files(RUNTIME), "") if path.endswith((".c", ".h")))


def harness_source(name: str) -> str:
    """Return the text of a file of the harness that programs for boards are linked with, such as `board.h`."""
    return _read(BOARDS, f"{HARNESS}/{name}")


def harness_files() -> list[str]:
    """Names of all files of the harness, sorted."""
    return sorted(_walk(files(BOARDS).joinpath(HARNESS), ""))


def demo_data(name: str) -> bytes:
    """Return a file of data of the demos."""
    return files(DEMOS).joinpath("data", name).read_bytes()


def block_counter() -> str:
    """Return the C of the plugin that counts blocks of code in an emulator."""
    return _read(BOARDS, "plugin/blocks.c")


def cycle_table(core: str) -> str:
    """Return the table of the cycles of instructions of a core, such as `cortex-m4`."""
    return _read(CYCLES, f"{TABLES}/{core}{TOML}")


def cycle_tables() -> list[str]:
    """Names of all cores with such a table, sorted."""
    return _stems(files(CYCLES).joinpath(TABLES))


def part_file(name: str) -> str:
    """Return the file of a microcontroller, such as `stm32l4r5`."""
    return _read(PARTS, f"{name}{TOML}")


def part_files() -> list[str]:
    """Names of all microcontrollers that have a file, sorted."""
    return _stems(files(PARTS))


def profiling_source(name: str) -> str:
    """Return the text of a C file of the profiler, such as `hooks.h`."""
    return _read(PROFILING, f"{NATIVE}/{name}")


def backend_source(name: str) -> str:
    """Return the text of a C file of the backend of `torch.compile`, such as `digest.c`."""
    return _read(TORCH_BACKEND, f"{NATIVE}/{name}")


def _read(package: str, path: str) -> str:
    resource = files(package).joinpath(path)
    if not resource.is_file():
        raise CompilerBug(f"{package} holds no file {path}")
    return resource.read_text(encoding="utf-8")


def _stems(folder: Traversable) -> list[str]:
    return sorted(path.removesuffix(TOML) for path in _walk(folder, "") if path.endswith(TOML))


def _walk(folder: Traversable, prefix: str) -> list[str]:
    found: list[str] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _walk(entry, f"{prefix}{entry.name}/")
        else:
            found.append(prefix + entry.name)
    return found
