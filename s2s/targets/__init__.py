"""Targets: what the code generator may know of a machine, as data. A new target is one entry in one file."""

from s2s.errors import InputError
from s2s.targets.aarch64 import AARCH64
from s2s.targets.cortex_m import CORES
from s2s.targets.host import host
from s2s.targets.plain import PLAIN
from s2s.targets.riscv import RV32IMC
from s2s.targets.target import Target
from s2s.targets.x86_64 import LEVELS

_ELSEWHERE = (PLAIN, *LEVELS, AARCH64, *CORES, RV32IMC)
"""All targets but the machine that the compiler runs on."""


def get_target(name: str) -> Target:
    """The target called `name`."""
    known = {target.name: target for target in _ELSEWHERE}
    if name == "host":
        return host()
    if name not in known:
        raise InputError(f"--target {name}: there is no such target; the targets are {', '.join(TARGET_NAMES)}")
    return known[name]


TARGET_NAMES = ("host", *(target.name for target in _ELSEWHERE))

__all__ = ["TARGET_NAMES", "Target", "get_target"]
