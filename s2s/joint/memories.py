"""Place the parts of the arenas of several networks in memory pools, and in the memories of devices.

    kws: 3000 bytes in tcm, 8000 in sram      ic: 4000 in tcm, 20000 in sram
    ->
    tcm: 4000 bytes, both from 0 on           sram: 20000 bytes, both from 0 on

Each memory is placed as one arena is (`s2s/memory/regions.py`): parts that hold state, or constants that are copied
there at start, have bytes of their own, and so has every part where all networks may run at once. Constants of all
networks lie beside each other in a pool, so each network is planned for what those before it leave.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp, StringAttr

from s2s.analysis.network.functions import POOL
from s2s.artifact import Artifact
from s2s.c_syntax.interface import ArenaPool
from s2s.dialects import c
from s2s.emit.info import JointMemory, NetworkInfo
from s2s.errors import InputError
from s2s.memory.buffers import align_up
from s2s.memory.regions import Arena, place_arenas
from s2s.options import CompileOptions
from s2s.types.devices import MAIN
from s2s.types.dtypes import size_in_bytes

PLANS = 6
"""The plans that are tried for a network beside others."""


def joint_memories(infos: Sequence[NetworkInfo], *, concurrent: bool, share_state: bool) -> tuple[JointMemory, ...]:
    """Return the memories of several networks, each with the parts of theirs; none if each network has one arena."""
    if not any(info.pools for info in infos):
        return ()
    parts = {info.name: {part.name: part for part in _parts(info)} for info in infos}
    names = dict.fromkeys(name for each in parts.values() for name in each)
    return tuple(_placed(name, infos, parts, concurrent=concurrent, share_state=share_state) for name in names)


def _parts(info: NetworkInfo) -> tuple[ArenaPool, ...]:
    """Return the parts of an arena; all of it is in the memory of the first device where a network has no others."""
    return info.pools or ((ArenaPool(MAIN, 0, info.arena_size),) if info.arena_size else ())


def _placed(
    name: str,
    infos: Sequence[NetworkInfo],
    parts: Mapping[str, Mapping[str, ArenaPool]],
    *,
    concurrent: bool,
    share_state: bool,
) -> JointMemory:
    """Place the parts of all networks in one memory."""
    here = [info for info in infos if name in parts[info.name]]
    arenas = [
        Arena(
            parts[info.name][name].size,
            info.arena_align,
            name in info.lasting or (not info.pools and info.states != ()),
        )
        for info in here
    ]
    shared = share_state and any(each.keeps_state for each in arenas)
    found = place_arenas(arenas, concurrent=concurrent, share_state=shared)
    offsets = {info.name: offset for info, offset in zip(here, found.offsets, strict=True)}
    return JointMemory(name, found.size, offsets, parts[here[0].name][name].address)


def fitted(artifacts: Sequence[Artifact], *, concurrent: bool) -> list[Artifact]:
    """Return the networks such that they fit into their memory pools together: one that does not fit beside the
    networks before it is planned again, for pools that are smaller by the missing bytes. What does not fit anyhow is
    left."""
    placed: list[Artifact] = []
    for artifact in artifacts:
        found = artifact
        for _ in range(PLANS if artifact.compilation.options.pools else 0):
            missing = _missing([*placed, found], concurrent=concurrent)
            if not missing:
                break
            options = found.compilation.options
            pools = [pool._replace(size=max(pool.size - missing.get(pool.name, 0), 0)) for pool in options.pools]
            try:
                found = Artifact(found.compilation.resume(replace(options, pools=tuple(pools))))
                found.compilation.run()
            except InputError:
                found = artifact
                break
        placed.append(found)
    return placed


def _missing(artifacts: Sequence[Artifact], *, concurrent: bool) -> dict[str, int]:
    """Return the bytes by which the networks exceed each memory pool; equal constants count once."""
    limits = {pool.name: pool.size for pool in artifacts[0].compilation.options.pools}
    arenas = joint_memories([each.info for each in artifacts], concurrent=concurrent, share_state=False)
    taken = {memory.name: align_up(memory.size, max(each.info.arena_align for each in artifacts)) for memory in arenas}
    constants: dict[tuple[str, str], int] = {}
    for artifact in artifacts:
        state = artifact.compilation.at("c")
        for op, pool, size in _in_pools(state.module):
            constants[pool, state.weights.hash(op.weight.data if op.weight is not None else "")] = size
    for (pool, _), size in constants.items():
        taken[pool] = taken.get(pool, 0) + size
    return {name: taken[name] - limit for name, limit in limits.items() if taken.get(name, 0) > limit}


def check_room(
    tree: str, module: ModuleOp, memories: Sequence[JointMemory], infos: Sequence[NetworkInfo], options: CompileOptions
) -> None:
    """Refuse networks that together need more of a memory pool, or of the memory of a device, than it has."""
    limits = {pool.name: pool.size for pool in options.pools}
    limits |= {device.name: device.size for device in options.devices if device.size is not None}
    constants = _constants(module)
    arenas = {memory.name: memory for memory in memories}
    for name, limit in limits.items():
        held = {who: size for (pool, who), size in constants.items() if pool == name}
        arena = arenas[name].size if name in arenas else 0
        needed = sum(held.values()) + (align_up(arena, max(info.arena_align for info in infos)) if held else arena)
        if needed <= limit:
            continue
        sizes = {
            f"buffers of {info.name}": part.size for info in infos for part in _parts(info) if part.name == name
        } | {f"constants of {who}": size for who, size in held.items()}
        listed = ", ".join(f"{what} {size}" for what, size in sorted(sizes.items(), key=lambda each: -each[1])[:6])
        raise InputError(
            f"{tree}: the networks take {needed} bytes of {name} together, and it has {limit}: {listed}; give it "
            f"{needed} bytes, or compile the networks for less of it"
        )


def _constants(module: ModuleOp) -> dict[tuple[str, str], int]:
    """Return the bytes of constants by pool and network; shared constants belong to the tree."""
    found: dict[tuple[str, str], int] = {}
    for network in [op for op in module.ops if isinstance(op, ModuleOp)]:
        who = network.sym_name.data if network.sym_name is not None else ""
        for _, pool, size in _in_pools(network):
            found[pool, who] = found.get((pool, who), 0) + size
    return found


def _in_pools(module: ModuleOp) -> Iterator[tuple[c.GlobalOp, str, int]]:
    """Yield the constants of a network that are in memory pools, each with its pool and its bytes."""
    for op in module.ops:
        pool = op.attributes.get(POOL) if isinstance(op, c.GlobalOp) else None
        if isinstance(op, c.GlobalOp) and isinstance(pool, StringAttr) and isinstance(op.type, c.ArrayType):
            yield op, pool.data, op.type.size * size_in_bytes(op.type.element)
