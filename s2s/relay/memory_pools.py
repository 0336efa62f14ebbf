"""Memory pools for `s2s.build`, under TVM's names: where buffers and constants of the network lie.

    tcm = s2s.WorkspacePoolInfo("tcm", [target], s2s.PoolInfoProperties(size_hint_bytes=65536))
    sram = s2s.WorkspacePoolInfo("sram", [target])
    library = s2s.build(mod, target, executor="aot", workspace_memory_pools=s2s.WorkspaceMemoryPools([tcm, sram]))

They are the pools of `s2s.compile`, in the order of the lists, the fastest first.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import cast

from s2s.errors import InputError, UnsupportedError
from s2s.target import resolve
from s2s.targets import Target
from s2s.types.pools import Holds, Pool, Pools

UNLIMITED = 1 << 40
"""The bytes of a pool without a hint; a plan never takes so many."""
DEFAULT_POOL = "global_workspace"
"""The pool of buffers where only pools of constants are given."""


@dataclass(frozen=True)
class PoolInfoProperties:
    """What is known of a memory. Only its size counts: the order of the pools tells which one is faster."""

    size_hint_bytes: int = -1
    """The bytes that the network may take of it; -1 for all that it needs."""
    clock_frequency_hz: int = -1
    read_bandwidth_bytes_per_cycle: int = -1
    write_bandwidth_bytes_per_cycle: int = -1
    read_latency_cycles: int = 0
    write_latency_cycles: int = 0
    target_burst_bytes: object = None

    def __post_init__(self) -> None:
        for each in fields(self):
            if each.name != "size_hint_bytes" and getattr(self, each.name) != each.default:
                raise UnsupportedError(
                    f"PoolInfoProperties: {each.name}: the order of the pools tells which one is faster; leave it out, "
                    "and list the fastest pool first"
                )
        size = self.size_hint_bytes
        if size != -1 and not 0 <= size < UNLIMITED:
            raise InputError(
                f"PoolInfoProperties: size_hint_bytes {size} is no size; give the bytes, or -1 for no limit"
            )


@dataclass(frozen=True)
class _PoolInfo:
    """A pool, and the targets that can access it."""

    pool_name: str
    targets: Sequence[object]

    def __post_init__(self) -> None:
        if re.fullmatch(r"[a-z][a-z0-9_]*", self.pool_name.lower()) is None:
            raise InputError(f"pool {self.pool_name!r}: its name stands in C; give letters, digits and _")

    def checked(self, target: Target, size: int, holds: Holds) -> Pool:
        """The pool for a network on `target`."""
        names = [resolve(each).name for each in self.targets]
        if target.name not in names:
            raise InputError(
                f"pool {self.pool_name}: targets {', '.join(names) or 'none'} access it, and the network is for "
                f"{target.name}; name that, or leave the pool out"
            )
        return Pool(self.pool_name.lower(), UNLIMITED if size == -1 else size, holds)


@dataclass(frozen=True)
class WorkspacePoolInfo(_PoolInfo):
    """A memory for buffers."""

    pool_info_properties: PoolInfoProperties = PoolInfoProperties()


@dataclass(frozen=True)
class ConstantPoolInfo(_PoolInfo):
    """A memory for constants."""

    constant_info_arr: Sequence[object] | None = None
    pool_info_properties: PoolInfoProperties = PoolInfoProperties()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.constant_info_arr:
            raise UnsupportedError(
                f"pool {self.pool_name}: constant_info_arr: the compiler chooses the constants of a pool; leave it out"
            )


@dataclass(frozen=True)
class WorkspaceMemoryPools:
    """The memories for buffers, the fastest first."""

    pools: Sequence[WorkspacePoolInfo]


@dataclass(frozen=True)
class ConstantMemoryPools:
    """The memories for constants, the fastest first. Constants that fit in none stay where the linker puts them."""

    pools: Sequence[ConstantPoolInfo]


def pools_of(workspace: object, constants: object, target: Target) -> Pools:
    """The pools of a network on `target`."""
    for name, given, kind in (
        ("workspace_memory_pools", workspace, WorkspaceMemoryPools),
        ("constant_memory_pools", constants, ConstantMemoryPools),
    ):
        if given is not None and not isinstance(given, kind):
            raise InputError(f"s2s.build: {name}: {type(given).__name__} given; give {kind.__name__}([…])")
    buffers = _checked(cast("WorkspaceMemoryPools | None", workspace), target, "buffers")
    rest = _checked(cast("ConstantMemoryPools | None", constants), target, "constants")
    if rest and not buffers:
        buffers = [Pool(DEFAULT_POOL, UNLIMITED, "buffers")]
    names = [pool.name for pool in (*buffers, *rest)]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"pool {repeated}: is given twice; give each pool once, for buffers or for constants")
    return (*buffers, *rest)


def _checked(given: WorkspaceMemoryPools | ConstantMemoryPools | None, target: Target, holds: Holds) -> list[Pool]:
    listed = () if given is None else given.pools
    return [each.checked(target, each.pool_info_properties.size_hint_bytes, holds) for each in listed]
