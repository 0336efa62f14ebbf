"""Memory pools of a device, as options name them: `tcm=64KiB`, `rom=1MiB:constants`."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, cast

from s2s.errors import InputError

_POOL = re.compile(r"(?P<name>[a-z][a-z0-9_]*)=(?P<size>[^:]*)(:(?P<holds>buffers|constants))?")
_SIZE = re.compile(r"(?P<count>[0-9]{1,15}) ?(?P<unit>B|KiB|MiB)?")
_UNITS = {None: 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}

Holds = Literal["all", "buffers", "constants"]


class Pool(NamedTuple):
    """A memory of a device."""

    name: str
    """Its name in C macros and reports: lower-case letters, digits and _."""
    size: int
    """Bytes that the network may take of it."""
    holds: Holds = "all"
    """What may lie there."""

    def may_hold(self, is_constant: bool) -> bool:
        """Whether a constant, or else a buffer, may lie there."""
        return self.holds in ("all", "constants" if is_constant else "buffers")

    def __str__(self) -> str:
        """Return the pool as an option."""
        return f"{self.name}={self.size}" + ("" if self.holds == "all" else f":{self.holds}")


Pools = tuple[Pool, ...]
"""The pools of a device, the fastest first."""


def size_of(text: str) -> int | None:
    """Parse `64KiB`; the unit is B unless it is KiB or MiB. None if `text` is no size."""
    found = _SIZE.fullmatch(text)
    return None if found is None else int(found["count"]) * _UNITS[found["unit"]]


def parse_pool(text: str) -> Pool:
    """Parse `tcm=64KiB` or `tcm=64KiB:buffers`; the unit is B unless it is KiB or MiB."""
    found = _POOL.fullmatch(text)
    size = None if found is None else size_of(found["size"])
    if found is None or size is None:
        raise InputError(f"--pool {text}: is no pool; give a name and a size, for example --pool tcm=64KiB")
    return Pool(found["name"], size, cast("Holds", found["holds"] or "all"))


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
    return pools
