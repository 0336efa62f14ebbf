"""Devices beside the first one: what runs on them, which memory they have, and how values get there.

    [devices.dsp]
    target = "cortex-m7"              # as --target takes it; by default that of the first device
    memory = "64KiB"                  # its own arena with a limit; "own" (the default) has none, "shared" is no arena
    copy = "start-wait"               # hooks start copies, and others wait for them; by default "copy"
    layers = ["conv2", "block3/*"]    # nodes of the model, with wildcards
    operators = ["conv", "matmul"]    # operators of dialect graph

What no table asks for runs on the first device, `main`, or where its operands are.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from s2s.errors import InputError
from s2s.types.pools import size_of

MAIN = "main"
"""The device that runs the run function; its memory holds inputs and outputs."""
SHARED, OWN = "shared", "own"
WHOLE, STARTED = "copy", "start-wait"
"""What the hooks of a device do: all of a copy, or its start, which another hook waits for."""
KEYS = ("target", "memory", "copy", "layers", "operators")
TABLE = "devices"
"""The table of a project file."""
MAX_BYTES = 1 << 20
_NAME = re.compile(r"[a-z][a-z0-9_]{0,15}")


class Device(NamedTuple):
    """A device beside the first one."""

    name: str
    """Its name in C and in reports: lower-case letters, digits and _."""
    target: str | None = None
    """The name or the file of its target; None: that of the first device."""
    shared: bool = False
    """Whether it sees the memory of the first device; else it has an arena of its own."""
    size: int | None = None
    """Bytes that its own arena may take; None: no limit."""
    copy: str = WHOLE
    """What its hooks do."""
    layers: tuple[str, ...] = ()
    """Patterns of the nodes that run there."""
    operators: tuple[str, ...] = ()
    """The operators that run there."""


Devices = tuple[Device, ...]
DeviceSource = str | Path | Mapping[str, Mapping[str, object]]
"""A TOML file with tables `[devices.NAME]`, or these tables by name."""


def devices_of(given: DeviceSource | None) -> Devices:
    """Return the devices of a file, or of tables by name."""
    if given is None:
        return ()
    place = str(given) if isinstance(given, str | Path) else "devices"
    tables = _read(Path(given)) if isinstance(given, str | Path) else given
    if not isinstance(tables, Mapping) or not tables:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"--devices {place}: holds no table [devices.NAME]; add one for each device but the first")
    return tuple(_device(f"--devices {place}: {name}", name, table) for name, table in tables.items())


def _read(path: Path) -> Mapping[str, Mapping[str, object]]:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"--devices {path}: is larger than {MAX_BYTES} bytes; give a list of devices")
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"--devices {path}: cannot be read ({error.strerror}); give a TOML file") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"--devices {path}: is no TOML ({error}); mend the file") from error
    tables: Any = found.get(TABLE)
    return cast(Mapping[str, Mapping[str, object]], tables)


def _device(place: str, name: str, table: Mapping[str, object]) -> Device:
    if not _NAME.fullmatch(name) or name == MAIN:
        raise InputError(
            f"{place}: is no name of a device; take up to 16 lower-case letters, digits and _, and not {MAIN}, which "
            "is the first device"
        )
    if not isinstance(table, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"{place}: is no table; give its keys, for example layers = ['conv1']")
    unknown = next((key for key in table if key not in KEYS), None)
    if unknown is not None:
        raise InputError(f"{place}: there is no key {unknown}; the keys are {', '.join(KEYS)}")
    memory = _text(place, table, "memory", OWN)
    size = None if memory in (OWN, SHARED) else size_of(memory)
    if memory not in (OWN, SHARED) and size is None:
        raise InputError(f"{place}: memory = {memory!r}: is no memory; give {OWN}, {SHARED} or a size as 64KiB")
    copy = _text(place, table, "copy", WHOLE)
    if copy not in (WHOLE, STARTED):
        raise InputError(f"{place}: copy = {copy!r}: is not known; give {WHOLE} or {STARTED}")
    target = table.get("target")
    if target is not None and not isinstance(target, str):
        raise InputError(f"{place}: target = {target!r}: is no name; give the name or the file of a target")
    return Device(
        name=name,
        target=target,
        shared=memory == SHARED,
        size=size,
        copy=copy,
        layers=_texts(place, table, "layers"),
        operators=_texts(place, table, "operators"),
    )


def _text(place: str, table: Mapping[str, object], key: str, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise InputError(f"{place}: {key} = {value!r}: is no text; give one in quotes")
    return value


def _texts(place: str, table: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = table.get(key, ())
    listed = cast(Sequence[object], value) if isinstance(value, list | tuple) else None
    if listed is None or not all(isinstance(each, str) and each for each in listed):
        raise InputError(f"{place}: {key} = {value!r}: is no list of texts; give for example {key} = ['conv1']")
    return tuple(map(str, listed))
