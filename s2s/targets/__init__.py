"""Targets: what the code generator may know of a machine, as data. A new target is one entry in one file."""

from s2s.errors import InputError
from s2s.targets.host import host
from s2s.targets.plain import PLAIN
from s2s.targets.target import Target


def get_target(name: str) -> Target:
    """The target called `name`."""
    known = {PLAIN.name: lambda: PLAIN, "host": host}
    if name not in known:
        raise InputError(f"--target {name}: there is no such target; the targets are {', '.join(sorted(known))}")
    return known[name]()


TARGET_NAMES = ("c", "host")

__all__ = ["TARGET_NAMES", "Target", "get_target"]
