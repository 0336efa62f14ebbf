"""Time networks of real sizes under `torch.compile`: the C of s2s beside inductor, on one thread.

    python -m benchmarks.torch_compile [--freezing] [NETWORK …]

Runs of both alternate, and the fastest of each counts, so that the load of the machine falls on both. With `--freezing`
inductor packs weights when it compiles, which it does not by itself. What both return is compared with torch.
Exits with 1 if the geometric mean of the shares is above 0.80.
"""
# pyright: reportUnknownMemberType=false

import argparse
import time
from collections.abc import Callable, Sequence
from math import exp, log
from typing import Any, cast

import torch

from benchmarks.networks.torch_models import NETWORKS
from s2s.torch_backend import compile_graph

GOAL = 0.80
ROUNDS, SECONDS = 30, 0.05


def timed(function: Callable[..., Any], inputs: Sequence[Any], runs: int) -> float:
    """Seconds of one run, the mean of `runs`."""
    begin = time.perf_counter()
    for _ in range(runs):
        function(*inputs)
    return (time.perf_counter() - begin) / runs


def compare(name: str, freezing: bool) -> float:
    """The share of inductor's time that s2s takes; prints a line."""
    torch.compiler.reset()
    module, inputs = NETWORKS[name]()
    compiler = cast(Any, torch).compile
    ours, theirs = compiler(module, backend=compile_graph), compiler(module, options={"freezing": freezing})
    wanted = module(*inputs)
    for function in (ours, theirs):
        torch.testing.assert_close(function(*inputs), wanted, rtol=1e-3, atol=1e-4)
    runs = max(1, int(SECONDS / timed(theirs, inputs, 3)))
    pairs = [(timed(ours, inputs, runs), timed(theirs, inputs, runs)) for _ in range(ROUNDS)]
    best = [min(column) * 1e6 for column in zip(*pairs, strict=True)]
    parameters = sum(each.numel() for each in module.parameters())
    print(f"{name:18}{parameters:13,}{best[0]:11.1f}{best[1]:13.1f}{best[0] / best[1]:8.2f}", flush=True)
    return best[0] / best[1]


def main() -> None:
    """Print each network, and the geometric mean of the shares."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("networks", nargs="*", metavar="NETWORK")
    parser.add_argument("--freezing", action="store_true", help="let inductor pack weights")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{'network':18}{'parameters':>13}{'s2s us':>11}{'inductor us':>13}{'share':>8}")
    with torch.no_grad():
        shares = [compare(name, arguments.freezing) for name in arguments.networks or NETWORKS]
    mean = exp(sum(map(log, shares)) / len(shares))
    print(f"geometric mean of {len(shares)}: {mean:.2f}")
    raise SystemExit(0 if mean <= GOAL else 1)


if __name__ == "__main__":
    main()
