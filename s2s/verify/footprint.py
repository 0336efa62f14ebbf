"""Measure the flash, RAM and stack of an emitted tree with the C compiler of its target.

Every file is compiled for itself and the sections of its object are added up, so a linker that drops unused functions
does no worse. The stack comes from the call graph that gcc writes (`call_graph.py`). The arena is not in here: it
belongs to the caller, and the header of the tree says how large it is.
"""

import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, field
from pathlib import Path

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.support.jobs import jobs
from s2s.targets import Target
from s2s.targets.flags import compile_flags
from s2s.verify.call_graph import TABLES, Stack, UnitGraph, deepest_stack
from s2s.verify.machine_stack import stacks_of
from s2s.verify.toolchain import (
    accepted_flags,
    compiler_version,
    default_compiler,
    is_gcc,
    run_program,
    sibling_program,
)

FIRST_GCC_WITH_CALL_GRAPHS = 10
NO_RED_ZONE = "-mno-red-zone"
UNWINDING = (".eh_frame", ".gcc_except_table", ".ARM.ex")
"""Sections for exceptions of C++ and for debuggers; programs in C do without (`-fno-asynchronous-unwind-tables`)."""

RELOCATED = ".data.rel.ro"
"""Constants that hold addresses: only where code can be loaded anywhere do they have to be written once."""

SOURCE_FOLDERS = ("src", "runtime/src")
DEVICE_FOLDERS = "src/*"
"""The folders of kernels that run on devices beside the first one."""
INCLUDE_FOLDERS = ("include", "src", "runtime/include")
"""Where a tree has the files that its library is made of; `test/` is no part of it."""

ABI_STACK_ALIGN = 16
"""Alignment of the stack that a function on x86 relies on when it is called."""

ANYWHERE = """SECTIONS
{
    . = 0x10000;
    .text : { *(.text .text.*) }
    .rodata : { *(.rodata .rodata.* .srodata .srodata.*) }
    .data : { *(.data .data.* .sdata .sdata.*) }
    .bss : { *(.bss .bss.* .sbss .sbss.* COMMON) }
    end = .;
}
"""
"""The linker script of a program that is read and never run: memory without end."""

_FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
_ALIGNING = re.compile(r"\band[lq]? +\$0x(f+[0-9a-f]+),%[er]sp")
"""How a function on x86 aligns its frame for vectors. gcc counts as if the frame had been aligned already, which it is
in one of several cases; in the worst one all of the alignment but the ABI's is a gap."""


@frozen
class ObjectSize:
    """Bytes of one compiled file."""

    source: str
    code: int = 0
    constants: int = 0
    data: int = 0
    """Variables with a first value: the value in flash and the variable in RAM."""
    zeroed: int = 0
    """Variables that start as zero, in RAM only."""

    @property
    def flash(self) -> int:
        """What flash holds of it."""
        return self.code + self.constants + self.data


@frozen
class Footprint:
    """Figures of an emitted tree, all in bytes."""

    compiler: str
    flags: tuple[str, ...]
    objects: tuple[ObjectSize, ...]
    stack: Stack
    functions: Mapping[str, int] = field(default_factory=dict[str, int])
    """Machine code of each function, the largest first; its parts and its copies in several files added up."""

    @property
    def code(self) -> int:
        """Machine code."""
        return sum(each.code for each in self.objects)

    @property
    def constants(self) -> int:
        """Weights and tables."""
        return sum(each.constants for each in self.objects)

    @property
    def flash(self) -> int:
        """Memory that keeps its content: code, constants and first values of variables."""
        return self.code + self.constants + sum(each.data for each in self.objects)

    @property
    def static_ram(self) -> int:
        """Variables outside of functions."""
        return sum(each.data + each.zeroed for each in self.objects)

    def as_dict(self) -> dict[str, object]:
        """All figures, as JSON has them."""
        totals = {name: getattr(self, name) for name in ("flash", "code", "constants", "static_ram")}
        return {**totals, **asdict(self)}


def measure(
    sources: Sequence[Path],
    *,
    entry: str,
    include: Sequence[Path] = (),
    flags: Sequence[str] = (),
    compiler: Sequence[str] | None = None,
    root: Path | None = None,
    linked: bool = False,
) -> Footprint:
    """Compile `sources`, each for itself, and add up what they take; `entry` is the function whose stack is wanted.

    `compiler` is a command, by default that of this machine; `root` is the folder that names of files start from.
    With `linked` the functions of libraries count in the stack: programs for bare devices hold all that they call.
    """
    command = tuple(compiler) if compiler is not None else default_compiler()
    if not sources:
        raise InputError(f"{root or '.'}: no C files to measure; give the folder that s2s compile wrote")
    obstacle = _stack_obstacle(command)
    measured = (*flags, *(_stack_flags(command) if obstacle is None else ()))
    includes = tuple(f"-I{folder.resolve()}" for folder in include)
    with tempfile.TemporaryDirectory(prefix="s2s-footprint-") as folder:
        outputs = [Path(folder) / f"{number}.o" for number in range(len(sources))]
        own_code = NO_RED_ZONE in measured
        sized = [each.with_suffix(".sized.o") for each in outputs] if own_code else outputs

        def compile_one(source: Path, output: Path, as_built: Path) -> ObjectSize:
            name = _relative(source, root)
            run_program([*command, *measured, *includes, "-c", name, "-o", output], cwd=root)
            if own_code:
                run_program([*command, *flags, *includes, "-c", name, "-o", as_built], cwd=root)
            return object_size(as_built, name, command)

        with ThreadPoolExecutor(jobs()) as pool:
            objects = tuple(pool.map(compile_one, sources, outputs, sized))
        functions = function_sizes(sized, command)
        graphs = [] if obstacle is not None else [_call_graph(output, command) for output in outputs]
        stack = deepest_stack(graphs, entry) if obstacle is None else Stack(None, reasons=(obstacle,))
        if linked and stack.outside and stack.bytes is not None:
            libraries = _libraries(stack, outputs, entry, (*command, *flags), Path(folder))
            stack = deepest_stack(graphs, entry, libraries)
    return Footprint(compiler_version(command), tuple(flags), objects, stack, functions)


def source_files(tree: Path) -> list[Path]:
    """Return the C files of a tree without its test, the first device's first."""
    folders = [*(tree / folder for folder in SOURCE_FOLDERS), *sorted(tree.glob(DEVICE_FOLDERS))]
    return [path for folder in folders for path in sorted(folder.glob("*.c"))]


def measure_tree(
    tree: Path, name: str, target: Target, compiler: Sequence[str] | None = None, *, optimise: str = "O3"
) -> Footprint:
    """Measure what `s2s compile` wrote for the network `name`, built the way its own build files do.

    The stack is that of the network's run function, or that of the executor if the tree has tables for one.
    """
    command = tuple(compiler) if compiler is not None else default_compiler()
    return measure(
        source_files(tree),
        entry="s2s_executor_run" if (tree / "src" / f"{name}{TABLES}").is_file() else f"{name}_run",
        include=[tree / folder for folder in INCLUDE_FOLDERS],
        flags=(
            *accepted_flags(command, [f"-{optimise}" if flag == "-O3" else flag for flag in compile_flags(target)]),
            *target.library_flags,
        ),
        compiler=command,
        root=tree,
        linked=bool(target.cc),
    )


def object_size(path: Path, source: str, compiler: tuple[str, ...]) -> ObjectSize:
    """Add up the sections of an object file, by the flags that `objdump` prints."""
    sizes: Counter[str] = Counter()
    for line in run_program([sibling_program(compiler, "objdump"), "-h", "-w", path]).splitlines():
        match line.split(maxsplit=7):
            case [number, name, size, _, _, _, _, words] if number.isdigit():
                if kind := _kind(name, frozenset(words.split(", "))):
                    sizes[kind] += int(size, 16)
            case _:
                pass
    return ObjectSize(source, **sizes)


def function_sizes(objects: Sequence[Path], compiler: tuple[str, ...]) -> dict[str, int]:
    """Bytes of each function in object files, as `nm` prints them; the largest first."""
    sizes: Counter[str] = Counter()
    for line in run_program([sibling_program(compiler, "nm"), "-P", "-S", "--defined-only", *objects]).splitlines():
        match line.split():
            case [name, "T" | "t", _, size]:
                sizes[name.partition(".")[0]] += int(size, 16)
            case _:
                pass
    return dict(sizes.most_common())


def _libraries(
    stack: Stack, objects: Sequence[Path], entry: str, command: tuple[str, ...], folder: Path
) -> dict[str, int]:
    """Measure the library functions that the code calls, in a program that is linked for this purpose."""
    program, script = folder / "linked.elf", folder / "anywhere.ld"
    script.write_text(ANYWHERE)
    options = ("-nostartfiles", f"-T{script}", f"-Wl,-e,{entry}", "-Wl,--gc-sections", "-lm")
    run_program([*command, *objects, *options, "-o", program])
    found = stacks_of(program, stack.outside, command[:1])
    return {name: each.bytes for name, each in found.items() if each.bytes is not None}


def _call_graph(path: Path, compiler: tuple[str, ...]) -> UnitGraph:
    """Return the call graph that gcc wrote beside an object file, and the alignment gaps above its frames."""
    gaps: dict[str, int] = {}
    function = ""
    for line in run_program([sibling_program(compiler, "objdump"), "-d", "--no-show-raw-insn", path]).splitlines():
        if head := _FUNCTION.match(line):
            function = head[1]
        elif (aligning := _ALIGNING.search(line)) and function not in gaps:
            gaps[function] = -int(aligning[1], 16) % (1 << 4 * len(aligning[1])) - ABI_STACK_ALIGN
    return UnitGraph(path.with_suffix(".ci").read_text(), gaps)


def _kind(name: str, flags: frozenset[str]) -> str | None:
    """Return the kind of a section; None if it is not part of a program."""
    if "ALLOC" not in flags or name.startswith(UNWINDING):
        return None
    if "LOAD" not in flags:
        return "zeroed"
    if "CODE" in flags:
        return "code"
    return "constants" if "READONLY" in flags or name.startswith(RELOCATED) else "data"


def _stack_flags(compiler: tuple[str, ...]) -> tuple[str, ...]:
    """Return the flags that make gcc report the stack frames of functions.

    The red zone of x86-64, 128 bytes that a leaf uses without taking them, is not in gcc's figures: do without it. That
    makes other code, so that sizes are those of a second object.
    """
    machine = run_program([*compiler, "-dumpmachine"])
    return ("-fcallgraph-info=su,da", *((NO_RED_ZONE,) if machine.startswith(("x86_64", "amd64")) else ()))


def _stack_obstacle(compiler: tuple[str, ...]) -> str | None:
    """Return why this compiler cannot report the stack; None if it can."""
    version = compiler_version(compiler)
    if not is_gcc(compiler):
        return f"{version} does not write call graphs; measure with gcc"
    major = version.removeprefix("gcc ").partition(".")[0]
    if major.isdigit() and int(major) < FIRST_GCC_WITH_CALL_GRAPHS:
        return f"{version} does not write call graphs; gcc {FIRST_GCC_WITH_CALL_GRAPHS} and later do"
    return None


def _relative(path: Path, root: Path | None) -> str:
    return str(path.resolve().relative_to(root.resolve())) if root is not None else str(path)
