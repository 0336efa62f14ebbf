"""A program that times a kernel on this machine: it reads inputs from a file, runs rounds, and writes outputs.

Without threads, the processor's time of the program counts, which other programs of a busy machine do not add to. Short
kernels run several times between two looks at the clock, each of which takes part of a microsecond.
"""

from collections.abc import Sequence

from s2s.c_syntax.interface import Interface, Port
from s2s.emit.files import Tree
from s2s.errors import InputError
from s2s.verify.board_sources import place_in_c
from s2s.verify.footprint import INCLUDE_FOLDERS, source_files
from s2s.verify.toolchain import accepted_flags, default_compiler, run_program

_MAIN = """#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "{name}.h"
#include "s2s_arena.h"
{pool}
S2S_ARENA(arena, {macro}_ARENA_SIZE, {macro}_ARENA_ALIGN);
{ports}
static double now(void)
{{
    struct timespec at;

    (void)clock_gettime({clock}, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}}

static int once(void)
{{
    return {run};
}}

static void transfer(void)
{{
    FILE *const file = fopen("in.bin", "rb");

    if (file == NULL{reads}) {{
        exit(2);
    }}
    (void)fclose(file);
}}

int main(int count, char **words)
{{
    const double budget = count > 1 ? atof(words[1]) : 0.01;
    double best = 1e9, start, spent;
    long calls = count > 2 ? atol(words[2]) : 1;
    FILE *file;

    transfer();{start}
    if (once() != 0 || (file = fopen("out.bin", "wb")) == NULL{writes}) {{
        return 3;
    }}
    (void)fclose(file);
    start = now();
    do {{
        const double before = now();

        for (long i = 0; i < calls; i++) {{
            if (once() != 0) {{
                return 4;
            }}
        }}
        spent = now() - before;
        if (spent < {block}) {{
            calls *= 2;
        }} else if (spent / (double)calls < best) {{
            best = spent / (double)calls;
        }}
    }} while (best >= 1e9 || now() - start < budget);
    printf("%.12e\\n", best);
    return 0;
}}
"""
"""Inputs that a kernel overwrites keep what the last call left there: times do not depend on them."""

_START = """
    if (s2s_pool_start(&pool, {threads}) != 0) {{
        return 5;
    }}"""
PROGRAM = "timed"
BLOCK = 50e-6
"""Seconds of runs between two looks at the clock; shorter blocks of runs do not count."""


def build_program(tree: Tree) -> tuple[str, ...]:
    """Compile a tree that lies in a folder with a `main` that times it, and return the flags that were used."""
    command, network = default_compiler(), tree.network()
    threading = network.threads.flags if network.threads is not None else ()
    if network.pools or "devices" in tree.record:
        raise InputError(
            f"{network.name}: is planned for memory pools or for several devices; leave --pool and --devices out to "
            "time it here"
        )
    flags = accepted_flags(command, tree.record["target"]["flags"])
    (tree.folder / "timed.c").write_text(_source(network), encoding="utf-8")
    includes = [f"-I{folder}" for folder in INCLUDE_FOLDERS]
    sources = [path.relative_to(tree.folder) for path in source_files(tree.folder)]
    run_program([*command, *flags, *includes, *sources, "timed.c", *threading, "-lm", "-o", PROGRAM], cwd=tree.folder)
    return (*flags, *threading)


def _source(network: Interface) -> str:
    threads, outside = network.threads, [port for port in network.ports if port.offset is None]
    declared = [f"S2S_ARENA(port_{port.identifier}, {max(port.size, 1)}, 64);" for port in outside]
    return _MAIN.format(
        name=network.name,
        macro=network.macro,
        ports="".join(f"{line}\n" for line in declared),
        pool='#include "s2s_pool.h"\n\nstatic s2s_pool pool;\n' if threads else "",
        start=_START.format(threads=threads.most) if threads else "",
        run=network.run(["(void *)arena"], [f"(void *)({place_in_c(port)})" for port in network.ports]),
        reads=_transfers("fread", network.inputs),
        writes=_transfers("fwrite", network.outputs),
        clock="CLOCK_MONOTONIC" if threads else "CLOCK_PROCESS_CPUTIME_ID",
        block=BLOCK,
    )


def _transfers(function: str, ports: Sequence[Port]) -> str:
    return "".join(f" || {function}({place_in_c(port)}, 1, {port.size}, file) != {port.size}" for port in ports)
