"""Products of matrices beside onnxruntime: sizes that fill registers and caches, and sizes that do not.

    python -m benchmarks.gemm [MxKxN ...] [--form weights] [--rounds 5] [--cpu N]

`y[M][N] = a[M][K] b[K][N]` on one core. The forms: `weights` (b is a constant), `factors` (both are inputs), `left` and
`right` (both are inputs, one of them stored transposed), `batch` (eight pairs of inputs). The ratio is to onnxruntime
in the same minute; its call takes some microseconds however small the product is. Exits with 1 if a product takes more
than 1.05 times as long, or differs from onnxruntime by more than 1e-4 of the largest result.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.beside import measure
from benchmarks.timing import geometric_mean, pin

FORMS = ("weights", "factors", "left", "right", "batch")
BATCH = 8
SIZES = ((256, 256, 256), (512, 512, 512), (128, 256, 768), (197, 192, 768), (49, 512, 2048))
ROWS, DEPTHS, COLUMNS = (1, 7, 13, 197, 1000), (3, 27, 147), (1, 10, 37, 1000)
LIMIT = 1.05
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Case:
    """A product and how its factors come."""

    m: int
    k: int
    n: int
    form: str

    @property
    def gflop(self) -> float:
        """Multiply-adds count twice."""
        return 2e-9 * self.m * self.k * self.n * (BATCH if self.form == "batch" else 1)

    def shapes(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Of both factors as they are stored, and of the result."""
        batch = (BATCH,) if self.form == "batch" else ()
        a = (self.k, self.m) if self.form == "left" else (self.m, self.k)
        b = (self.n, self.k) if self.form == "right" else (self.k, self.n)
        return (*batch, *a), (*batch, *b), (*batch, self.m, self.n)

    def model(self) -> onnx.ModelProto:
        """A network of this product alone."""
        a, b, y = self.shapes()
        if self.form in ("left", "right"):
            node = helper.make_node("Gemm", ["a", "b"], ["y"], transA=self.form == "left", transB=self.form == "right")
        else:
            node = helper.make_node("MatMul", ["a", "b"], ["y"])
        values = numpy_helper.from_array(np.random.default_rng(0).standard_normal(b, np.float32), "b")
        constant = [values] if self.form == "weights" else []
        inputs = [("a", a)] if constant else [("a", a), ("b", b)]
        ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs]
        result = helper.make_tensor_value_info("y", TensorProto.FLOAT, y)
        graph = helper.make_graph([node], "product", ports, [result], constant)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def cases(sizes: Sequence[str], forms: Sequence[str]) -> Iterator[Case]:
    """The named cases, else a sweep: each form at sizes as networks have them, weights at odd ones too."""
    named = [_size(size) for size in sizes]
    for form in forms:
        sweep = list(product(ROWS, DEPTHS, COLUMNS)) if form == "weights" else []
        for m, k, n in named or [*SIZES, *sweep]:
            yield Case(m, k, n, form)


def _size(text: str) -> tuple[int, int, int]:
    m, k, n = (int(part) for part in text.split("x"))
    return m, k, n


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", metavar="MxKxN")
    parser.add_argument("--form", choices=FORMS, action="append", help="one of the forms; may be repeated")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", type=int, default=None)
    options = parser.parse_args(arguments)
    pin(options.cpu)
    print(f"{'M x K x N':>18} {'form':<8} {'µs':>9} {'GFLOP/s':>8} {'ratio':>6} {'difference':>10}")
    ratios: list[float] = []
    failed = False
    for case in cases(options.sizes, options.form or FORMS):
        outcome = measure(case.model(), options.rounds, seconds=0.05)
        ratios.append(outcome.ratio)
        bad = outcome.ratio > LIMIT or not outcome.difference <= TOLERANCE
        failed = failed or bad
        size = f"{case.m} x {case.k} x {case.n}"
        print(
            f"{size:>18} {case.form:<8} {1e6 * outcome.ours:9.1f} {case.gflop / outcome.ours:8.1f} "
            f"{outcome.ratio:6.2f} {outcome.difference:10.1e}{' !' if bad else ''}",
            flush=True,
        )
    print(f"geometric mean of the ratios: {geometric_mean(ratios):.2f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
