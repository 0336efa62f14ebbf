"""A call of the run function on inputs of zeros, for the examples of packages: C that is C++ as well."""

from s2s.c_syntax.identifiers import sizes_type
from s2s.c_syntax.interface import Interface

WORD = 8
"""Bytes of an element of the arrays that inputs and outputs lie in; no element type has a larger alignment."""


def declarations(network: Interface, *, changes_sizes: bool = False) -> list[str]:
    """Memory for arena, sizes, inputs and outputs."""
    arena = f"S2S_ARENA(arena, {network.macro}_ARENA_SIZE, {network.macro}_ARENA_ALIGN);"
    return [
        f"static {network.arena_type} arena;" if network.arena_type else arena,
        *_sizes(network, changes=changes_sizes),
        *(f"static uint64_t memory_{port.identifier}[{-(-port.size // WORD)}];" for port in network.ports),
    ]


def _sizes(network: Interface, *, changes: bool) -> list[str]:
    """The greatest sizes of a run, if sizes vary; a run writes the sizes that it computes, and the program the others
    if it `changes` them."""
    if not network.sizes:
        return []
    kind = "" if changes or network.computed_sizes else "const "
    most = ", ".join(str(size.most) for size in network.sizes.values())
    return [f"static {kind}{sizes_type(network.name)} sizes = {{{most}}};"]


def arena_argument(network: Interface) -> str:
    """The arena as functions of the network take it."""
    return "&arena" if network.arena_type else "arena"


def run_call(network: Interface) -> str:
    """The call of the run function."""
    ports = [f"({port.c_type} *)(void *)memory_{port.identifier}" for port in network.ports]
    return network.run([arena_argument(network)], ports, pool="NULL", sizes="&sizes")


def call(network: Interface) -> list[str]:
    """Statements that run the network once and leave `status`."""
    start = [f"(void){network.reset([arena_argument(network)])};"] if network.states else []
    return [*start, f"const s2s_status status = {run_call(network)};"]
