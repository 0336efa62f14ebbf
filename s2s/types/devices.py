"""Devices beside the first one: what runs on them, which memory they have, and how values get there.

    [devices.dsp]
    target = "cortex-m7"              # as --target takes it; by default that of the first device
    memory = "64KiB"                  # its own arena with a limit; "own" (the default) has none, "shared" is no arena
    copy = "start-wait"               # hooks start copies, and others wait for them; by default "copy"
    calls = "hooks"                   # hooks are called around its kernels, or "start-wait"; by default "plain"
    layers = ["conv2", "block3/*"]    # nodes of the model, with wildcards
    operators = ["conv", "nn.dense"]  # operators of dialect graph, or by the names of relay
    external = ["npu=always"]         # generators that compute what runs there, as --external takes them
    placement = "cost"                # what no table asks for runs there if that takes fewer cycles; else "asked"
    clock = 2.0                       # its cycles in one of the first device
    rate = 4.0                        # bytes that a copy moves in a cycle of the first device
    latency = 500                     # cycles until a copy moves the first byte

What no table asks for runs on the first device, `main`, or where its operands are, unless cost places it.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from s2s.errors import InputError
from s2s.types.pools import size_of
from s2s.types.relay_operators import RELAY_OPERATORS

MAIN = "main"
"""The device that runs the run function; its memory holds inputs and outputs."""
ON_DEVICE = "on_device"
"""Attribute of `main`: the nodes that a network places itself, each with its device."""
SHARED, OWN = "shared", "own"
WHOLE, STARTED = "copy", "start-wait"
"""What the hooks of a device do: all of a copy, or its start, which another hook waits for; for kernels likewise."""
PLAIN, HOOKED = "plain", "hooks"
"""Whether hooks are called before and behind the kernels of a device."""
ASKED, COST = "asked", "cost"
"""What decides about operators that no table names."""
KEYS = ("target", "memory", "copy", "calls", "layers", "operators", "external", "placement", "clock", "rate", "latency")
TABLE = "devices"
"""The table of a project file."""
MAX_BYTES = 1 << 20
MAX_NUMBER = 1e9
_NAME = re.compile(r"[a-z][a-z0-9_]{0,15}")


class Device(NamedTuple):
    """A device beside the first one."""

    name: str
    """Its name in C and in reports: lower-case letters, digits and _."""
    target: str | None = None
    """The name or the file of its target; None: the first device's."""
    shared: bool = False
    """Whether it sees the memory of the first device; else it has an arena of its own."""
    size: int | None = None
    """Bytes that its own arena may take; None: no limit."""
    copy: str = WHOLE
    """What its hooks of copies do."""
    calls: str = PLAIN
    """Whether hooks are called around its kernels, or start them and wait for them."""
    layers: tuple[str, ...] = ()
    """Patterns of the nodes that run there."""
    operators: tuple[str, ...] = ()
    """The operators that run there."""
    external: tuple[str, ...] = ()
    """The external code generators that are asked about what runs there, as `cmsis-nn=auto`."""
    placement: str = ASKED
    """Whether other operators run there where that takes fewer cycles."""
    clock: float = 1.0
    """Its cycles in one of the first device."""
    rate: float = 1.0
    """Bytes that a copy moves in a cycle of the first device."""
    latency: float = 1000.0
    """Cycles until a copy moves the first byte."""

    def copy_cycles(self, size: int) -> float:
        """Return the cycles of a copy between the first device and this one."""
        return 0.0 if self.shared else self.latency + size / self.rate


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
    import tomllib  # most networks have one device

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
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name == MAIN:  # pyright: ignore[reportUnnecessaryIsInstance]
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
    calls = _text(place, table, "calls", PLAIN)
    if calls not in (PLAIN, HOOKED, STARTED):
        raise InputError(f"{place}: calls = {calls!r}: is not known; give {PLAIN}, {HOOKED} or {STARTED}")
    placement = _text(place, table, "placement", ASKED)
    if placement not in (ASKED, COST):
        raise InputError(f"{place}: placement = {placement!r}: is not known; give {ASKED} or {COST}")
    target = table.get("target")
    if target is not None and not isinstance(target, str):
        raise InputError(f"{place}: target = {target!r}: is no name; give the name or the file of a target")
    return Device(
        name=name,
        target=target,
        shared=memory == SHARED,
        size=size,
        copy=copy,
        calls=calls,
        layers=_texts(place, table, "layers"),
        operators=tuple(RELAY_OPERATORS.get(each, each) for each in _texts(place, table, "operators")),
        external=_texts(place, table, "external"),
        placement=placement,
        clock=_number(place, table, "clock", 1.0, least=1e-6),
        rate=_number(place, table, "rate", 1.0, least=1e-6),
        latency=_number(place, table, "latency", 1000.0, least=0.0),
    )


def _text(place: str, table: Mapping[str, object], key: str, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise InputError(f"{place}: {key} = {value!r}: is no text; give one in quotes")
    return value


def _number(place: str, table: Mapping[str, object], key: str, default: float, *, least: float) -> float:
    value = table.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= MAX_NUMBER:
        raise InputError(f"{place}: {key} = {value!r}: is out of range; give a number from {least:g} to {MAX_NUMBER:g}")
    return float(value)


def _texts(place: str, table: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = table.get(key, ())
    listed = cast(Sequence[object], value) if isinstance(value, list | tuple) else None
    if listed is None or not all(isinstance(each, str) and each for each in listed):
        raise InputError(f"{place}: {key} = {value!r}: is no list of texts; give for example {key} = ['conv1']")
    return tuple(map(str, listed))
