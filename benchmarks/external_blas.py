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
from typing import Any

import numpy as np

from benchmarks.external_library import Row, measure, report
from benchmarks.timing import pin

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
LIBRARY = "blas"


def measure_product(shape: tuple[int, int, int]) -> Row:
    """Compile, run and compare both."""
    return measure(" x ".join(map(str, shape)), LIBRARY, product(shape))


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
    return report(LIBRARY, map(measure_product, shapes))


if __name__ == "__main__":
    sys.exit(main())
