"""Generate the C programs that run a network on a board."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from s2s.c_syntax.identifiers import c_macro, sizes_type

Record = Mapping[str, Any]


def run_network(record: Record, vectors: int, *, once: bool = False) -> str:
    """A `main` that runs the network on inputs from in.bin, and appends counts and outputs to out.bin.

    With `once` the network runs one time, and what it appends is its own affair.
    """
    name, macro = record["name"], c_macro(record["name"])
    ports = [*record["inputs"], *record["outputs"]]
    pools = record["arena"].get("pools", [])
    arenas = [f"(void *)((char *)arena + {pool['offset']})" for pool in pools] or ["(void *)arena"]
    sizes = ["&sizes"] if record.get("sizes") else []
    arguments = [*arenas, *sizes, *(f"(void *)({_pointer(port)})" for port in ports)]
    read = [f"    board_read({_pointer(port)}, {port['size']}u);" for port in record["inputs"]]
    if record["arena"].get("loaded"):
        read.insert(0, f"    (void){name}_load({', '.join(arenas)});")
    if record.get("state"):
        read.insert(0, f"    (void){name}_reset((void *)arena);")
    write = [f"        board_write({_pointer(port)}, {port['size']}u);" for port in record["outputs"]]
    lines = [
        '#include "board.h"',
        f'#include "{name}.h"',
        '#include "s2s_arena.h"',
        "",
        f"S2S_ARENA(arena, {macro}_ARENA_SIZE, {macro}_ARENA_ALIGN);",
        *(
            f"static uint64_t port_{port['identifier']}[{-(-port['size'] // 8)}];"
            for port in ports
            if not is_in_arena(port)
        ),
        *_greatest_sizes(record),
        "",
        "static int network(void)",
        "{",
        "    board_here();",
        f"    return {name}_run({', '.join(arguments)});",
        "}",
        "",
        "static void read(void)",
        "{",
        *read,
        "}",
        "",
    ]
    if once:
        body = ["    board_open();", "    board_enter();", "    board_leave(0);", "    read();"]
        body += ["    return network();"]
        return "\n".join([*lines, "int main(void)", "{", *body, "}", ""])
    return "\n".join([*lines, *_counting_main(vectors, write)])


def _greatest_sizes(record: Record) -> list[str]:
    """Define the greatest sizes of a run as `sizes`, if sizes vary."""
    greatest = ", ".join(str(size["most"]) for size in record.get("sizes", ()))
    return [f"static const {sizes_type(record['name'])} sizes = {{{greatest}}};"] if greatest else []


def _counting_main(vectors: int, write: list[str]) -> list[str]:
    """Run each set of inputs twice: to measure the stack, and to count instructions."""
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


def count_kernels(record: Record) -> str:
    """Write the file with the run function, with harness calls around each kernel call."""
    name, kernels = record["name"], record["kernels"]
    lines = ['#include "board.h"', f'#include "{name}_kernels.h"', ""]
    lines += bracket_kernels(kernels, "board_enter()", lambda number: f"board_leave({number}u)")
    return "\n".join([*lines, f'#include "{name}.c"', ""])


def bracket_kernels(kernels: Sequence[str], enter: str, leave: Callable[[int], str]) -> list[str]:
    """Write macros that put each kernel call between two other calls; `leave` gets the number of the kernel."""
    return [
        f"#define {kernel}(...) ({enter}, {kernel}(__VA_ARGS__), {leave(number)})"
        for number, kernel in enumerate(kernels)
    ]


def is_in_arena(port: Record) -> bool:
    """Return whether an input or output of a tree's record lies in the arena."""
    return port.get("offset") is not None


def _pointer(port: Record) -> str:
    return f"(char *)arena + {port['offset']}" if is_in_arena(port) else f"port_{port['identifier']}"
