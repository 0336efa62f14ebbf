"""One tree for every size within bounds, beside the tree of constant size, at the greatest size and at smaller ones.

    python -m benchmarks.sizes [NAME ...] [--target host] [--rounds 5] [--slice 0.2] [--cpu K] [--steps 9] [--threads 2]

Both trees run in turns in one process. The results are compared with onnxruntime's at sizes between the bounds. Exits
with 1 where a tree for all sizes takes more than a tenth longer than the one of constant size, at the greatest size, or
where a result differs by more than 1e-4 of the largest one.

With `--threads`, prints instead how much faster both trees are with so many threads than with one, and exits with 1
where their results differ in a bit. Wants as many idle cores, since it takes times on the clock.
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
from benchmarks.threads import fastest as fastest_on_the_clock
from benchmarks.timing import Call, fastest, pin
from s2s import api
from s2s.types.dtypes import Array

MAX_RATIO = 1.10
"""How many times longer a tree for all sizes may take at the greatest one."""
MAX_DIFFERENCE = 1e-4


class Beside:
    """The two trees of one network."""

    def __init__(self, network: Varying, target: str, special: int | None, threads: int = 1) -> None:
        self.network, name, bounds = network, network.name, network.bounds
        self.at = bounds.most if special is None else special
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{network.model.graph.name}.onnx"
            path.write_bytes(network.model.SerializeToString())
            sizes = (bounds.least, bounds.most, *([] if special is None else [special]))
            self.varying = api.compile(path, target=target, dims={name: sizes}, threads=threads)
            self.constant = api.compile(path, target=target, dims={name: self.at}, threads=threads)
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


def print_threads(beside: Beside, together: Beside, rounds: int, seconds: float) -> bool:
    """Print the times of both trees with one thread and with several, and return whether all bits are equal."""
    most, least = beside.at, beside.network.bounds.least
    sizes = sorted({max(least, most * quarters // 4) for quarters in range(5)})
    runs = [("constant", most), *(("varying", size) for size in sizes)]
    calls: dict[str, Call] = {}
    equal: list[bool] = []
    for word, size in runs:
        given, outputs = beside.inputs(size), list[bytes]()
        for number, trees in enumerate((beside, together)):
            tree = trees.constant if word == "constant" else trees.varying
            calls[f"{word} {size} {number}"] = tree.loaded().bind(given).call
            outputs.append(b"".join(value.tobytes() for value in tree.run(given).values()))
        equal.append(outputs[0] == outputs[1])
    found = fastest_on_the_clock(calls, rounds, seconds)
    for (word, size), same in zip(runs, equal, strict=True):
        alone, several = (found[f"{word} {size} {number}"] for number in range(2))
        line = f"{beside.network.model.graph.name:<12}{word:>9}{size:6}{alone * 1e6:13.0f}{several * 1e6:13.0f}"
        print(f"{line}{alone / several:8.2f}{'yes' if same else 'NO':>7}", flush=True)
    return all(equal)


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
    parser.add_argument("--threads", type=int, default=1, help="compare one thread with so many")
    options = parser.parse_args(arguments)
    if options.threads > 1:
        return _threads(options)
    pin(options.cpu)
    print(f"{'network':<12}{'bounds':>9}{'constant µs':>13}{'most µs':>10}{'×':>6}{'half':>7}{'least':>7}{'error':>10}")
    failed = False
    for name in options.names or NETWORKS:
        network = _network(name, options.most)
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


def _network(name: str, most: int | None) -> Varying:
    network = NETWORKS[name]()
    return network if most is None else network._replace(bounds=network.bounds._replace(most=most))


def _threads(options: argparse.Namespace) -> int:
    """Print the table of one thread and several."""
    times = f"{'1 thread µs':>13}{f'{options.threads} threads':>13}"
    print(f"{'network':<12}{'tree':>9}{'size':>6}{times}{'faster':>8}{'equal':>7}")
    equal = True
    for name in options.names or NETWORKS:
        network = _network(name, options.most)
        alone, together = (
            Beside(network, options.target, options.special, threads) for threads in (1, options.threads)
        )
        equal &= print_threads(alone, together, options.rounds, options.slice)
    return int(not equal)


if __name__ == "__main__":
    sys.exit(main())
