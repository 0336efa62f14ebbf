"""Run networks that call packed functions of Python again and again, and count the bytes that stay allocated.

    python -m support.packed_leaks TREE LIBRARY

The program of `tests/tvm/runtime/test_packed_leaks.py`, which starts it under the address sanitizer: that counts all
memory of the process, of Python's objects too where PYTHONMALLOC is malloc. TREE is a network for executor aot, LIBRARY
the same one exported for executor graph. Prints JSON: the bytes that each kind of run leaves behind, with successes and
with exceptions, those of runs that keep something on purpose, and the references that are left.
"""

import ctypes
import gc
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress

os.environ.pop("LD_PRELOAD", None)  # compilers that are called from here need no sanitizer

import numpy as np

from s2s.executor.device import cpu
from s2s.executor.ndarray import NDArray
from s2s.executor.session import raise_failure
from s2s.tvm.contrib.graph_executor import GraphModule
from s2s.tvm.runtime import load_module, register_func
from s2s.tvm.runtime.packed_func import held_count
from s2s.tvm.runtime.tensors import given_count
from s2s.types.dtypes import Array
from s2s.verify.build import load

RUNS, ROUNDS = 100, 5
kept: list[Array] = []
CACHE = "_clear_internal_caches" if hasattr(sys, "_clear_internal_caches") else "_clear_type_cache"
clear_lookups: Callable[[], None] = getattr(sys, CACHE)
"""Empties the cache that keeps names of attributes alive: it fills up over thousands of runs, as if they leaked."""


@register_func("leaks.split")
def split(x: NDArray, small: Array, large: Array) -> None:
    """Write two results, or raise what comes through C."""
    if x[0] < 0:
        raise ValueError(f"negative: {x.numpy()}")
    if x[0] > 0.99:
        kept.append(x.numpy())
    small[:], large[:] = np.minimum(x, 1), np.maximum(x, 1)


def allocated() -> int:
    """The bytes of the process that are allocated now, without those that the cache of attribute lookups holds."""
    count = ctypes.CDLL(None).__sanitizer_get_current_allocated_bytes
    count.restype = ctypes.c_size_t
    clear_lookups()
    gc.collect()
    return count()


def growth(run: Callable[[], object]) -> int:
    """The bytes that RUNS runs leave behind: the least of some rounds, since caches fill up and leaks never do."""
    least = sys.maxsize
    for _ in range(ROUNDS):
        before = allocated()
        for _ in range(RUNS):
            run()
        least = min(least, allocated() - before)
        if least < 4 * RUNS:
            break
    return least


def raising(run: Callable[[], object]) -> Callable[[], object]:
    """`run`, whose exception is caught."""

    def caught() -> None:
        with suppress(ValueError):
            run()
            raise AssertionError("the exception of Python did not come through")

    return caught


def main(tree: str, library: str) -> None:
    """Measure all executors."""
    x = np.ones(4, np.float32)
    aot, module = load(tree), load_module(library)
    bound = aot.bind({"x": x})
    tables = GraphModule(module["default"](cpu()))
    program = GraphModule(module["debug_create"]("default", cpu()))
    for each in (tables, program):
        each.set_input_zero_copy("x", x)

    def run_aot() -> None:
        if bound.call() != 0:
            raise_failure("aot")

    references = sys.getrefcount(x)
    found: dict[str, int] = {}
    for name, run in {"aot": run_aot, "tables": tables.run, "graph JSON": program.run}.items():
        x[:] = 0.5
        found[name] = growth(run)
        x[:] = -1
        found[f"{name}, exceptions"] = growth(raising(run))
    x[:] = 10
    found["kept on purpose"] = growth(run_aot)
    left = sys.getrefcount(x) - references
    print(json.dumps({"bytes": found, "references": left, "held": held_count(), "given": given_count()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
