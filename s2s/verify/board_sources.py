"""Generate the C programs that run a network on a board."""

from collections.abc import Callable, Sequence

from s2s.c_syntax.identifiers import sizes_type
from s2s.c_syntax.interface import Interface, Port


def run_network(network: Interface, vectors: int, *, once: bool = False, resets: bool = True) -> str:
    """A `main` that runs the network on inputs from in.bin, and appends counts and outputs to out.bin.

    With `once` the network runs one time, and what it appends is its own affair. Without `resets` a run finds the state
    that the one before it left.
    """
    run = network.run(_arenas(network), _ports(network), sizes="&sizes")
    write = [f"        board_write({place_in_c(port)}, {port.size}u);" for port in network.outputs]
    lines = [
        *_memory_and_inputs(network, resets=resets),
        "static int network(void)",
        "{",
        "    board_here();",
        f"    return {run};",
        "}",
        "",
    ]
    if once:
        body = ["    board_open();", "    board_enter();", "    board_leave(0);", "    read();"]
        body += ["    return network();"]
        return "\n".join([*lines, "int main(void)", "{", *body, "}", ""])
    begin = [] if resets else _reset(network)
    return "\n".join([*lines, *_counting_main(vectors, begin, write)])


def run_steps(network: Interface) -> str:
    """A `main` that runs a network in steps on inputs from in.bin: it appends a record for an empty section, one for
    each step with the status of the step in front, and the outputs to out.bin."""
    given = ["&steps", *["&weights"] * network.pack, *_arenas(network), *_ports(network)]
    begin = f"{network.name}_begin({', '.join(given)})"
    body = [
        f"static {network.name}_steps steps;",
        "",
        "int main(void)",
        "{",
        "    s2s_status status;",
        "",
        "    board_open();",
        "    board_enter();",
        "    board_leave(0);",
        "    read();",
        f"    status = {begin};",
        "    if (status != S2S_OK) {",
        "        return 1;",
        "    }",
        "    do {",
        "        board_enter();",
        f"        status = {network.name}_step(&steps);",
        "        board_leave((uint32_t)status);",
        "    } while (status == S2S_MORE);",
        *(f"    board_write({place_in_c(port)}, {port.size}u);" for port in network.outputs),
        "    return 0;",
        "}",
        "",
    ]
    return "\n".join([*_memory_and_inputs(network), *body])


def _arenas(network: Interface) -> list[str]:
    return [f"(void *)((char *)arena + {pool.offset})" for pool in network.pools] or ["(void *)arena"]


def _ports(network: Interface) -> list[str]:
    return [f"(void *)({place_in_c(port)})" for port in network.ports]


def _reset(network: Interface) -> list[str]:
    return [f"    (void){network.reset(['(void *)arena'])};"] * bool(network.states)


def _memory_and_inputs(network: Interface, *, resets: bool = True) -> list[str]:
    """Define the arena, the ports outside of it, and a function that reads the inputs."""
    read = [f"    board_read({place_in_c(port)}, {port.size}u);" for port in network.inputs]
    if network.loaded:
        read.insert(0, f"    (void){network.load(_arenas(network))};")
    read[:0] = _reset(network) if resets else []
    if network.pack:
        bytes = f"{network.name}_test_pack"
        read.insert(0, f"    (void){network.bind(bytes, f'sizeof {bytes}')};")
    return [
        '#include "board.h"',
        f'#include "{network.name}.h"',
        *([f'#include "{network.name}_test_pack.h"'] * network.pack),
        '#include "s2s_arena.h"',
        "",
        f"S2S_ARENA(arena, {network.macro}_ARENA_SIZE, {network.macro}_ARENA_ALIGN);",
        *([f"static {network.name}_weights weights;"] * network.pack),
        *(
            f"static uint64_t port_{port.identifier}[{-(-port.size // 8)}];"
            for port in network.ports
            if port.offset is None
        ),
        *_greatest_sizes(network),
        "",
        "static void read(void)",
        "{",
        *read,
        "}",
        "",
    ]


def _greatest_sizes(network: Interface) -> list[str]:
    """Define the greatest sizes of a run as `sizes`, if sizes vary."""
    greatest = ", ".join(str(size.most) for size in network.sizes.values())
    return [f"static const {sizes_type(network.name)} sizes = {{{greatest}}};"] if greatest else []


def _counting_main(vectors: int, begin: list[str], write: list[str]) -> list[str]:
    """Begin, and run each set of inputs twice: to measure the stack, and to count instructions."""
    return [
        "__attribute__((noinline)) static int nothing(void)",
        "{",
        '    __asm__ volatile("");',
        "    return 0;",
        "}",
        "",
        "int main(void)",
        "{",
        "    int status;",
        "",
        "    board_open();",
        "    (void)board_count(nothing);",
        *begin,
        f"    for (int i = 0; i < {vectors}; i++) {{",
        "        read();",
        "        (void)board_depth(network);",
        "        read();",
        "        status = board_count(network);",
        "        board_write(&status, 4);",
        *write,
        "    }",
        "    return 0;",
        "}",
        "",
    ]


def count_kernels(network: str, kernels: Sequence[str]) -> str:
    """Write the file with the run function, with harness calls around each kernel call."""
    lines = ['#include "board.h"', f'#include "{network}_kernels.h"', ""]
    lines += bracket_kernels(kernels, "board_enter()", lambda number: f"board_leave({number}u)")
    return "\n".join([*lines, f'#include "{network}.c"', ""])


def bracket_kernels(kernels: Sequence[str], enter: str, leave: Callable[[int], str]) -> list[str]:
    """Write macros that put each kernel call between two other calls; `leave` gets the number of the kernel."""
    return [
        f"#define {kernel}(...) ({enter}, {kernel}(__VA_ARGS__), {leave(number)})"
        for number, kernel in enumerate(kernels)
    ]


def place_in_c(port: Port) -> str:
    """The place of an input or output in the arena of a program, or in an array of its own."""
    return f"port_{port.identifier}" if port.offset is None else f"(char *)arena + {port.offset}"
