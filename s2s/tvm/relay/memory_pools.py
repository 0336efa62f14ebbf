"""Memory pools for `s2s.build`, under TVM's names: where buffers and constants of the network lie.

    tcm = s2s.WorkspacePoolInfo("tcm", [target], s2s.PoolInfoProperties(size_hint_bytes=65536))
    sram = s2s.WorkspacePoolInfo("sram", [target])
    library = s2s.build(mod, target, executor="aot", workspace_memory_pools=s2s.WorkspaceMemoryPools([tcm, sram]))

They are the pools of `s2s.compile`, in the order of the lists, the fastest first. Where all pools state their
bandwidths, the planner counts the cycles of accesses; else only the order tells which one is faster.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from s2s.errors import InputError, UnsupportedError
from s2s.support.frozen import frozen
from s2s.targets import Target
from s2s.tvm.target import resolve
from s2s.types.pools import WORD, Holds, Pool, Pools, check_speeds

UNLIMITED = 1 << 40
"""The bytes of a pool without a hint; a plan never takes this many."""
DEFAULT_POOL = "global_workspace"
"""The pool of buffers where only pools of constants are given."""


@frozen
class PoolInfoProperties:
    """The properties of a memory: its size, and the costs of accesses."""

    size_hint_bytes: int = -1
    """The bytes that the network may take of it; -1 for all that it needs."""
    clock_frequency_hz: int = -1
    """The clock that its cycles are counted by; -1 for the clock of the other pools."""
    read_bandwidth_bytes_per_cycle: int = -1
    write_bandwidth_bytes_per_cycle: int = -1
    """-1 for the bytes that are read."""
    read_latency_cycles: int = 0
    """Cycles until the first byte of each burst."""
    write_latency_cycles: int = 0
    target_burst_bytes: Mapping[object, int] | None = None
    """The bytes of a burst by target; 4 unless it is given."""

    def __post_init__(self) -> None:
        for each in ("clock_frequency_hz", "read_bandwidth_bytes_per_cycle", "write_bandwidth_bytes_per_cycle"):
            if getattr(self, each) != -1 and getattr(self, each) <= 0:
                raise InputError(
                    f"PoolInfoProperties: {each} {getattr(self, each)} is no speed; give more than 0, or -1"
                )
        for each in ("read_latency_cycles", "write_latency_cycles"):
            if getattr(self, each) < 0:
                raise InputError(f"PoolInfoProperties: {each} {getattr(self, each)} is no time; give 0 or more")
        size = self.size_hint_bytes
        if size != -1 and not 0 <= size < UNLIMITED:
            raise InputError(
                f"PoolInfoProperties: size_hint_bytes {size} is no size; give the bytes, or -1 for no limit"
            )

    def speed(self, pool: Pool, target: Target, fastest_hz: int) -> Pool:
        """Return `pool` with what accesses of `target` take, in cycles of the fastest clock of all pools."""
        bursts = {resolve(name).name: size for name, size in (self.target_burst_bytes or {}).items()}
        burst = bursts.get(target.name, WORD)
        if burst <= 0:
            raise InputError(f"PoolInfoProperties: target_burst_bytes {burst} is no size; give more than 0")
        slower = fastest_hz / self.clock_frequency_hz
        read, write = self.read_bandwidth_bytes_per_cycle, self.write_bandwidth_bytes_per_cycle
        return pool._replace(
            read=None if read == -1 else read / slower,
            write=None if write == -1 else write / slower,
            read_latency=round(self.read_latency_cycles * slower),
            write_latency=round(self.write_latency_cycles * slower),
            burst=burst,
        )


@frozen
class PoolInfo:
    """A pool, and the targets that can access it."""

    pool_name: str
    targets: Sequence[object]

    def __post_init__(self) -> None:
        if re.fullmatch(r"[a-z][a-z0-9_]*", self.pool_name.lower()) is None:
            raise InputError(f"pool {self.pool_name!r}: its name stands in C; give letters, digits and _")

    def __getattr__(self, name: str) -> Any:
        """A property of the pool, as its `pool_info_properties` has it."""
        if name not in PoolInfoProperties.__annotations__:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.pool_info_properties, name)

    def checked(self, target: Target, known: PoolInfoProperties, holds: Holds, fastest_hz: int) -> Pool:
        """The pool for a network on `target`."""
        names = [resolve(each).name for each in self.targets]
        if target.name not in names:
            raise InputError(
                f"pool {self.pool_name}: targets {', '.join(names) or 'none'} access it, and the network is for "
                f"{target.name}; name that, or leave the pool out"
            )
        size = known.size_hint_bytes
        pool = Pool(self.pool_name.lower(), UNLIMITED if size == -1 else size, holds)
        return known.speed(pool, target, fastest_hz)


@frozen
class WorkspacePoolInfo(PoolInfo):
    """A memory for buffers."""

    pool_info_properties: PoolInfoProperties = PoolInfoProperties()


@frozen
class ConstantPoolInfo(PoolInfo):
    """A memory for constants."""

    constant_info_arr: Sequence[object] | None = None
    pool_info_properties: PoolInfoProperties = PoolInfoProperties()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.constant_info_arr:
            raise UnsupportedError(
                f"pool {self.pool_name}: constant_info_arr: the compiler chooses the constants of a pool; leave it out"
            )


@frozen
class WorkspaceMemoryPools:
    """The memories for buffers, the fastest first."""

    pools: Sequence[WorkspacePoolInfo]


@frozen
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
    buffer_pools = cast("WorkspaceMemoryPools | None", workspace)
    constant_pools = cast("ConstantMemoryPools | None", constants)
    clock = _fastest_clock([each for given in (buffer_pools, constant_pools) if given for each in given.pools])
    buffers = _checked(buffer_pools, target, "buffers", clock)
    rest = _checked(constant_pools, target, "constants", clock)
    if rest and not buffers:
        buffers = [Pool(DEFAULT_POOL, UNLIMITED, "buffers")]
    names = [pool.name for pool in (*buffers, *rest)]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"pool {repeated}: is given twice; give each pool once, for buffers or for constants")
    found = (*buffers, *rest)
    check_speeds(found)
    return found


def _fastest_clock(pools: Sequence[WorkspacePoolInfo | ConstantPoolInfo]) -> int:
    """Return the fastest clock; -1 where no pool states one. Refuse pools of which only some do."""
    clocks = [each.pool_info_properties.clock_frequency_hz for each in pools]
    unknown = next((each for each, clock in zip(pools, clocks, strict=True) if clock == -1), None)
    if unknown is not None and max(clocks) != -1:
        raise InputError(f"pool {unknown.pool_name}: other pools state a clock; give clock_frequency_hz here, too")
    return max(clocks, default=-1)


def _checked(
    given: WorkspaceMemoryPools | ConstantMemoryPools | None, target: Target, holds: Holds, fastest_hz: int
) -> list[Pool]:
    listed = () if given is None else given.pools
    return [each.checked(target, each.pool_info_properties, holds, fastest_hz) for each in listed]
