"""Memory pools of a device, as options name them: `tcm=64KiB`, `rom=1MiB:constants`.

Properties follow, each after a colon: what the pool holds, the address at which it begins, and for a pool whose
constants are copied before use how fast copies from it are:

    tcm=64KiB:at=0x20000000
    flash=4MiB:streamed:rate=0.5:latency=200

A pool in RAM whose constants a function of the network copies there at start is `loaded`:

    dtcm=128KiB:loaded

A pool of `code` holds functions of kernels instead, and neither buffers nor constants:

    itcm=64KiB:code

The other pools may state what an access takes: bytes that kernels read and write in a cycle, and cycles until the
first byte of each burst, of 4 bytes unless the pool says otherwise:

    tcm=64KiB:read=8:write=8
    psram=8MiB:read=0.5:write=0.25:read-latency=20:write-latency=10:burst=32
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple, cast, get_args

from s2s.errors import InputError

_POOL = re.compile(r"(?P<name>[a-z][a-z0-9_]*)=(?P<size>[^:]*)(?P<properties>(:[^:]*)*)")
_SIZE = re.compile(r"(?P<count>[0-9]{1,15}) ?(?P<unit>B|[Kk]i?B|Mi?B|Gi?B)?")
_UNITS = {None: 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 1000, "MB": 1000**2, "GB": 1000**3}
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{1,16}|[0-9]{1,15}")
_RATE = re.compile(r"[0-9]{1,6}(\.[0-9]{1,6})?")
_COUNT = re.compile(r"[0-9]{1,9}")
_RATES = ("rate", "read", "write")
"""The properties that are bytes in a cycle."""
_COUNTS = {"latency": 0, "read-latency": 0, "write-latency": 0, "burst": 1}
"""The properties that are whole numbers, with the least of each."""
WORD = 4
"""Bytes of a burst of a pool that states none."""

Holds = Literal["all", "buffers", "constants", "streamed", "code"]


class Pool(NamedTuple):
    """A memory of a device."""

    name: str
    """Its name in C macros and reports: lower-case letters, digits and _."""
    size: int
    """Bytes that the network may take of it."""
    holds: Holds = "all"
    """What may lie there. `streamed`: constants that the network copies to a buffer before a kernel reads them; `code`:
    functions of kernels."""
    address: int | None = None
    """The address at which it begins; None: the linker places what lies there."""
    rate: float = 1.0
    """Bytes that a copy from it moves in a cycle of the processor."""
    latency: int = 0
    """Cycles until a copy from it moves the first byte."""
    read: float | None = None
    """Bytes that kernels read from it in a cycle; None where only the order of the pools tells which is faster."""
    write: float | None = None
    """Bytes that kernels write to it in a cycle; None for the rate at which they read."""
    read_latency: int = 0
    """Cycles until the first byte of a burst is read."""
    write_latency: int = 0
    """Cycles until the first byte of a burst is written."""
    burst: int = WORD
    """Bytes of one access."""
    loaded: bool = False
    """Whether the network copies its constants there at start; else they are there."""

    def may_hold(self, is_constant: bool, is_streamed: bool = False) -> bool:
        """Whether a constant, or else a buffer, may lie there; streamed constants lie in streamed pools only."""
        if is_streamed or self.is_streamed:
            return is_streamed and self.is_streamed
        return self.holds in ("all", "constants" if is_constant else "buffers")

    @property
    def holds_code(self) -> bool:
        """Whether functions lie there, and nothing else does."""
        return self.holds == "code"

    @property
    def is_streamed(self) -> bool:
        """Whether its constants are copied before kernels read them."""
        return self.holds == "streamed"

    def copy_cycles(self, size: int) -> int:
        """Return the cycles that a copy of `size` bytes takes."""
        return self.latency + -int(-size // self.rate)

    def access_cycles(self, read: float, written: float) -> float:
        """Return the cycles of reading and writing this many bytes; the pool states its speed.

        `read=0.5:read-latency=20:burst=32`: a byte takes 1 / 0.5 + 20 / 32 = 2.625 cycles.
        """
        assert self.read is not None
        per_read = 1 / self.read + self.read_latency / self.burst
        per_write = 1 / (self.write or self.read) + self.write_latency / self.burst
        return read * per_read + written * per_write

    def __str__(self) -> str:
        """Return the pool as an option."""
        properties = [] if self.holds == "all" else [self.holds]
        properties += [] if self.address is None else [f"at={self.address:#x}"]
        properties += [] if self.rate == 1.0 else [f"rate={self.rate:g}"]
        properties += [f"latency={self.latency}"] if self.latency else []
        properties += [] if self.read is None else [f"read={self.read:g}"]
        properties += [] if self.write is None else [f"write={self.write:g}"]
        properties += [f"read-latency={self.read_latency}"] if self.read_latency else []
        properties += [f"write-latency={self.write_latency}"] if self.write_latency else []
        properties += [] if self.burst == WORD else [f"burst={self.burst}"]
        properties += ["loaded"] if self.loaded else []
        return ":".join([f"{self.name}={self.size}", *properties])


Pools = tuple[Pool, ...]
"""The pools of a device, the fastest first."""


def data_pools(pools: Pools) -> Pools:
    """Return the pools of buffers and constants."""
    return tuple(pool for pool in pools if not pool.holds_code)


def code_pools(pools: Pools) -> Pools:
    """Return the pools of functions."""
    return tuple(pool for pool in pools if pool.holds_code)


def size_of(text: str) -> int | None:
    """Return the bytes that `64KiB` states; KB, MB and GB are powers of 1000. None if `text` is no size."""
    found = _SIZE.fullmatch(text)
    return None if found is None else int(found["count"]) * _UNITS[found["unit"] and found["unit"].replace("k", "K")]


def parse_pool(text: str) -> Pool:
    """Parse `tcm=64KiB` or `tcm=64KiB:buffers:at=0x20000000`; a size without a unit is in bytes."""
    found = _POOL.fullmatch(text)
    size = None if found is None else size_of(found["size"])
    if found is None or size is None:
        raise InputError(f"--pool {text}: is no pool; give a name and a size, for example --pool tcm=64KiB")
    pool = Pool(found["name"], size)
    for each in found["properties"].split(":")[1:]:
        pool = _with_property(pool, each, text)
    if not pool.is_streamed and (pool.rate, pool.latency) != (1.0, 0):
        raise InputError(f"--pool {text}: rate and latency are those of copies; give them with holds streamed")
    if pool.loaded and pool.holds not in ("all", "constants"):
        raise InputError(f"--pool {text}: holds no constants that could be loaded; leave {pool.holds} or loaded out")
    if pool.read is None and pool[-5:-1] != (None, 0, 0, WORD):
        raise InputError(f"--pool {text}: an access takes an unknown time; give read=BYTES_PER_CYCLE as well")
    if pool.read is not None and pool.holds_code:
        raise InputError(f"--pool {text}: kernels access no data there; leave read and write out")
    if pool.read is not None and pool.is_streamed:
        raise InputError(f"--pool {text}: kernels do not access a streamed pool; give rate and latency of its copies")
    return pool


def _with_property(pool: Pool, text: str, option: str) -> Pool:
    """Return `pool` with one property of an option."""
    key, _, value = text.partition("=")
    if text == "loaded":
        return pool._replace(loaded=True)
    if text in get_args(Holds):
        return pool._replace(holds=cast("Holds", text))
    if key == "at" and _ADDRESS.fullmatch(value):
        return pool._replace(address=int(value, 0))
    if key in _RATES and _RATE.fullmatch(value) and float(value) > 0:
        return pool._replace(**{key: float(value)})
    if key in _COUNTS and _COUNT.fullmatch(value) and int(value) >= _COUNTS[key]:
        return pool._replace(**{key.replace("-", "_"): int(value)})
    raise InputError(
        f"--pool {option}: {text!r} is no property; give {', '.join(get_args(Holds)[1:])}, loaded, "
        "at=ADDRESS, rate=BYTES_PER_CYCLE, latency=CYCLES, read=BYTES_PER_CYCLE, write=BYTES_PER_CYCLE, "
        "read-latency=CYCLES, write-latency=CYCLES or burst=BYTES"
    )


def pools_of(given: Mapping[str, int] | Sequence[str] | Pools) -> Pools:
    """Return pools from sizes by name, or from texts, the fastest first."""
    if not given:
        return ()
    from s2s.types.forms import formed, mapping  # most networks have no pools

    example = "give the size of each by its name, {'tcm': 65536}, or ['tcm=64KiB']"
    texts = given
    if isinstance(given, Mapping):
        texts = [f"{name}={size}" for name, size in mapping("pools", given, int | str, example).items()]
    listed = formed("pools", texts, tuple[str, ...] | tuple[Pool, ...], example)
    if all(isinstance(pool, Pool) for pool in listed):
        return listed
    pools = tuple(map(parse_pool, listed))
    names = [pool.name for pool in pools]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"--pool {repeated}: is given twice; give each pool once, the fastest first")
    data = data_pools(pools)
    if data and not any(pool.may_hold(is_constant=False) for pool in data):
        raise InputError(f"--pool {data[0]}: no pool may hold buffers; add one that may")
    streamed = [pool for pool in pools if pool.is_streamed]
    if len(streamed) > 1:
        raise InputError(f"--pool {streamed[1]}: constants are streamed from one pool; {streamed[0].name} is another")
    check_speeds(pools)
    return pools


def check_speeds(pools: Pools) -> None:
    """Refuse pools of which only some state their speed, and pools in another order than their speeds."""
    read = [pool for pool in data_pools(pools) if not pool.is_streamed]
    rated = [pool for pool in read if pool.read is not None]
    if rated and len(rated) < len(read):
        other = next(pool for pool in read if pool.read is None)
        raise InputError(f"--pool {other}: {rated[0].name} states its speed; give read=BYTES_PER_CYCLE here, too")
    for is_constant in (False, True):
        for pool, following in pairwise(pool for pool in rated if pool.may_hold(is_constant)):
            reads, writes = (following.access_cycles(*one) < pool.access_cycles(*one) for one in ((1, 0), (0, 1)))
            if reads and writes:
                raise InputError(f"--pool {following}: is faster than {pool.name}; list the fastest pool first")
