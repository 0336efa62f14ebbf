"""One tree for every size within bounds, beside the tree of constant size, at the greatest size and at smaller ones.

    python -m benchmarks.sizes [NAME ...] [--target host] [--rounds 5] [--slice 0.2] [--cpu K] [--steps 9]

Both trees run in turns in one process. The results are compared with onnxruntime's at sizes between the bounds. Exits
with 1 where a tree for all sizes takes more than a tenth longer than the one of constant size, at the greatest size, or
where a result differs by more than 1e-4 of the largest one.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.networks.varying import NETWORKS, Varying
from benchmarks.timing import Call, fastest, pin
from s2s import api
from s2s.types.dtypes import Array

MAX_RATIO = 1.10
"""How many times longer a tree for all sizes may take at the greatest one."""
MAX_DIFFERENCE = 1e-4


class Beside:
    """The two trees of one network."""

    def __init__(self, network: Varying, target: str, special: int | None) -> None:
        self.network, name, bounds = network, network.name, network.bounds
        self.at = bounds.most if special is None else special
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{network.model.graph.name}.onnx"
            path.write_bytes(network.model.SerializeToString())
            self.varying = api.compile(
                path, target=target, dims={name: (bounds.least, bounds.most, *([] if special is None else [special]))}
            )
            self.constant = api.compile(path, target=target, dims={name: self.at})
            onnxruntime: Any = import_module("onnxruntime")
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 3
            self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

    def inputs(self, size: int) -> dict[str, Array]:
        """Return inputs of a run with this size."""
        (port,) = self.network.model.graph.input
        shape = [dim.dim_value for dim in port.type.tensor_type.shape.dim]
        for axis in self.network.axes:
            shape[axis] = size
        return {port.name: np.random.default_rng(size).standard_normal(shape, np.float32)}

    def difference(self, sizes: Sequence[int]) -> float:
        """Return the largest difference from onnxruntime over all `sizes`, relative to the largest result."""
        worst = 0.0
        for size in sizes:
            given = self.inputs(size)
            (expected,), (found,) = self.session.run(None, given), self.varying.run(given).values()
            if found.shape != expected.shape:
                return float("inf")
            worst = max(worst, float(np.abs(found - expected).max() / np.abs(expected).max()))
        return worst

    def seconds(self, rounds: int, seconds: float) -> dict[str, float]:
        """Return the time of one run of each tree at the greatest size, and of the varying one at half and least."""
        most, least = self.at, self.network.bounds.least
        runs = {"constant": self.constant.loaded().bind(self.inputs(most))}
        for word, size in (("most", most), ("half", most // 2), ("least", least)):
            runs[word] = self.varying.loaded().bind(self.inputs(size))
        calls: dict[str, Call] = {word: run.call for word, run in runs.items()}
        return fastest(calls, rounds, seconds)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, compare and judge."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", choices=[[], *NETWORKS], help=f"of networks: {', '.join(NETWORKS)}")
    parser.add_argument("--target", default="host")
    parser.add_argument("--cpu", type=int, default=None, help="the processor to run on")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each tree")
    parser.add_argument("--slice", type=float, default=0.2, help="seconds of a turn")
    parser.add_argument("--steps", type=int, default=9, help="sizes at which results are compared")
    parser.add_argument("--most", type=int, default=None, help="another greatest size")
    parser.add_argument("--special", type=int, default=None, help="a size with kernels of its own, and a constant tree")
    options = parser.parse_args(arguments)
    pin(options.cpu)
    print(f"{'network':<12}{'bounds':>9}{'constant µs':>13}{'most µs':>10}{'×':>6}{'half':>7}{'least':>7}{'error':>10}")
    failed = False
    for name in options.names or NETWORKS:
        network = NETWORKS[name]()
        if options.most is not None:
            network = network._replace(bounds=network.bounds._replace(most=options.most))
        beside = Beside(network, options.target, options.special)
        sizes = np.linspace(network.bounds.least, network.bounds.most, options.steps).round().astype(int).tolist()
        difference, found = beside.difference(sizes), beside.seconds(options.rounds, options.slice)
        whole = found["most"]
        ratio = whole / found["constant"]
        failed = failed or ratio > MAX_RATIO or not difference <= MAX_DIFFERENCE
        print(
            f"{name:<12}{network.bounds!s:>9}{found['constant'] * 1e6:13.0f}{whole * 1e6:10.0f}{ratio:6.2f}"
            f"{found['half'] / whole:7.2f}{found['least'] / whole:7.2f}{difference:10.1e}"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
