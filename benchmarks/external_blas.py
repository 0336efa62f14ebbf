"""Products of float matrices: our kernels beside cblas_sgemm, and which one `--external blas=auto` takes.

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.external_blas            (20 shapes, about a minute)
    python -m benchmarks.external_blas --shapes 128x768x768 1x1000x512

A shape is rows x columns x depth; the second factor is constant. Each product is a network of its own, compiled for the
host twice; they take turns, and the fastest block of each counts. Exits with 1 where the chosen one takes more than 3 %
longer than the other, unless both take less than a microsecond.
"""

import argparse
import os
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import fastest, pin
from s2s import api
from s2s.verify.build import load

SHAPES = (
    (4, 8, 16),
    (16, 16, 16),
    (32, 32, 32),
    (64, 64, 64),
    (128, 128, 128),
    (256, 256, 256),
    (384, 384, 384),
    (512, 512, 512),
    (1, 128, 512),
    (1, 1000, 512),
    (1, 1024, 1024),
    (8, 1000, 2048),
    (128, 768, 768),
    (128, 768, 3072),
    (128, 3072, 768),
    (196, 256, 1024),
    (1024, 64, 64),
    (3136, 64, 64),
    (49, 512, 512),
    (33, 77, 129),
)
LIMIT = 1.03
TRIVIAL = 1e-6
"""Seconds below which a difference is that of one call."""
ROUNDS, SECONDS = 6, 0.05
"""Turns of each, and how long one takes."""


@dataclass(frozen=True)
class Row:
    """The times of one product in seconds."""

    shape: tuple[int, int, int]
    ours: float
    library: float
    chosen: str

    @property
    def best(self) -> float:
        """Of both."""
        return min(self.ours, self.library)

    @property
    def taken(self) -> float:
        """Of the chosen one."""
        return self.library if self.chosen == "blas" else self.ours

    @property
    def passed(self) -> bool:
        """Whether the choice is as good as the other one."""
        return self.taken <= LIMIT * self.best or max(self.ours, self.library) < TRIVIAL


def measure(shape: tuple[int, int, int]) -> Row:
    """Compile, run and compare both."""
    network = product(shape)
    chosen = next(each.chosen for each in _decisions(network) if each.kind == "external")
    x = {"x": np.random.default_rng(1).normal(size=(shape[0], shape[2])).astype(np.float32)}
    trees = [api.compile(network, target="host", external={"blas": mode}).tree() for mode in ("never", "always")]
    with load(trees[0]) as ours, load(trees[1]) as library:
        times = fastest({"s2s": ours.bind(x).call, "blas": library.bind(x).call}, ROUNDS, SECONDS)
    return Row(shape, times["s2s"], times["blas"], chosen)


def product(shape: tuple[int, int, int]) -> Any:
    """y[rows, columns] = x[rows, depth] w[depth, columns] as ONNX."""
    from onnx import TensorProto, helper, numpy_helper

    rows, columns, depth = shape
    w = np.random.default_rng(0).normal(size=(depth, columns)).astype(np.float32)
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, size)
        for name, size in (("x", [rows, depth]), ("y", [rows, columns]))
    ]
    node = helper.make_node("MatMul", ["x", "w"], ["y"], "product")
    graph = helper.make_graph([node], "product", ends[:1], ends[1:], [numpy_helper.from_array(w, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _decisions(network: Any) -> Any:
    return api.compile(network, target="host", external={"blas": "auto"}).decisions


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--shapes", nargs="*", metavar="MxNxK", help="rows, columns and depth; 20 shapes by default")
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    pin()
    shapes = SHAPES
    if arguments.shapes:
        shapes = tuple((m, n, k) for m, n, k in (map(int, each.split("x")) for each in arguments.shapes))
    print(f"{'rows x columns x depth':>24} {'s2s us':>10} {'blas us':>10} {'blas/s2s':>9}  chosen")
    rows: list[Row] = []
    for shape in shapes:
        row = measure(shape)
        rows.append(row)
        name, ratio = " x ".join(map(str, shape)), row.library / row.ours
        end = "" if row.passed else f"  !  {row.taken / row.best - 1:.0%} slower"
        print(
            f"{name:>24} {1e6 * row.ours:>10.2f} {1e6 * row.library:>10.2f} {ratio:>9.2f}  {row.chosen}{end}",
            flush=True,
        )
    wins = sum(row.library < row.ours for row in rows)
    print(f"blas is faster on {wins} of {len(rows)}; the choice is within 3 % on {sum(row.passed for row in rows)}")
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
