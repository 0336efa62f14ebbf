"""The ways in which a model is compiled and built: options of the compiler, and the C compiler with its flags."""

import shutil
from dataclasses import asdict, replace
from random import Random
from typing import Literal

from s2s.options import CompileOptions, Executor, Schedule
from s2s.support.frozen import frozen
from s2s.targets import get_target
from s2s.targets.flags import STANDARD
from s2s.targets.target import Target

Compiler = Literal["tcc", "gcc", "clang"]
Optimise = Literal["-O0", "-O1", "-O3"]
TARGETS = ("c", "host", "x86-64-v3")
STREAM_TARGETS = ("c", "cortex-m4", "rv32imc", "host")
"""The targets of networks that run on new frames: those of microcontrollers lay results over operands."""
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
    executor: Executor = "aot"
    schedule: Schedule = "default"
    exact: bool = False
    compiler: Compiler = "gcc"
    optimise: Optimise = "-O1"
    trapping: bool = False
    """Whether undefined behaviour stops the process."""
    sizes: bool = False
    """Whether a dimension of the inputs has a size that varies."""
    rewritten: bool = False
    """Whether the model is written in another form (`forms`)."""
    streams: bool = False
    """Whether windows slide and states are kept, as the metadata of the model say."""
    least_ram: bool = False
    """Whether the smallest plan of memory is taken."""
    poison: bool = False
    """Whether bytes of the arena that hold no value are overwritten."""
    threads: int = 1

    def options(self) -> CompileOptions:
        """The options of the compiler."""
        return CompileOptions(
            target=self.target,
            executor=self.executor,
            schedule=self.schedule,
            exact=self.exact,
            name="net",
            ram_budget="min" if self.least_ram else None,
            poison=self.poison,
            threads=self.threads,
        )

    def flags(self, target: Target) -> tuple[str, ...]:
        """The flags of the C compiler of this machine; intrinsics of another one are plain C there."""
        own = TRAPPING if self.trapping else ()
        machine = () if target.cc else target.cflags
        return (*STANDARD, self.optimise, "-fno-math-errno", *machine, *own)

    def describe(self) -> str:
        """The variant in one line."""
        words = [self.target, self.executor, self.schedule, self.compiler, self.optimise]
        more = [name for name, value in asdict(self).items() if value is True]
        return " ".join([*words, *more, *([f"{self.threads} threads"] if self.threads > 1 else [])])


def draw_variants(
    random: Random, targets: tuple[str, ...], count: int, *, thorough: bool = True
) -> tuple[Variant, ...]:
    """`count` variants: built by a compiler that optimises if `thorough`, else by the quickest one."""
    return tuple(_drawn(random, targets, thorough=thorough) for _ in range(count))


def draw_carried(random: Random, variant: Variant) -> Variant:
    """The variant for a network that keeps windows and states, with options for the memory that they lie in."""
    plain, is_aot = variant.schedule == "default", variant.executor == "aot"
    least_ram = plain and is_aot and random.random() < 0.25
    may_divide = plain and is_aot and not least_ram and get_target(variant.target).fork_join > 0
    return replace(
        variant,
        streams=True,
        rewritten=False,
        least_ram=least_ram,
        poison=is_aot and random.random() < 0.2,
        threads=2 if may_divide and random.random() < 0.3 else 1,
    )


def _drawn(random: Random, targets: tuple[str, ...], *, thorough: bool) -> Variant:
    executors: tuple[Executor, ...] = ("aot", "aot", "graph")
    schedules: tuple[Schedule, ...] = ("default", "default", "default", "reference")
    optimise: tuple[Optimise, ...] = ("-O1", "-O3") if thorough else ("-O0",)
    installed: list[Compiler] = [name for name in (THOROUGH if thorough else QUICK) if shutil.which(name)]
    return Variant(
        target=random.choice(targets),
        executor=random.choice(executors),
        schedule=random.choice(schedules),
        exact=random.random() < 0.25,
        compiler=random.choice(installed) if thorough else installed[0],
        optimise=random.choice(optimise),
        trapping=thorough and random.random() < 0.5,
        rewritten=random.random() < 0.25,
    )
