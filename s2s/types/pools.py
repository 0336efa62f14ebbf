"""Memory pools of a device, as options name them: `tcm=64KiB`."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from s2s.errors import InputError

_POOL = re.compile(r"(?P<name>[a-z][a-z0-9_]*)=(?P<count>[0-9]{1,15}) ?(?P<unit>B|KiB|MiB)?")
_UNITS = {None: 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


class Pool(NamedTuple):
    """A memory of a device."""

    name: str
    """Its name in C macros and reports: lower-case letters, digits and _."""
    size: int
    """Bytes that the network may take of it."""


Pools = tuple[Pool, ...]
"""The pools of a device, the fastest first."""


def parse_pool(text: str) -> Pool:
    """Parse `tcm=64KiB`; the unit is B unless it is KiB or MiB."""
    found = _POOL.fullmatch(text)
    if found is None:
        raise InputError(f"--pool {text}: is no pool; give a name and a size, for example --pool tcm=64KiB")
    return Pool(found["name"], int(found["count"]) * _UNITS[found["unit"]])


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
    return pools
