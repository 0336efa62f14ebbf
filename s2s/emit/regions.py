"""The regions of a linker script for memory pools whose addresses the user gives.

The part of the arena in a pool is at its start, where the caller passes its address; constants follow.
"""

from typing import NamedTuple

from s2s.c_syntax.identifiers import c_macro
from s2s.c_syntax.interface import ArenaPool
from s2s.emit.definitions import Row
from s2s.emit.info import NetworkInfo
from s2s.memory.buffers import align_up


class Region(NamedTuple):
    """The part of a pool behind the arena, with the section that goes there."""

    name: str
    origin: str
    length: int
    section: str
    access: str = "rw"


def regions(info: NetworkInfo) -> list[Region]:
    """Return the regions of the pools with an address."""
    found: list[Region] = []
    for pool in info.memories:
        assert pool.address is not None
        taken = sum(part.size for part in info.pools if part.name == pool.name)
        start = align_up(taken, info.arena_align)
        name = f"{c_macro(info.name)}_{c_macro(pool.name)}"
        found.append(
            Region(
                name,
                f"{pool.address + start:#x}",
                max(pool.size - start, 0),
                f".pool_{pool.name}",
                "rx" if pool.holds_code else "rw",
            )
        )
    return found


def pool_address(pool: ArenaPool) -> list[Row]:
    """Return the macro with the address of the arena in a pool, if the user gives that."""
    name = f"ARENA_{c_macro(pool.name)}_ADDRESS"
    return [] if pool.address is None else [Row(name, f"{pool.address:#x}", f"where these begin, as {pool.name} does")]
