"""Fourier transforms of rows, by the network that is compiled for this machine and by numpy's pocketfft.

    python -m benchmarks.fourier [--rounds 4] [--cpu N]

Both take floats of 32 bits and turn about on one core. The exit code is 1 where the network takes longer than numpy.
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from benchmarks.timing import Call, fastest, geometric_mean, pin
from s2s.api import compile as compile_network

CASES = (
    *((1, 512, 1), (100, 128, 1), (100, 400, 1), (100, 480, 1), (100, 512, 1), (100, 1000, 1)),
    *((100, 96, 2), (1, 1024, 2), (64, 1024, 2), (1, 4096, 2)),
)
"""Rows, numbers in a row, and parts of a number: 1 if it is real."""


def network(rows: int, size: int, parts: int) -> onnx.ModelProto:
    """The transform of rows, of real ones the half of the spectrum."""
    node = helper.make_node("DFT", ["x", "", "axis"], ["y"], onesided=int(parts == 1))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, size, parts])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "fourier", [x], [y], [numpy_helper.from_array(np.array(1), "axis")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def measured(rows: int, size: int, parts: int, rounds: int) -> dict[str, float]:
    """Seconds of one run of each."""
    x = np.random.default_rng(0).standard_normal((rows, size, parts), np.float32)
    signal = x[..., 0].copy() if parts == 1 else (x[..., 0] + 1j * x[..., 1]).astype(np.complex64)
    transform = np.fft.rfft if parts == 1 else np.fft.fft
    with compile_network(network(rows, size, parts), target="host").loaded() as loaded:
        bound = loaded.bind({"x": x})
        calls: dict[str, Call] = {"s2s": bound.call, "numpy": lambda: transform(signal)}
        return fastest(calls, rounds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 1 if numpy is faster somewhere."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--cpu", type=int, default=None)
    options = parser.parse_args(arguments)
    pin(options.cpu)
    ratios: list[float] = []
    print(f"{'microseconds':<24}{'s2s':>10}{'numpy':>10}{'ratio':>8}")
    for rows, size, parts in CASES:
        seconds = measured(rows, size, parts, options.rounds)
        ratios.append(seconds["s2s"] / seconds["numpy"])
        name = f"{rows} x {size} {'real' if parts == 1 else 'complex'}"
        ours, theirs = (1e6 * seconds[key] for key in ("s2s", "numpy"))
        print(f"{name:<24}{ours:>10.1f}{theirs:>10.1f}{ratios[-1]:>8.2f}", flush=True)
    print(f"{'geometric mean':<44}{geometric_mean(ratios):>8.2f}")
    return 1 if max(ratios) > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
