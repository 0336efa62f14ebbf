"""What calls cost around the kernels: the table executor per node, and packed functions from Python.

    python -m benchmarks.call_overhead [--board qemu:m4]

The graph executor runs nodes of three arguments whose kernel does nothing. On a host the time is the processor's, the
least of several runs; on an emulated Cortex-M4 instructions are counted. Exits with 1 when a figure is above its limit.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from s2s.boards import get_board
from s2s.tvm.runtime import PackedFunc, nd
from s2s.tvm.runtime.abi import abi
from s2s.tvm.runtime.native import native
from s2s.verify.board_program import RECORD, BoardProgram
from s2s.verify.toolchain import default_compiler

RUNTIME = Path(__file__).resolve().parents[1] / "runtime_c"
NODES, ARGUMENTS = 64, 3
HOST_NANOSECONDS, BOARD_INSTRUCTIONS, PACKED_MICROSECONDS = 60.0, 120.0, 3.0
"""Limits."""

TABLES = f"""
#include "s2s_executor.h"
static void nothing(void *const *args) {{ (void)args; }}
static const int64_t shape[1] = {{4}};
static const s2s_graph_tensor tensors[3] = {{
    {{"x", shape, NULL, 0u, S2S_PLACE_INPUT, 1, {{S2S_DTYPE_FLOAT, 32, 1}}}},
    {{"y", shape, NULL, 0u, S2S_PLACE_OUTPUT, 1, {{S2S_DTYPE_FLOAT, 32, 1}}}},
    {{NULL, shape, NULL, 0u, S2S_PLACE_ARENA, 1, {{S2S_DTYPE_FLOAT, 32, 1}}}}}};
static const uint32_t arguments[{NODES * ARGUMENTS}] = {{{"2, 0, 1, " * NODES}}};
static const s2s_graph_node nodes[{NODES}] = {{
    {", ".join(f"{{nothing, {ARGUMENTS * i}u, {ARGUMENTS}u, NULL}}" for i in range(NODES))}}};
static const s2s_graph_port inputs[1] = {{{{0, S2S_NO_STAGING}}}}, outputs[1] = {{{{1, S2S_NO_STAGING}}}};
static const s2s_graph graph = {{"overhead", nodes, arguments, tensors, inputs, outputs, {NODES}u,
    {NODES * ARGUMENTS}u, 3u, 1u, 1u, {ARGUMENTS}u, 16u, 16u, 4u}};
static float x[4], y[4], arena[4];
static void *slots[8];
static s2s_executor executor;
static int prepare(void)
{{
    s2s_tensor tensor;
    s2s_status status = s2s_executor_init(&executor, &graph, arena, sizeof arena, slots, 8u);
    (void)s2s_executor_input_info(&executor, 0u, &tensor, NULL);
    tensor.data = x;
    status = status == S2S_OK ? s2s_executor_set_input_zero_copy(&executor, 0u, &tensor) : status;
    tensor.data = y;
    return status == S2S_OK ? s2s_executor_set_output_zero_copy(&executor, 0u, &tensor) : status;
}}
static int run(void) {{ return s2s_executor_run(&executor); }}
"""
HOST_MAIN = """
#include <stdio.h>
#include <time.h>
int main(void)
{
    double best = 1e9;
    int failed = prepare();
    for (int turn = 0; turn < 200; turn++) {
        const clock_t start = clock();
        for (int i = 0; i < 1000; i++) {
            failed |= run();
        }
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
    }
    printf("%g\\n", best / 1000.0);
    return failed;
}
"""
BOARD_MAIN = """
#include "board.h"
__attribute__((noinline)) static int idle(void) { __asm__ volatile(""); return 0; }
int main(void)
{
    board_open();
    board_count(idle);
    (void)prepare();
    board_count(run);
    return 0;
}
"""
PACKED = """
#include "s2s_packed.h"
int call_nothing(s2s_value *a, int *c, int n, s2s_value *r, int *rc, void *s)
{
    (void)a, (void)c, (void)n, (void)s;
    r->v_int64 = 7;
    *rc = S2S_ARG_INT;
    return 0;
}
"""


def host_nanoseconds(folder: Path) -> float:
    """The time of one node on this machine."""
    (folder / "host.c").write_text(TABLES + HOST_MAIN)
    sources = [folder / "host.c", RUNTIME / "src" / "executor.c"]
    command = [*default_compiler(), "-std=c99", "-O2", f"-I{RUNTIME / 'include'}", *sources, "-o", folder / "host"]
    subprocess.run(command, check=True)
    done = subprocess.run([folder / "host"], check=True, capture_output=True, text=True)
    return float(done.stdout) / NODES * 1e9


def board_instructions(name: str, folder: Path) -> float:
    """The instructions of one node on an emulated board."""
    program = BoardProgram(get_board(name), folder)
    include = ("include",)
    executor = program.compile(Path("src/executor.c"), "executor", include=include, root=RUNTIME)
    found = program.run(program.link("overhead", TABLES + BOARD_MAIN, [executor], include=include, root=RUNTIME), b"")
    counts = [program.record(found, at).instructions for at in (0, RECORD.size)]
    return (counts[1] - counts[0]) / NODES


def packed_microseconds(folder: Path) -> dict[str, float]:
    """The time of a call of a C function from Python, by its arguments."""
    (folder / "packed.c").write_text(PACKED)
    flags = ["-O2", "-shared", "-fPIC", f"-I{RUNTIME / 'include'}"]
    subprocess.run([*default_compiler(), *flags, folder / "packed.c", "-o", folder / "packed.so"], check=True)
    native()
    ffi: Any = abi()
    ffi.cdef("int call_nothing(s2s_value *, int *, int, s2s_value *, int *, void *);")
    library = ffi.dlopen(str(folder / "packed.so"))
    pointer = ffi.new("s2s_function *")
    pointer.call = library.call_nothing
    function = PackedFunc.of_c(pointer, "nothing", library)
    x, y = nd.array([1.0]), nd.empty((4, 4))
    cases: dict[str, tuple[Any, ...]] = {
        "no arguments": (),
        "two numbers": (1, 2.5),
        "two arrays of nd": (x, y),
        "an array of numpy": (np.zeros(3, np.float32),),
        "a text": ("text",),
    }
    return {name: _least_seconds(lambda given=given: function(*given)) * 1e6 for name, given in cases.items()}


def _least_seconds(function: Callable[[], object], calls: int = 25, turns: int = 8000) -> float:
    """The time of one call, the least of many short turns, some of which nothing else disturbs."""
    best = float("inf")
    for _ in range(turns):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, time.perf_counter() - start)
    return best / calls


def main() -> int:
    """Print all figures beside their limits."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.call_overhead", description=__doc__)
    parser.add_argument("--board", default="qemu:m4")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="s2s-overhead-") as made:
        folder = Path(made)
        rows = [("table executor, host, ns per node", host_nanoseconds(folder), HOST_NANOSECONDS)]
        instructions = board_instructions(given.board, folder)
        rows.append((f"table executor, {given.board}, instructions per node", instructions, BOARD_INSTRUCTIONS))
        for name, microseconds in packed_microseconds(folder).items():
            rows.append((f"packed call, {name}, us", microseconds, PACKED_MICROSECONDS))
    for name, figure, limit in rows:
        print(f"{name:50}{figure:10.2f}   at most {limit:.0f}")
    return int(any(figure > limit for _, figure, limit in rows))


if __name__ == "__main__":
    sys.exit(main())
