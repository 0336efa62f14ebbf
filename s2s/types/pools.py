"""Memory pools of a device, as options name them: `tcm=64KiB`, `rom=1MiB:constants`.

Properties follow, each after a colon: what the pool holds, the address at which it begins, and for a pool whose
constants are copied before use how fast copies from it are:

    tcm=64KiB:at=0x20000000
    flash=4MiB:streamed:rate=0.5:latency=200
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, cast, get_args

from s2s.errors import InputError

_POOL = re.compile(r"(?P<name>[a-z][a-z0-9_]*)=(?P<size>[^:]*)(?P<properties>(:[^:]*)*)")
_SIZE = re.compile(r"(?P<count>[0-9]{1,15}) ?(?P<unit>B|KiB|MiB)?")
_UNITS = {None: 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{1,16}|[0-9]{1,15}")
_RATE = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?")
_LATENCY = re.compile(r"[0-9]{1,9}")

Holds = Literal["all", "buffers", "constants", "streamed"]


class Pool(NamedTuple):
    """A memory of a device."""

    name: str
    """Its name in C macros and reports: lower-case letters, digits and _."""
    size: int
    """Bytes that the network may take of it."""
    holds: Holds = "all"
    """What may lie there. `streamed`: constants that the network copies to a buffer before a kernel reads them."""
    address: int | None = None
    """The address at which it begins; None: the linker places what lies there."""
    rate: float = 1.0
    """Bytes that a copy from it moves in a cycle of the processor."""
    latency: int = 0
    """Cycles until a copy from it moves the first byte."""

    def may_hold(self, is_constant: bool, is_streamed: bool = False) -> bool:
        """Whether a constant, or else a buffer, may lie there; streamed constants lie in streamed pools only."""
        if is_streamed or self.is_streamed:
            return is_streamed and self.is_streamed
        return self.holds in ("all", "constants" if is_constant else "buffers")

    @property
    def is_streamed(self) -> bool:
        """Whether its constants are copied before kernels read them."""
        return self.holds == "streamed"

    def copy_cycles(self, size: int) -> int:
        """Return the cycles that a copy of `size` bytes takes."""
        return self.latency + -int(-size // self.rate)

    def __str__(self) -> str:
        """Return the pool as an option."""
        properties = [] if self.holds == "all" else [self.holds]
        properties += [] if self.address is None else [f"at={self.address:#x}"]
        properties += [] if self.rate == 1.0 else [f"rate={self.rate:g}"]
        properties += [f"latency={self.latency}"] if self.latency else []
        return ":".join([f"{self.name}={self.size}", *properties])


Pools = tuple[Pool, ...]
"""The pools of a device, the fastest first."""


def size_of(text: str) -> int | None:
    """Parse `64KiB`; the unit is B unless it is KiB or MiB. None if `text` is no size."""
    found = _SIZE.fullmatch(text)
    return None if found is None else int(found["count"]) * _UNITS[found["unit"]]


def parse_pool(text: str) -> Pool:
    """Parse `tcm=64KiB` or `tcm=64KiB:buffers:at=0x20000000`; the unit is B unless it is KiB or MiB."""
    found = _POOL.fullmatch(text)
    size = None if found is None else size_of(found["size"])
    if found is None or size is None:
        raise InputError(f"--pool {text}: is no pool; give a name and a size, for example --pool tcm=64KiB")
    pool = Pool(found["name"], size)
    for each in found["properties"].split(":")[1:]:
        pool = _with_property(pool, each, text)
    if not pool.is_streamed and (pool.rate, pool.latency) != (1.0, 0):
        raise InputError(f"--pool {text}: rate and latency are those of copies; give them with holds streamed")
    return pool


def _with_property(pool: Pool, text: str, option: str) -> Pool:
    """Return `pool` with one property of an option."""
    key, _, value = text.partition("=")
    if text in get_args(Holds):
        return pool._replace(holds=cast("Holds", text))
    if key == "at" and _ADDRESS.fullmatch(value):
        return pool._replace(address=int(value, 0))
    if key == "rate" and _RATE.fullmatch(value) and float(value) > 0:
        return pool._replace(rate=float(value))
    if key == "latency" and _LATENCY.fullmatch(value):
        return pool._replace(latency=int(value))
    raise InputError(
        f"--pool {option}: {text!r} is no property; give {', '.join(get_args(Holds)[1:])}, "
        "at=ADDRESS, rate=BYTES_PER_CYCLE or latency=CYCLES"
    )


def pools_of(given: Mapping[str, int] | Sequence[str] | None) -> Pools:
    """Return pools from sizes by name, or from texts, the fastest first."""
    if given is None:
        return ()
    listed = [f"{name}={size}" for name, size in given.items()] if isinstance(given, Mapping) else given
    pools = tuple(map(parse_pool, listed))
    names = [pool.name for pool in pools]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"--pool {repeated}: is given twice; give each pool once, the fastest first")
    if pools and not any(pool.may_hold(is_constant=False) for pool in pools):
        raise InputError(f"--pool {pools[0]}: no pool may hold buffers; add one that may")
    streamed = [pool for pool in pools if pool.is_streamed]
    if len(streamed) > 1:
        raise InputError(f"--pool {streamed[1]}: constants are streamed from one pool; {streamed[0].name} is another")
    return pools
