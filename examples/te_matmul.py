"""Matrix multiplication as tensor expressions, step by step: blocking, vectors, loop order, packing, a write cache.

    python examples/te_matmul.py

Every step is the same formula with another schedule. The last line is the compiler's own schedule of a network that
holds nothing but the product.
"""

import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from s2s.tvm import te
from s2s.tvm.te import Schedule, Tensor

Floats = npt.NDArray[np.float32]
SIZE = 512
ROWS, COLUMNS, STEPS = 8, 32, 2
"""The block of results that is computed together, and the steps of the sum that are written out."""


def formula(n: int) -> tuple[Tensor, Tensor, Tensor]:
    """The product C of A and B."""
    k = te.reduce_axis((0, n), "k")
    a, b = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    return a, b, te.compute((n, n), lambda x, y: te.sum(a[x, k] * b[k, y], axis=k), name="C")


def packed_formula(n: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The same product, with B copied into panels of COLUMNS columns first."""
    k = te.reduce_axis((0, n), "k")
    a, b = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    panels = te.compute((n // COLUMNS, n, COLUMNS), lambda panel, k, y: b[k, panel * COLUMNS + y], name="panels")
    c = te.compute((n, n), lambda x, y: te.sum(a[x, k] * panels[y // COLUMNS, k, y % COLUMNS], axis=k), name="C")
    return a, b, panels, c


def naive(n: int) -> tuple[Schedule, list[Tensor]]:
    """Three loops."""
    a, b, c = formula(n)
    return te.create_schedule(c.op), [a, b, c]


def blocked(n: int) -> tuple[Schedule, list[Tensor]]:
    """Blocks of results, each summed up in turn."""
    a, b, c = formula(n)
    s = te.create_schedule(c.op)
    xo, yo, xi, yi = s[c].tile(c.op.axis[0], c.op.axis[1], ROWS, COLUMNS)
    ko, ki = s[c].split(c.op.reduce_axis[0], factor=STEPS)
    s[c].reorder(xo, yo, xi, yi, ko, ki)
    return s, [a, b, c]


def vectorized(n: int) -> tuple[Schedule, list[Tensor]]:
    """The columns of a block in vectors."""
    s, (a, b, c) = blocked(n)
    s[c].vectorize(s[c].leaves[3])
    return s, [a, b, c]


def permuted(n: int) -> tuple[Schedule, list[Tensor]]:
    """The rows of a block inside of the sum, so that a row of B is loaded once for all of them."""
    a, b, c = formula(n)
    s = te.create_schedule(c.op)
    xo, yo, xi, yi = s[c].tile(c.op.axis[0], c.op.axis[1], ROWS, COLUMNS)
    ko, ki = s[c].split(c.op.reduce_axis[0], factor=STEPS)
    s[c].reorder(xo, yo, ko, ki, xi, yi)
    s[c].unroll(ki)
    s[c].vectorize(yi)
    return s, [a, b, c]


def packed(n: int) -> tuple[Schedule, list[Tensor]]:
    """B in panels, so that the sum reads it from front to back."""
    a, b, panels, c = packed_formula(n)
    s = te.create_schedule(c.op)
    xo, yo, xi, yi = s[c].tile(c.op.axis[0], c.op.axis[1], ROWS, COLUMNS)
    ko, ki = s[c].split(c.op.reduce_axis[0], factor=STEPS)
    s[c].reorder(yo, xo, ko, ki, xi, yi)
    s[c].unroll(ki)
    s[c].vectorize(yi)
    s[panels].vectorize(panels.op.axis[2])
    return s, [a, b, c]


def write_cached(n: int) -> tuple[Schedule, list[Tensor]]:
    """A block is summed up in a cache of its own and written once."""
    a, b, panels, c = packed_formula(n)
    s = te.create_schedule(c.op)
    cache = s.cache_write(c, "global")
    xo, yo, _, _ = s[c].tile(c.op.axis[0], c.op.axis[1], ROWS, COLUMNS)
    s[c].reorder(yo, xo)
    s[cache].compute_at(s[c], xo)
    xc, yc = s[cache].op.axis
    ko, ki = s[cache].split(s[cache].op.reduce_axis[0], factor=STEPS)
    s[cache].reorder(ko, ki, xc, yc)
    s[cache].unroll(ki)
    s[cache].vectorize(yc)
    s[panels].vectorize(panels.op.axis[2])
    return s, [a, b, c]


STEPS_OF_THE_TUTORIAL: tuple[tuple[str, Callable[[int], tuple[Schedule, list[Tensor]]]], ...] = (
    ("naive", naive),
    ("blocking", blocked),
    ("vectorisation", vectorized),
    ("loop permutation", permuted),
    ("array packing", packed),
    ("write cache", write_cached),
)


def own_schedule(n: int, a: Floats, b: Floats, c: Floats) -> Callable[[], object]:
    """The product as a network, scheduled by the compiler."""
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp, ReturnOp
    from xdsl.ir import Block, Region

    import s2s
    from s2s.compilation import Compilation
    from s2s.dialects import graph
    from s2s.frontends.model import GraphModel
    from s2s.types.dtypes import f32, tensor_type

    kind = tensor_type(f32, (n, n))
    block = Block(arg_types=[kind, kind])
    product = graph.MatmulOp(*block.args)
    block.add_ops([product, ReturnOp(product.y)])
    module = ModuleOp([FuncOp("main", ([kind, kind], [kind]), Region(block))])
    artifact = s2s.Artifact(Compilation(GraphModel(module, {}, "product"), s2s.CompileOptions(target="host")))
    return artifact.loaded().call_on([a, b], [c])


def main(n: int = SIZE) -> dict[str, float]:
    """Time every step, interleaved, and print the table; returns seconds by step."""
    rng = np.random.default_rng(0)
    a, b = rng.random((n, n), np.float32), rng.random((n, n), np.float32)
    calls: dict[str, Callable[[], object]] = {}
    for name, schedule in STEPS_OF_THE_TUTORIAL:
        function = te.build(*schedule(n), target="host", name="matmul")
        c = np.zeros((n, n), np.float32)
        function(a, b, c)
        np.testing.assert_allclose(c, a @ b, rtol=1e-4)
        calls[name] = function.bound(a, b, c)
    calls["compiler's own"] = own_schedule(n, a, b, np.zeros((n, n), np.float32))
    seconds = dict.fromkeys(calls, float("inf"))
    for _ in range(25):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    own = seconds["compiler's own"]
    print(f"{'step':20}{'ms':>10}{'GFLOP/s':>10}{'of own':>10}")
    for name, value in seconds.items():
        print(f"{name:20}{value * 1e3:10.3f}{2 * n**3 / value / 1e9:10.1f}{own / value:10.0%}")
    return seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SIZE)
