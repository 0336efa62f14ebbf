"""Add timing hooks to a tree: the same files, with the run function compiled to read the clock around each kernel call.

The file with the run function is included where each kernel's name is a macro that calls it between two readings of
the clock; calls are numbered in the order of the text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from s2s.emit.call_comments import KernelCall
from s2s.emit.files import Tree
from s2s.errors import CompilerBug
from s2s.support.frozen import frozen
from s2s.support.resources import profiling_source
from s2s.types.dtypes import Array
from s2s.verify.board_sources import bracket_kernels
from s2s.verify.build import LoadedNetwork

HOOKS = "hooks.h"


def timed_tree(tree: Tree, name: str, calls: Sequence[KernelCall]) -> Tree:
    """Add timing hooks around `calls` in `tree`."""
    entry, moved = f"src/{name}.c", f"{name}_calls.inc"
    head = [
        "#define _POSIX_C_SOURCE 199309L",
        f"#define S2S_PROFILE_CALLS {len(calls)}",
        f'#include "{HOOKS}"',
        f'#include "{name}_kernels.h"',
    ]
    kernels = list(dict.fromkeys(call.kernel for call in calls))
    text = bracket_kernels(kernels, "s2s_profile_enter()", lambda _: "s2s_profile_leave(__COUNTER__)")
    lines = [*head, *text, f'#include "{moved}"', ""]
    more = {
        entry: "\n".join(lines).encode(),
        f"src/{moved}": tree.files[entry],
        f"src/{HOOKS}": profiling_source(HOOKS).encode(),
    }
    return replace(tree, files={**tree.files, **more})


@frozen
class Samples:
    """Measured times: a row for each run, a column for each call."""

    nanoseconds: NDArray[np.int64]
    repetitions: tuple[int, ...]
    """How often a run executes each call: more than once in a loop, never in a branch not taken."""


class TimedNetwork:
    """A loaded network with hooks and input data."""

    def __init__(self, network: LoadedNetwork, calls: int, inputs: Mapping[str, Array]) -> None:
        self._network, self._calls = network, calls
        self._bound = network.bind(inputs)
        network.ffi.cdef(
            f"extern uint64_t s2s_profile_time[{calls}]; extern uint64_t s2s_profile_count[{calls}];"
            "uint64_t s2s_profile_idle(void);"
        )
        self._time, self._count = self._counters("s2s_profile_time"), self._counters("s2s_profile_count")

    def _counters(self, name: str) -> NDArray[np.uint64]:
        memory: Any = self._network.ffi.buffer(getattr(self._network.lib, name))
        return np.frombuffer(memory, np.uint64)

    def seconds(self) -> float:
        """Return the time of one run after a warm-up run."""
        self._run()
        self._run()
        return float(self._time.sum()) * 1e-9

    def samples(self, runs: int) -> Samples:
        """Return the times of `runs` runs, less the time of reading the clock."""
        rows = np.zeros((runs, self._calls), np.int64)
        idle = int(self._network.lib.s2s_profile_idle())
        for row in rows:
            self._run()
            row[:] = self._time.astype(np.int64)
            row -= self._count.astype(np.int64) * idle
        return Samples(np.maximum(rows, 0), tuple(int(count) for count in self._count))

    def _run(self) -> None:
        self._time[:] = 0
        self._count[:] = 0
        status = self._bound.call()
        if status != 0:
            raise CompilerBug(f"{self._network.name}_run: status {status}")
