"""A program that times a kernel on this machine: it reads inputs from a file, runs rounds, and writes outputs.

Without threads, the processor's time of the program counts, which other programs of a busy machine do not add to. Short
kernels run several times between two looks at the clock, each of which takes part of a microsecond.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from s2s.c_syntax.identifiers import c_macro
from s2s.errors import InputError
from s2s.verify.board_sources import is_in_arena
from s2s.verify.footprint import INCLUDE_FOLDERS, source_files
from s2s.verify.toolchain import accepted_flags, default_compiler, run_program
from s2s.verify.tree_record import tree_record

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
    return {name}_run({arguments});
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
    long calls = 1;
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


def build_program(root: Path) -> tuple[str, ...]:
    """Compile the tree at `root` with a `main` that times it, and return the flags that were used."""
    command = default_compiler()
    record = tree_record(root)
    threading = record.get("threads", {}).get("flags", ())
    if "pools" in record["arena"] or "devices" in record:
        raise InputError(
            f"{record['name']}: is planned for memory pools or for several devices; leave --pool and --devices out to "
            "time it here"
        )
    flags = accepted_flags(command, record["target"]["flags"])
    (root / "timed.c").write_text(_source(record), encoding="utf-8")
    includes = [f"-I{folder}" for folder in INCLUDE_FOLDERS]
    sources = [path.relative_to(root) for path in source_files(root)]
    run_program([*command, *flags, *includes, *sources, "timed.c", *threading, "-lm", "-o", PROGRAM], cwd=root)
    return (*flags, *threading)


def _source(record: dict[str, Any]) -> str:
    name, ports = record["name"], [*record["inputs"], *record["outputs"]]
    threads = record.get("threads")
    pointers = [f"(void *)({_pointer(port)})" for port in ports]
    declared = [
        f"S2S_ARENA(port_{port['identifier']}, {max(port['size'], 1)}, 64);" for port in ports if not is_in_arena(port)
    ]
    return _MAIN.format(
        name=name,
        macro=c_macro(name),
        ports="".join(f"{line}\n" for line in declared),
        pool='#include "s2s_pool.h"\n\nstatic s2s_pool pool;\n' if threads else "",
        start=_START.format(threads=threads["most"]) if threads else "",
        arguments=", ".join(["(void *)arena", *(["&pool"] if threads else ()), *pointers]),
        reads=_transfers("fread", record["inputs"]),
        writes=_transfers("fwrite", record["outputs"]),
        clock="CLOCK_MONOTONIC" if threads else "CLOCK_PROCESS_CPUTIME_ID",
        block=BLOCK,
    )


def _transfers(function: str, ports: Sequence[Any]) -> str:
    return "".join(f" || {function}({_pointer(port)}, 1, {port['size']}, file) != {port['size']}" for port in ports)


def _pointer(port: Any) -> str:
    return f"(char *)arena + {port['offset']}" if is_in_arena(port) else f"port_{port['identifier']}"
