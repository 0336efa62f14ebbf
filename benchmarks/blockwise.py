"""Products of a vector with weights that are quantised by blocks: bytes of weights per second beside memory's.

    python -m benchmarks.blockwise [KxN ...] [--bits 4 8] [--block 32] [--activations float int8] [--rounds 5] [--cpu N]

`y[1][N] = x[1][K] w[K][N]` on one core, with MatMulNBits of onnxruntime beside it and a loop that only reads as many
bytes. A product in a decoder reads every weight once a token, so reading is the limit. `share` is the time of reading
over that of the product. With `int8` activations the model has accuracy_level 4: both quantise the vector first, each
by its own rule. Exits with 1 if results differ by more than 1e-4 of the largest, or 2e-2 with 8-bit activations.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from cffi import FFI
from onnx import TensorProto, helper, numpy_helper

from benchmarks.beside import measure
from benchmarks.timing import fastest, pin
from s2s.targets import get_target
from s2s.targets.flags import compile_flags
from s2s.verify.toolchain import accepted_flags, default_compiler, run_program

TOLERANCE = {"float": 1e-4, "int8": 2e-2}
ACCURACY_LEVEL = {"float": 0, "int8": 4}
READ = """
#include <stdint.h>
#include <stddef.h>
uint64_t read_all(const uint64_t *data, size_t count)
{
    uint64_t sums[64] = {0};
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i += 64) {
        for (size_t k = 0; k < 64; k++) {
            sums[k] += data[i + k];
        }
    }
    for (size_t k = 0; k < 64; k++) {
        sum += sums[k];
    }
    return sum;
}
"""
"""Eight vectors of sums, so that the additions do not wait for each other."""


def product(columns: int, rows: int, bits: int, block: int, activations: str = "float") -> onnx.ModelProto:
    """A network of one MatMulNBits with random weights."""
    rng = np.random.default_rng(0)
    blocks = -(-columns // block)
    weights = rng.integers(0, 256, (rows, blocks, block * bits // 8)).astype(np.uint8)
    scales = rng.uniform(0.01, 0.02, (rows, blocks)).astype(np.float32)
    sizes: Any = {"K": columns, "N": rows, "bits": bits, "block_size": block}
    sizes["accuracy_level"] = ACCURACY_LEVEL[activations]
    node = helper.make_node("MatMulNBits", ["x", "w", "scales"], ["y"], domain="com.microsoft", **sizes)
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in (("x", [1, columns]), ("y", [1, rows]))
    ]
    constants = [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(scales, "scales")]
    graph = helper.make_graph([node], "product", ports[:1], ports[1:], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def bytes_of_weights(columns: int, rows: int, bits: int, block: int) -> int:
    """Weights and scales."""
    return rows * -(-columns // block) * (block * bits // 8 + 4)


def read_seconds(sizes: Sequence[int], rounds: int, seconds: float) -> list[float]:
    """Seconds of reading arrays of each of `sizes` bytes once."""
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "read.c", Path(folder) / "read.so"
        source.write_text(READ, encoding="utf-8")
        compiler = default_compiler()
        flags = accepted_flags(compiler, compile_flags(get_target("host")))
        run_program([*compiler, *flags, "-fPIC", "-shared", source, "-o", library])
        ffi: Any = FFI()
        ffi.cdef("uint64_t read_all(const uint64_t *, size_t);")
        lib: Any = ffi.dlopen(str(library))
        arrays = [np.ones(-(-size // 512) * 64, np.uint64) for size in sizes]
        pointers = [ffi.cast("uint64_t *", each.ctypes.data) for each in arrays]
        calls = {
            f"{number}": lambda pointer=pointer, count=each.size: lib.read_all(pointer, count)
            for number, (pointer, each) in enumerate(zip(pointers, arrays, strict=True))
        }
        found = fastest(calls, rounds, seconds)
        ffi.dlclose(lib)
    return [found[name] for name in calls]


def main() -> int:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=["4096x4096"], metavar="KxN")
    parser.add_argument("--bits", type=int, nargs="+", default=[4, 8])
    parser.add_argument("--block", type=int, default=32)
    parser.add_argument("--activations", nargs="+", choices=list(TOLERANCE), default=list(TOLERANCE))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", type=int)
    given = parser.parse_args()
    pin(given.cpu)
    cases = [(*map(int, size.split("x")), bits) for size in given.sizes for bits in given.bits]
    sizes = [bytes_of_weights(columns, rows, bits, given.block) for columns, rows, bits in cases]
    reads = read_seconds(sizes, given.rounds, 0.1)
    print("       K x N bits   acts     MB       us   GB/s   read  share to ort    error")
    wrong = False
    for (columns, rows, bits), size, read in zip(cases, sizes, reads, strict=True):
        for activations in given.activations:
            found = measure(product(columns, rows, bits, given.block, activations), given.rounds, 0.1)
            wrong = wrong or found.difference > TOLERANCE[activations]
            print(
                f"{f'{columns}x{rows}':>12} {bits:>4} {activations:>6} {size / 1e6:>6.1f} {found.ours * 1e6:>8.0f} "
                f"{size / found.ours / 1e9:>6.1f} {size / read / 1e9:>6.1f} {read / found.ours:>6.2f} "
                f"{found.ratio:>6.2f} {found.difference:>8.1e}"
            )
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
