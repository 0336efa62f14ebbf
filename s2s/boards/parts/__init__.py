"""Microcontrollers as data: core, clock, wait states of the flash, and the energy that a cycle takes."""

import tomllib
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

from s2s.errors import InputError
from s2s.support.frozen import frozen
from s2s.support.resources import part_file, part_files

SUFFIX = ".toml"


@frozen
class Part:
    """A microcontroller."""

    name: str
    core: str
    """As targets name it: `cortex-m4`."""
    megahertz: float
    wait_states: int = 0
    """Of the flash at this clock."""
    fetch_bytes: int = 8
    """Read from flash at once."""
    prefetch: bool = False
    """Whether the next read starts while the last one is executed."""
    instruction_cache: bool = False
    """Whether code in flash is assumed to be in a cache, where it takes no wait states."""
    multiply: int = 1
    """Cycles of a multiplication on a Cortex-M0: 1 or 32."""
    pj_least: float = 0
    """Energy of a cycle in picojoules, measured: the least and the most; 0 where nobody measured."""
    pj_most: float = 0
    source: str = ""
    """Where the energy was measured."""

    def microjoules(self, cycles: int) -> tuple[float, float] | None:
        """Return the least and the most energy of some cycles; None if nobody measured it."""
        return (cycles * self.pj_least / 1e6, cycles * self.pj_most / 1e6) if self.pj_most else None


def get_part(name: str) -> Part:
    """Return the part of a name such as `stm32l4r5`, or of a file that describes one."""
    if name.endswith(SUFFIX):
        return _read_file(Path(name))
    if name not in part_files():
        names = ", ".join(part_files())
        raise InputError(f"--part {name}: there is no such part; give one of {names}, or a file that describes one")
    return _known(name)


@cache
def _known(name: str) -> Part:
    return _read(tomllib.loads(part_file(name)), f"the part {name}")


def _read_file(path: Path) -> Part:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"--part {path}: cannot be read ({error}); give a file of TOML") from error
    return _read(table, f"--part {path}")


def _read(table: dict[str, Any], place: str) -> Part:
    """Check each value of a table by the type of its field."""
    known = {field.name: field for field in fields(Part)}
    for name, value in table.items():
        if name not in known:
            raise InputError(f"{place}: there is no key {name}; the keys are {', '.join(known)}")
        wanted: str = getattr(known[name].type, "__name__", "")
        kinds = {"str": (str,), "int": (int,), "float": (int, float), "bool": (bool,)}[wanted]
        if type(value) not in kinds:
            raise InputError(f"{place}: {name} is {value!r}, which is no {wanted}; give one")
        if wanted in ("int", "float") and value < 0:
            raise InputError(f"{place}: {name} is {value}; give a number that is not negative")
    for name in ("name", "core", "megahertz"):
        if name not in table:
            raise InputError(f"{place}: there is no key {name}; add it")
    part = Part(**table)
    if part.megahertz == 0 or part.fetch_bytes == 0 or part.pj_most < part.pj_least:
        raise InputError(f"{place}: megahertz and fetch_bytes are positive, pj_least is at most pj_most; change them")
    return part


__all__ = ["Part", "get_part"]
