"""C that defines the arena of a network or its parts in several memories, and hands them to its functions."""

from s2s.c_syntax.identifiers import c_macro
from s2s.emit.info import NetworkInfo, TogetherInfo
from s2s.types.devices import MAIN


def arena_definitions(info: NetworkInfo, name: str) -> list[str]:
    """Define the arena `name`, or its parts in memory pools."""
    return _definitions(info.name, name, [pool.name for pool in info.pools])


def joint_definitions(info: TogetherInfo) -> list[str]:
    """Define the common arena of several networks, or its parts in memory pools: `<tree>_arena…`."""
    return _definitions(info.name, f"{info.name}_arena", [memory.name for memory in info.memories])


def _definitions(prefix: str, name: str, memories: list[str]) -> list[str]:
    macro = c_macro(prefix)
    parts = {f"{name}_{memory}": f"{macro}_ARENA_{c_macro(memory)}" for memory in memories}
    parts = parts or {name: f"{macro}_ARENA"}
    return [f"S2S_ARENA({part}, {size}_SIZE, {macro}_ARENA_ALIGN);" for part, size in parts.items()]


def arena_arguments(info: NetworkInfo, name: str) -> list[str]:
    """Return the arguments of a run function for the arena `name`, or for its parts in memory pools."""
    return [f"{name}_{pool.name}" for pool in info.pools] or [name]


def joint_arguments(info: NetworkInfo, joint: TogetherInfo) -> list[str]:
    """Return the arguments of a run function for the parts of the common arena that the network has."""
    arena, macro = f"{joint.name}_arena", f"{c_macro(joint.name)}_{c_macro(info.name)}_ARENA"
    if not joint.memories:
        return [f"{arena} + {macro}"]
    names = [part.name for part in info.pools] or [MAIN]
    known = {memory.name for memory in joint.memories if info.name in memory.offsets}
    return [f"{arena}_{name} + {macro}_{c_macro(name)}" if name in known else "NULL" for name in names]
