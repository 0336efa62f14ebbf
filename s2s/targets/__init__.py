"""Targets: what the code generator may know of a machine, as data. A new target is one entry in one file."""

from s2s.errors import InputError
from s2s.targets.host import host
from s2s.targets.plain import PLAIN
from s2s.targets.target import Target
from s2s.targets.x86_64 import LEVELS


def get_target(name: str) -> Target:
    """The target called `name`."""
    known = {target.name: target for target in (PLAIN, *LEVELS)}
    if name == "host":
        return host()
    if name not in known:
        raise InputError(f"--target {name}: there is no such target; the targets are {', '.join(TARGET_NAMES)}")
    return known[name]


TARGET_NAMES = ("host", PLAIN.name, *(target.name for target in LEVELS))

__all__ = ["TARGET_NAMES", "Target", "get_target"]
