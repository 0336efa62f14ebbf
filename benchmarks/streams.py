"""Constants that are copied from a slow memory while kernels compute: accesses to each memory, and the time of a run.

    python -m benchmarks.streams                                (VWW of MLPerf Tiny, two minutes)
    python -m benchmarks.streams MODEL --pool tcm=64KiB --pool flash=512KiB:streamed:rate=0.5:latency=200

Accesses are counted under QEMU by a plugin (`qemu_accesses.c`), which sees every load and store of the processor: those
in the arena, in constants of each pool, and elsewhere (inputs, outputs, stack, constants without a pool). The copies of
constants are among them, made by the processor.

The time is that of this machine, beside a tree whose buffers and constants are all in one fast memory. The hooks are a
stand-in for a bus: a copy occupies it for the latency and the bytes by the rate of the pool, one after the other, and
the wait spins until it is free. A cycle of the stand-in is the time of the run in fast memory by the estimated cycles
of the kernels. Times are those of the thread's processor, the least
of several runs in turn.

Exits with 1 if less than 90 % of the bytes in pools are in the first one, or the run takes over 1.1 times as long.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.models import find_model
from s2s import api
from s2s.boards import get_board
from s2s.c_syntax.identifiers import c_macro, pool_macro
from s2s.c_syntax.interface import Interface
from s2s.emit.info import NetworkInfo
from s2s.emit.read_tree import read_tree
from s2s.types.pools import Pool, pools_of
from s2s.verify.board_program import BoardProgram
from s2s.verify.board_sources import run_network
from s2s.verify.footprint import INCLUDE_FOLDERS

SHARE, SLOWER = 0.9, 1.1
"""The goals."""
POOLS = ("tcm=64KiB", "flash=512KiB:streamed:rate=0.5:latency=200")
BOARD = "qemu:m4"
STREAMED, FAST = "streamed", "fast"
WHOLE = "64MiB"
RUNS = 40
FLAGS = ("-std=gnu99", "-O2", "-ffp-contract=off")
CLOCK = """
static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
"""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="tiny_vww_mobilenet_int8")
    parser.add_argument("--pool", action="append", default=[], metavar="NAME=SIZE")
    given = parser.parse_args()
    pools = pools_of(given.pool or POOLS)
    model, target = find_model(given.model), get_board(BOARD).target
    streamed = api.compile(model, target=target, name=STREAMED, pools=[str(pool) for pool in pools])
    fast = api.compile(model, target=target, name=FAST, pools=[f"{pools[0].name}={WHOLE}"])
    (decision,) = (each for each in streamed.decisions if each.kind == "streams")
    taken = next(each for each in decision.candidates if each.refused is None)
    print(f"{decision.about}: {taken.note}")
    with tempfile.TemporaryDirectory(prefix="s2s-streams-") as folder:
        root = Path(folder)
        streamed.write(root / STREAMED)
        fast.write(root / FAST)
        vector = b"".join(np.asarray(array, order="C").tobytes() for array in streamed.info.golden[0].inputs)
        share = _print_accesses(root / STREAMED, pools, vector)
        steps = re.search(r"of ([0-9,]+) cycles", taken.note)
        assert steps is not None
        ratio = _print_times(root, pools, int(steps[1].replace(",", "")), streamed.info)
    sys.exit(share < SHARE or ratio > SLOWER)


def _print_accesses(tree: Path, pools: Sequence[Pool], vector: bytes) -> float:
    """Run the tree under QEMU, print the bytes in each memory, and return the share of the first pool."""
    counted = _accesses(tree, pools, vector)
    names = [pool.name for pool in pools]
    inside = sum(counted[name] for name in names)
    for name, count in counted.items():
        share = f"{count / inside:7.1%} of those in pools" if name in names else ""
        print(f"{name:10} {count:>14,} bytes {share}")
    return counted[names[0]] / inside


def _accesses(tree: Path, pools: Sequence[Pool], vector: bytes) -> Mapping[str, int]:
    with tempfile.TemporaryDirectory(prefix="s2s-accesses-") as name:
        folder = Path(name)
        plugin = folder / "accesses.so"
        source = Path(__file__).with_name("qemu_accesses.c")
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", source, "-o", plugin], check=True)
        sections = [f'-D{pool_macro(pool.name)}=__attribute__((section("pool_{pool.name}")))' for pool in pools]
        program = BoardProgram(get_board(BOARD), folder, flags=sections)
        network = read_tree(tree).network()
        sources = sorted((*tree.glob("src/*.c"), *tree.glob("runtime/src/*.c")))
        objects = [
            program.compile(path.relative_to(tree), f"network{number}", include=INCLUDE_FOLDERS, root=tree)
            for number, path in enumerate(sources)
        ]
        elf = program.link("counted", run_network(network, 1, once=True), objects, include=INCLUDE_FOLDERS, root=tree)
        ranges = _ranges(elf, program.compiler[0].removesuffix("gcc"), pools, network)
        listed = ",".join(f"{name}={first:#x}-{behind:#x}" for name, first, behind in ranges)
        emulator = (*program.board.emulator, "-plugin", f"{plugin},{listed},out={folder / 'counts.txt'}")
        program.board = replace(program.board, emulator=emulator)
        program.run(elf, vector)
        found = {pool.name: 0 for pool in pools} | {"others": 0}
        for line in (folder / "counts.txt").read_text().splitlines():
            name, count = line.split()
            found[name] += int(count)
        return found


def _ranges(elf: Path, tools: str, pools: Sequence[Pool], network: Interface) -> list[tuple[str, int, int]]:
    """Return the addresses of the constants and of the part of the arena in each pool."""
    found: list[tuple[str, int, int]] = []
    sections = subprocess.run([f"{tools}readelf", "-SW", elf], capture_output=True, text=True, check=True).stdout
    for pool in pools:
        placed = re.search(rf"pool_{pool.name}\s+PROGBITS\s+([0-9a-f]+)\s+[0-9a-f]+\s+([0-9a-f]+)", sections)
        if placed is not None:
            first = int(placed[1], 16)
            found.append((pool.name, first, first + int(placed[2], 16)))
    symbols = subprocess.run([f"{tools}nm", elf], capture_output=True, text=True, check=True).stdout
    (start,) = (int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" arena"))
    for part in network.pools:
        first = start + part.offset
        found.append((part.name, first, first + part.size))
    return found


def _print_times(root: Path, pools: Sequence[Pool], cycles: int, info: NetworkInfo) -> float:
    """Run both trees in turn, print the least times, and return their ratio."""
    pool = next(each for each in pools if each.is_streamed)
    cycle = _times(root, info, _hooks(pool, 0.0))[FAST] / cycles
    times = _times(root, info, _hooks(pool, cycle))
    ratio = times[STREAMED] / times[FAST]
    rate, latency = pool.rate / cycle / 1e6, pool.latency * cycle * 1e6
    print(
        f"stand-in: a cycle of {cycle * 1e9:.2f} ns; copies of {rate:.0f} MB/s, {latency:.2f} us until the first byte"
    )
    print(f"all in {pools[0].name}  {times[FAST] * 1e3:8.3f} ms")
    print(f"streamed    {times[STREAMED] * 1e3:8.3f} ms, {ratio:.3f} of that")
    return ratio


def _times(root: Path, info: NetworkInfo, hooks: str) -> Mapping[str, float]:
    """Build a program that runs both trees in turn, and return the least time of each in seconds."""
    ports = [f"(void *)port_{number}" for number in range(len(info.ports))]
    lines = ["#include <stdio.h>", "#include <string.h>", "#include <time.h>", '#include "s2s_arena.h"']
    lines += [f"static double port_{number}[{port.size // 8 + 1}];" for number, port in enumerate(info.ports)]
    lines += [CLOCK, hooks]
    body: list[str] = []
    for name in (FAST, STREAMED):
        network = read_tree(root / name).network()
        (arena,), macro = network.pools, network.macro
        lines += [f'#include "{name}.h"']
        lines += [f"S2S_ARENA({name}_arena, {macro}_ARENA_{c_macro(arena.name)}_SIZE, {macro}_ARENA_ALIGN);"]
        run = network.run([f"{name}_arena"], ports)
        body += ["        before = now();", f"        if ({run} != S2S_OK) return 1;"]
        body += [f"        {name} = now() - before < {name} ? now() - before : {name};"]
    lines += ["int main(void)", "{", f"    double before, {FAST} = 1e9, {STREAMED} = 1e9;"]
    lines += [f"    for (int i = 0; i < {RUNS}; i++) {{", *body, "    }"]
    lines += [f'    printf("%.9f %.9f\\n", {FAST}, {STREAMED});', "    return 0;", "}", ""]
    (root / "timed.c").write_text("\n".join(lines))
    _compile_networks(root, hooks)
    command = ["gcc", *FLAGS, *_includes(FAST, STREAMED), "timed.c", *map(str, root.glob("*.o")), "-lm", "-o", "timed"]
    subprocess.run(command, cwd=root, check=True)
    found = subprocess.run([root / "timed"], capture_output=True, text=True, check=True).stdout.split()
    return dict(zip((FAST, STREAMED), map(float, found), strict=True))


def _compile_networks(root: Path, hooks: str) -> None:
    """Compile both trees, with one runtime, unless that is done."""
    if any(root.glob("*.o")):
        return
    guard = [f"-D{c_macro(STREAMED)}_{c_macro(name)}_HOOKS" for name in re.findall(r"wait_for_(\w+)", hooks)]
    for name in (FAST, STREAMED):
        sources = [*(root / name).glob("src/*.c"), *((root / name).glob("runtime/src/*.c") if name == FAST else ())]
        subprocess.run(["gcc", *FLAGS, *guard, *_includes(name), "-c", *sources], cwd=root, check=True)


def _includes(*names: str) -> list[str]:
    return [f"-I{name}/{folder}" for name in names for folder in INCLUDE_FOLDERS]


def _hooks(pool: Pool, cycle: float) -> str:
    """Define hooks that keep a bus busy for as long as a copy from `pool` takes."""
    latency, byte = f"{pool.latency * cycle:.12f}", f"{cycle / pool.rate:.15f}"
    return f"""
static double free_at;
void streamed_start_copy_from_{pool.name}(void *target, const void *source, size_t size)
{{
    const double start = now();

    memcpy(target, source, size);
    free_at = (free_at > start ? free_at : start) + {latency} + (double)size * {byte};
}}
void streamed_wait_for_{pool.name}(void)
{{
    while (now() < free_at) {{
    }}
}}
"""


if __name__ == "__main__":
    main()
