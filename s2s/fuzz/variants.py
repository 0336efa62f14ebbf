"""The ways in which a model is compiled and built: options of the compiler, and the C compiler with its flags."""

import shutil
import subprocess
from dataclasses import asdict, field
from functools import cache
from random import Random
from typing import Any, Literal

from s2s.fuzz.options import Values, draw_options, options_of
from s2s.options import CompileOptions
from s2s.support.frozen import frozen
from s2s.targets import get_target
from s2s.targets.flags import STANDARD
from s2s.targets.target import Target

JOINED = 0.1
"""The share of variants whose tree holds several networks."""
Compiler = Literal["tcc", "gcc", "clang"]
Optimise = Literal["-O0", "-O1", "-O3"]
TARGETS = ("c", "host", "x86-64-v3")
STREAM_TARGETS = ("c", "cortex-m4", "rv32imc", "host")
"""The targets of networks that run on new frames: microcontrollers' trees lay results over operands."""
QUICK: tuple[Compiler, ...] = ("tcc", "gcc", "clang")
"""The compilers that build most models, the quickest first; the first that is installed does."""
THOROUGH: tuple[Compiler, ...] = ("gcc", "clang")
"""The compilers that optimise: they build a sample of the models."""
TRAPPING = ("-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-fno-sanitize=alignment")
"""Undefined behaviour stops the process, which needs no library of the sanitizer."""


@frozen
class Variant:
    """One way to compile a model and to build its C."""

    target: str = "host"
    chosen: Values = field(default_factory=dict[str, Any])
    """The options of the compiler that have other values than by default, by name."""
    compiler: Compiler = "gcc"
    optimise: Optimise = "-O1"
    trapping: bool = False
    """Whether undefined behaviour stops the process."""
    sizes: bool = False
    """Whether a dimension of the inputs has a size that varies."""
    rewritten: bool = False
    """Whether the model is written in another form (`forms`)."""
    joined: bool = False
    """Whether the model and its halves are networks of one tree."""
    alike: bool = False
    """Whether these networks share kernels that are alike but for numbers."""
    concurrent: bool = False
    """Whether they may run at the same time."""
    streams: bool = False
    """Whether windows slide and states are kept, as the metadata of the model say."""

    def options(self) -> CompileOptions:
        """The options of the compiler."""
        return options_of({"target": self.target, "name": "net", **self.chosen})

    def flags(self, target: Target) -> tuple[str, ...]:
        """The flags of the C compiler of this machine; intrinsics of another one are plain C there."""
        own = TRAPPING if self.trapping else ()
        machine = () if target.cc else target.cflags
        return (*STANDARD, self.optimise, "-fno-math-errno", *machine, *own)

    @property
    def traits(self) -> tuple[str, ...]:
        """What it was drawn to have: target, compiler, and each option and form that is not the default."""
        forms = [name for name, value in asdict(self).items() if value is True]
        return (self.target, f"{self.compiler} {self.optimise}", *forms, *(f"--{name}" for name in self.chosen))

    def describe(self) -> str:
        """The variant in one line."""
        more = [name for name, value in asdict(self).items() if value is True]
        chosen = [name if value is True else f"{name}={value}" for name, value in self.chosen.items()]
        return " ".join([self.target, self.compiler, self.optimise, *more, *chosen])


def draw_variants(
    random: Random, targets: tuple[str, ...], count: int, *, thorough: bool = True, given: Values | None = None
) -> tuple[Variant, ...]:
    """`count` variants with the options `given`: built by a compiler that optimises if `thorough`, else by the quickest
    one."""
    return tuple(_drawn(random, targets, given or {}, thorough=thorough) for _ in range(count))


def _drawn(random: Random, targets: tuple[str, ...], given: Values, *, thorough: bool) -> Variant:
    optimise: tuple[Optimise, ...] = ("-O1", "-O3") if thorough else ("-O0",)
    compilers: list[Compiler] = [name for name in (THOROUGH if thorough else QUICK) if shutil.which(name)]
    target = random.choice(targets)
    one_thread = {} if get_target(target).fork_join > 0 else {"threads": 1}
    joined = random.random() < JOINED
    alone = {"weights": "arrays", "steps": None, "executor": "aot"} if joined else {}
    chosen = {**given, **draw_options(random, {"target": target, **given, **one_thread, **alone})}
    if chosen.get("threading") == "openmp":
        compilers = [name for name in compilers if _has_openmp(name)] or compilers
    return Variant(
        target=target,
        chosen=chosen,
        compiler=random.choice(compilers) if thorough else compilers[0],
        optimise=random.choice(optimise),
        trapping=thorough and random.random() < 0.5,
        rewritten=random.random() < 0.25 and chosen.get("executor") != "graph",  # tables hold no branches
        joined=joined,
        alike=joined and random.random() < 0.5,
        concurrent=joined and random.random() < 0.5,
    )


@cache
def _has_openmp(compiler: str) -> bool:
    """Whether a compiler of this machine has the header of OpenMP; clang needs a package of its own for it."""
    command = [compiler, "-fopenmp", "-E", "-x", "c", "-"]
    return subprocess.run(command, input=b"#include <omp.h>\n", capture_output=True, check=False).returncode == 0
