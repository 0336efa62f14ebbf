"""The bytes that a network moves in each memory pool, as estimated, and as instrumented loads and stores count them.

    python -m benchmarks.pools                              (VWW of MLPerf Tiny from TFLite and as ONNX, two minutes)
    python -m benchmarks.pools MODEL --target cortex-m4 --pool tcm=16KiB --pool sram=256KiB

The tree is built for this machine with gcc's `-fsanitize=kernel-address`, which calls a function at each load and
store; that function looks the address up among pools, inputs, outputs and constants. What is in none of them, such as
the stack, counts as "others". Exits with 1 if less than 90 % of the bytes in pools are in the first one.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.models import find_model
from s2s import api
from s2s.c_syntax.identifiers import c_macro, pool_macro
from s2s.emit.info import NetworkInfo

GOAL = 0.9
MODELS = ("vww_96_int8", "tiny_vww_mobilenet_int8")
POOLS = ("tcm=64KiB", "sram=512KiB")
FLAGS = (
    "-std=gnu99",
    "-O1",
    "-fsanitize=kernel-address",
    "-fasan-shadow-offset=0",
    *("--param", "asan-instrumentation-with-call-threshold=0"),
    *("--param", "asan-globals=0"),
    *("--param", "asan-stack=0"),
)
SIZES = (1, 2, 4, 8, 16)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--target", default="cortex-m4")
    parser.add_argument("--pool", action="append", default=[], metavar="NAME=SIZE")
    given = parser.parse_args()
    reached = [_print(model, given.target, given.pool or POOLS) for model in given.models]
    sys.exit(not all(reached))


def _print(model: str, target: str, pools: Sequence[str]) -> bool:
    """Print the counts of one network; return whether it reaches the goal."""
    artifact = api.compile(find_model(model), target=target, pools=pools)
    (decision,) = (each for each in artifact.info.decisions if each.kind == "pools")
    print(f"{model}, estimated: {decision.candidates[0].note}")
    names = [pool.partition("=")[0] for pool in pools]
    counted = _counts(artifact, names)
    inside = sum(counted[name] for name in names)
    for name, count in counted.items():
        share = f"{count / inside:7.1%} of those in pools" if name in names and inside else ""
        print(f"{name:10} {count:>14,} bytes {share}")
    return inside > 0 and counted[names[0]] >= GOAL * inside


def _counts(artifact: api.Artifact, pools: Sequence[str]) -> dict[str, int]:
    """Build and run the network, and return the bytes moved in each pool, elsewhere in constants, and in the rest."""
    with tempfile.TemporaryDirectory(prefix="s2s-pools-") as folder:
        root = Path(folder) / "tree"
        artifact.tree().write(root)
        (root / "counted.c").write_text(_program(artifact.info, pools))
        sections = [f'-D{pool_macro(pool)}=__attribute__((section("pool_{pool}")))' for pool in pools]
        includes = [f"-I{folder}" for folder in ("include", "src", "runtime/include")]
        own = [path.relative_to(root) for path in sorted((root / "src").glob("*.c"))]
        own += [path.relative_to(root) for path in sorted((root / "runtime").glob("src/*.c"))]
        subprocess.run(["gcc", *FLAGS, *sections, *includes, "-c", *own], cwd=root, check=True)
        objects = sorted(path.name for path in root.glob("*.o"))
        subprocess.run(["gcc", "-O1", *includes, "counted.c", *objects, "-lm", "-o", "counted"], cwd=root, check=True)
        out = subprocess.run(["./counted"], cwd=root, capture_output=True, text=True, check=True).stdout
    found = (line.split() for line in out.splitlines())
    return {name: int(count) for name, count in found}


def _program(info: NetworkInfo, pools: Sequence[str]) -> str:
    """Write a program that runs the network once and prints the counts."""
    macro = c_macro(info.name)
    arenas = {pool.name: f"{macro}_ARENA_{c_macro(pool.name)}_SIZE" for pool in info.pools}
    ports = [*info.inputs, *info.outputs]
    lines = [f'#include "{info.name}.h"', '#include "s2s_arena.h"', "#include <stdio.h>"]
    lines += [f"S2S_ARENA(arena_{name}, {size}, {macro}_ARENA_ALIGN);" for name, size in arenas.items()]
    lines += [f"static double port_{number}[{port.size // 8 + 1}];" for number, port in enumerate(ports)]
    lines += [f"extern const char __start_pool_{name}[] __attribute__((weak));" for name in pools]
    lines += [f"extern const char __stop_pool_{name}[] __attribute__((weak));" for name in pools]
    lines += [
        f"static unsigned long counts[{len(pools) + 2}];",
        "static void count(const char *at, unsigned long size)",
        "{",
    ]
    for number, name in enumerate(pools):
        if name in arenas:
            lines.append(f"    if (at >= (char *)arena_{name} && at < (char *)arena_{name} + {arenas[name]}) {{ "
                         f"counts[{number}] += size; return; }}")  # fmt: skip
        lines.append(
            f"    if (at >= __start_pool_{name} && at < __stop_pool_{name}) {{ counts[{number}] += size; return; }}"
        )
    for number, port in enumerate(ports):
        lines.append(f"    if (at >= (char *)port_{number} && at < (char *)port_{number} + {port.size}) {{ "
                     f"counts[{len(pools)}] += size; return; }}")  # fmt: skip
    lines += [f"    counts[{len(pools) + 1}] += size;", "}"]
    for kind in ("load", "store"):
        lines += [f"void __asan_{kind}{size}_noabort(const char *at) {{ count(at, {size}); }}" for size in SIZES]
        lines.append(f"void __asan_{kind}N_noabort(const char *at, unsigned long size) {{ count(at, size); }}")
    lines += ["void __asan_handle_no_return(void) {}", "int main(void)", "{"]
    run = info.run([f"arena_{name}" for name in arenas], [f"(void *)port_{at}" for at in range(len(ports))])
    lines.append(f"    if ({run} != S2S_OK) return 1;")
    for number, name in enumerate([*pools, "ports", "others"]):
        lines.append(f'    printf("{name} %lu\\n", counts[{number}]);')
    return "\n".join([*lines, "    return 0;", "}", ""])


if __name__ == "__main__":
    main()
