"""The ways in which a model is compiled and built: options of the compiler, and the C compiler with its flags."""

import shutil
from dataclasses import asdict, dataclass
from random import Random
from typing import Literal

from s2s.options import CompileOptions, Executor, Schedule
from s2s.targets.flags import STANDARD
from s2s.targets.target import Target

Compiler = Literal["gcc", "clang"]
Optimise = Literal["-O0", "-O1", "-O3"]
TARGETS = ("c", "host", "x86-64-v3")
TRAPPING = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-fno-sanitize=alignment")
"""Undefined behaviour stops the process, which needs no library of the sanitizer."""


@dataclass(frozen=True)
class Variant:
    """One way to compile a model and to build its C."""

    target: str = "host"
    executor: Executor = "aot"
    schedule: Schedule = "default"
    exact: bool = False
    compiler: Compiler = "gcc"
    optimise: Optimise = "-O1"
    trapping: bool = False
    """Whether undefined behaviour stops the process."""

    def options(self) -> CompileOptions:
        """The options of the compiler."""
        return CompileOptions(
            target=self.target, executor=self.executor, schedule=self.schedule, exact=self.exact, name="net"
        )

    def flags(self, target: Target) -> tuple[str, ...]:
        """The flags of the C compiler."""
        own = TRAPPING if self.trapping else ()
        return (*STANDARD, self.optimise, "-fno-math-errno", *target.cflags, *own)

    def describe(self) -> str:
        """The variant in one line."""
        words = [self.target, self.executor, self.schedule, self.compiler, self.optimise]
        return " ".join([*words, *(name for name in ("exact", "trapping") if asdict(self)[name])])


def draw_variants(random: Random, targets: tuple[str, ...], count: int) -> tuple[Variant, ...]:
    """`count` variants: the first is the usual one on some target, the others differ in anything."""
    compilers: list[Compiler] = [name for name in ("gcc", "clang") if shutil.which(name)]
    optimise: tuple[Optimise, ...] = ("-O0", "-O0", "-O1", "-O3")
    usual = Variant(random.choice(targets), compiler=compilers[0], optimise="-O1")
    others = [
        Variant(
            target=random.choice(targets),
            executor=random.choice(("aot", "graph")),
            schedule=random.choice(("default", "default", "reference")),
            exact=random.random() < 0.3,
            compiler=random.choice(compilers),
            optimise=random.choice(optimise),
            trapping=random.random() < 0.3,
        )
        for _ in range(count - 1)
    ]
    return (usual, *others)
