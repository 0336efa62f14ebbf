"""Networks outside the set that goals are stated for, each beside onnxruntime: no family may be forgotten.

    python -m benchmarks.networks [NAME ...] [--cpu K] [--target host] [--rounds 5] [--at-most 1.0] [--save FOLDER]

Compiles each network, checks what it computes and measures it beside onnxruntime, one thread each, in turns. Names may
be patterns; without names all networks run. With --save the networks are written as ONNX files instead. Exits with 1
where a network takes longer than it may, or differs by more than 1e-4 of its largest result; quantised networks may
differ by a few steps.
"""

import argparse
import fnmatch
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.beside import measure
from benchmarks.engines import Variant
from benchmarks.networks import images, quantised, sequences, signals
from benchmarks.timing import geometric_mean, pin

NETWORKS = {**images.NETWORKS, **sequences.NETWORKS, **signals.NETWORKS, **quantised.NETWORKS}
MAX_DIFFERENCE = 1e-4
MAX_STEPS = 5e-2
"""Of quantised networks: where a number lies in the middle between two steps, floats decide which one it takes."""


def chosen(patterns: Sequence[str]) -> list[str]:
    """The networks whose names match; all, where there is no pattern."""
    return [name for name in NETWORKS if any(fnmatch.fnmatch(name, pattern) for pattern in patterns or ["*"])]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and judge, or write the models."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.networks", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("names", nargs="*", help="of networks, with * and ?")
    parser.add_argument("--cpu", type=int, default=None, help="the processor to run on")
    parser.add_argument("--target", default="host")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each engine")
    parser.add_argument("--slice", type=float, default=0.2, help="seconds of a turn")
    parser.add_argument("--at-most", type=float, default=1.0, help="times onnxruntime that a network may take")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="write the ONNX files there and measure nothing")
    options = parser.parse_args(arguments)
    names = chosen(options.names)
    if options.save is not None:
        options.save.mkdir(parents=True, exist_ok=True)
        for name in names:
            (options.save / f"{name}.onnx").write_bytes(NETWORKS[name]().SerializeToString())
        return 0
    pin(options.cpu)
    print(f"{'network':<24}{'µs':>10}{'ort µs':>10}{'× ort':>8}{'difference':>12}")
    ratios: list[float] = []
    failed = not names
    for name in names:
        outcome = measure(NETWORKS[name](), options.rounds, options.slice, Variant(options.target))
        ratios.append(outcome.ratio)
        most = MAX_STEPS if name in quantised.NETWORKS else MAX_DIFFERENCE
        bad = outcome.ratio > options.at_most or not outcome.difference <= most
        failed = failed or bad
        print(
            f"{name:<24}{outcome.ours * 1e6:10.1f}{outcome.theirs * 1e6:10.1f}{outcome.ratio:8.2f}"
            f"{outcome.difference:12.1e}{' !' if bad else ''}",
            flush=True,
        )
    if ratios:
        print(f"geometric mean of the ratios: {geometric_mean(ratios):.2f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
