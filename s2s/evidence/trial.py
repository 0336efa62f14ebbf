"""Build and run the test programs of a tree with a compiler and flags: the self-test, and the calls that it refuses."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from s2s.c_syntax.interface import Interface
from s2s.errors import ToolchainError
from s2s.support.frozen import frozen
from s2s.support.resources import template_source
from s2s.verify.footprint import INCLUDE_FOLDERS, source_files
from s2s.verify.toolchain import accepted_flags, run_program

REFUSED = "refused.c"
"""The program of calls that the network refuses."""
UNOPTIMISED = "-DS2S_UNOPTIMISED"
"""Tells the tree that it is not meant to be fast, so that it says nothing about that."""


@frozen
class Trial:
    """A tree on disk with its test programs."""

    tree: Path
    name: str
    target_flags: tuple[str, ...]
    """The flags of the tree's target, without an optimisation level."""
    refuses: bool
    """Whether there is a program of calls that the network refuses."""

    @property
    def library(self) -> list[str]:
        """The C files of the library, relative to the tree."""
        return [path.relative_to(self.tree).as_posix() for path in source_files(self.tree)]

    def flags(self, compiler: str, *more: str) -> list[str]:
        """The flags that build the tree: the target's that `compiler` takes, and `more`."""
        folders = [f"-I{folder}" for folder in (*INCLUDE_FOLDERS, "test")]
        return [*accepted_flags((compiler,), self.target_flags), UNOPTIMISED, *more, *folders]

    def compile(self, compiler: str, folder: Path, *more: str) -> list[Path]:
        """Compile the library into `folder`, an object a file."""
        folder.mkdir(parents=True)
        flags, objects = self.flags(compiler, *more), list[Path]()
        for source in self.library:
            objects.append(folder / f"{source.replace('/', '.').removesuffix('.c')}.o")
            run_program([compiler, *flags, "-c", source, "-o", objects[-1]], self.tree)
        return objects

    def run(self, compiler: str, folder: Path, objects: Sequence[Path], *more: str) -> str:
        """Link the objects with each test program, run these, and return what the self-test says.

        Raises ToolchainError where a program cannot be built, or says that something is wrong.
        """
        return "".join(run_program([program], folder) for program in self.programs(compiler, folder, objects, *more))

    def programs(self, compiler: str, folder: Path, objects: Sequence[Path], *more: str) -> list[Path]:
        """Link the objects with each test program, and return the programs."""
        linked: list[Path] = []
        for sources in self._sources():
            linked.append(folder / sources[-1].replace("/", ".").removesuffix(".c"))
            command = [compiler, *self.flags(compiler, *more), *sources, *objects, "-lm", "-o", linked[-1]]
            run_program(command, self.tree)
        return linked

    def _sources(self) -> list[list[str]]:
        vectors, test = f"test/{self.name}_vectors.c", f"test/{self.name}_test.c"
        named = [vectors] if (self.tree / vectors).is_file() else []
        return [[*named, test], *([[f"test/{REFUSED}"]] if self.refuses else [])]


def trial_of(tree: Path, interface: Interface, flags: Sequence[str]) -> Trial:
    """Return the trial of a tree on disk, whose folder gets the program of refused calls."""
    parts = max(len(interface.pools), 1)
    simple = not (interface.pack or interface.threads or interface.sizes) and interface.executor == "aot"
    refuses = simple and parts == 1 and (tree / "test").is_dir()
    if refuses:
        environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
        template = environment.from_string(template_source("evidence/refused.c.j2"))
        ports = [f"port_{port.identifier}" for port in interface.ports]
        calls = [interface.run(["NULL"], ports)] if interface.arena_size else []
        calls += [interface.run(["arena"], [*ports[:at], "NULL", *ports[at + 1 :]]) for at in range(len(ports))]
        text = template.render(
            network=interface,
            arguments=["arena", *ports],
            calls=calls,
            states=bool(interface.states),
            misaligned=interface.arena_size > 1 and interface.arena_align > 1 and interface.arena_type is None,
        )
        (tree / "test" / REFUSED).write_text(text, encoding="utf-8")
    return Trial(tree, interface.name, tuple(flag for flag in flags if not flag.startswith("-O")), refuses)


def attempt(trial: Trial, compiler: str, folder: Path, flags: Sequence[str], link: Sequence[str] = ()) -> str:
    """Build and run a trial; return what is wrong, empty if nothing is."""
    try:
        objects = trial.compile(compiler, folder, *flags)
        trial.run(compiler, folder, objects, *flags, *link)
    except ToolchainError as error:
        return str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return ""
