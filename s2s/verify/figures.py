"""Measure a network with the compiler of its target, and check the sizes against budgets."""

import shutil
import tempfile
from itertools import islice
from pathlib import Path

from s2s.emit.files import Tree
from s2s.emit.info import Measured, NetworkInfo, TogetherInfo
from s2s.errors import InputError, ToolchainError
from s2s.support import progress
from s2s.targets import Target
from s2s.verify.footprint import Footprint, measure_tree
from s2s.verify.toolchain import default_compiler

OPTIMISE = "O3"
MAX_FUNCTIONS = 10
"""The number of functions whose code sizes are reported."""


def compiler_for(target: Target) -> tuple[str, ...] | None:
    """Return the compiler of `target`; None if it is not installed."""
    if not target.cc:
        return default_compiler()
    path = shutil.which(target.cc)
    return None if path is None else (path,)


def measure_network(tree: Tree, info: NetworkInfo) -> Measured | None:
    """Return the sizes of a tree; None if there is no compiler for its target."""
    compiler = compiler_for(info.target)
    if compiler is None:
        return None
    progress.step("measuring flash and stack")
    with tempfile.TemporaryDirectory(prefix="s2s-tree-") as folder:
        place = Path(folder) / info.name
        tree.write(place)
        return measured(measure_tree(place, info.name, info.target, compiler, optimise=OPTIMISE))


def measure_together(tree: Tree, info: TogetherInfo) -> tuple[dict[str, int | None], Measured | None]:
    """Return the deepest stack of each network, and the sizes of a tree of several networks; None if there is no
    compiler for its target."""
    target = info.networks[0].target
    compiler = compiler_for(target)
    if compiler is None:
        return {}, None
    progress.step("measuring flash and stack")
    with tempfile.TemporaryDirectory(prefix="s2s-tree-") as folder:
        place = Path(folder) / info.name
        tree.write(place)
        found = {
            each.name: measured(measure_tree(place, each.name, target, compiler, optimise=OPTIMISE))
            for each in info.networks
        }
    stacks = {name: each.stack for name, each in found.items()}
    deepest = max(found.values(), key=lambda each: (each.stack is None, each.stack or 0))
    return stacks, deepest


def measured(footprint: Footprint) -> Measured:
    """Convert a footprint to the figures of a tree's record."""
    return Measured(
        by=f"{footprint.compiler} -{OPTIMISE}",
        code=footprint.code,
        constants=footprint.flash - footprint.code,
        static_ram=footprint.static_ram,
        stack=footprint.stack.bytes,
        stack_note=footprint.stack.note,
        stack_path=footprint.stack.path,
        functions=dict(islice(footprint.functions.items(), MAX_FUNCTIONS)),
        stacks=footprint.stack.kernels,
    )


def check_budgets(info: NetworkInfo, flash: int | None, stack: int | None) -> None:
    """Raise an error for a network that exceeds a budget, or whose size is unknown."""
    if flash is None and stack is None:
        return
    option = "--flash-budget" if flash is not None else "--stack-budget"
    if info.measured is None:
        packages = " ".join(info.target.packages)
        raise ToolchainError(
            f"{option}: measuring wants {info.target.cc}, which is not installed; on Debian: "
            f"apt-get install --no-install-recommends {packages}"
        )
    found = info.measured
    if flash is not None and found.flash > flash:
        raise InputError(
            f"--flash-budget {flash}: {info.name} takes {found.flash} bytes of flash, {found.constants} of constants "
            f"and {found.code} of machine code ({found.by}); allow {found.flash}"
        )
    if stack is not None and found.stack is None:
        raise InputError(f"--stack-budget {stack}: the stack cannot be told: {found.stack_note}; leave the option out")
    if stack is not None and found.stack is not None and found.stack > stack:
        raise InputError(
            f"--stack-budget {stack}: {info.name} takes {found.stack} bytes of stack ({found.by}); allow {found.stack}"
        )
