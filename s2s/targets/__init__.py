"""Targets: the properties of machines that the code generator reads, as data. A new target is one entry in one file.

Targets from elsewhere are TOML files, `Target` objects, and the entry points of other Python packages in the group
`s2s.targets`, each a `Target` or a function that gives one.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from s2s.errors import InputError, WrongValueError
from s2s.support.entry_points import entry_points
from s2s.targets.aarch64 import A64
from s2s.targets.cortex_m import CORES
from s2s.targets.file import SUFFIX, print_target, read_target
from s2s.targets.host import host
from s2s.targets.keys import did_you_mean
from s2s.targets.plain import PLAIN
from s2s.targets.riscv import RV32IMC
from s2s.targets.target import Target
from s2s.targets.wasm import WASM32
from s2s.targets.x86_64 import LEVELS

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_ELSEWHERE = (PLAIN, *LEVELS, *A64, *CORES, RV32IMC, WASM32)
"""All targets of the package but the machine that the compiler runs on."""
_KNOWN = {target.name: target for target in _ELSEWHERE}

TARGET_NAMES = ("host", *_KNOWN)
"""The targets of the package."""
ENTRY_POINTS = "s2s.targets"
"""The group of entry points of packages that bring targets."""


def get_target(target: str | Target) -> Target:
    """Return the target of a name, or of a file `….toml`; return a `Target` as it is."""
    if isinstance(target, Target):
        return target
    if not isinstance(target, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"target: {type(target).__name__} given; give a name, a target file or a Target")
    if target == "host":
        return host()
    if target in _KNOWN:
        return _KNOWN[target]
    if target.endswith(SUFFIX):
        return read_target(Path(target), get_target)
    if target in (brought := _brought()):
        return _load(brought[target])
    from s2s.targets.chips import target_of_chip

    names = target_names()
    if (core := target_of_chip(target)) is not None:
        raise InputError(f"--target {target}: is a microcontroller, not a core; give --target {core}")
    raise WrongValueError(
        f"--target {target}: there is no such target; {did_you_mean(target, names)}the targets are {', '.join(names)}, "
        f"and files {'*' + SUFFIX} as `s2s targets NAME` prints them"
    )


def target_names() -> tuple[str, ...]:
    """Return the names of all installed targets."""
    return (*TARGET_NAMES, *sorted(set(_brought()) - set(TARGET_NAMES)))


def _brought() -> "dict[str, EntryPoint]":
    """Return the targets of other packages by name."""
    return {each.name: each for each in entry_points(group=ENTRY_POINTS)}


def _load(point: "EntryPoint") -> Target:
    """Load the target of an entry point."""
    place = f"target {point.name} ({point.value})"
    try:
        found = point.load()
        found = found() if callable(found) else found
    except Exception as error:  # whatever a package of somebody else raises
        raise InputError(f"{place}: cannot be loaded ({error!r}); mend or remove the package that brings it") from error
    if not isinstance(found, Target):
        raise InputError(f"{place}: is neither an s2s.Target nor a function that gives one; mend the package")
    return found


__all__ = ["TARGET_NAMES", "Target", "get_target", "print_target", "target_names"]
