"""Time networks under `torch.compile`: the C of s2s beside inductor, on one thread.

    python -m benchmarks.torch_compile [NETWORK …]

Runs of both alternate, and the fastest of each counts, so that the load of the machine falls on both.
"""

import sys
import time
from collections.abc import Callable, Sequence
from math import exp, log
from pathlib import Path
from typing import Any, cast

import torch

from s2s.torch_backend import compile_graph

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.torch_networks import NETWORKS

CHOSEN = (
    "resnet",
    "mobilenet_v2",
    "convnext",
    "unet",
    "vit",
    "mlp_mixer",
    "swin",
    "bert",
    "gpt",
    "llama",
    "tcn",
    "keyword_spotter",
    "radiance_field",
)
ROUNDS, SECONDS = 30, 0.02


def timed(function: Callable[..., Any], inputs: Sequence[Any], runs: int) -> float:
    """Seconds of one run, the mean of `runs`."""
    begin = time.perf_counter()
    for _ in range(runs):
        function(*inputs)
    return (time.perf_counter() - begin) / runs


def compare(name: str) -> float:
    """The share of inductor's time that s2s takes; prints a line."""
    torch.compiler.reset()
    module, inputs = NETWORKS[name]()
    compiler = cast(Any, torch).compile
    ours, theirs = compiler(module, backend=compile_graph), compiler(module, backend="inductor")
    for function in (ours, theirs):
        function(*inputs)
    runs = max(1, int(SECONDS / timed(theirs, inputs, 3)))
    pairs = [(timed(ours, inputs, runs), timed(theirs, inputs, runs)) for _ in range(ROUNDS)]
    best = [min(column) * 1e6 for column in zip(*pairs, strict=True)]
    print(f"{name:20} {best[0]:9.1f} us {best[1]:9.1f} us  {best[0] / best[1]:5.2f}", flush=True)
    return best[0] / best[1]


def main() -> None:
    """Print each network, and the geometric mean of the shares."""
    torch.set_num_threads(1)
    print(f"{'network':20} {'s2s':>12} {'inductor':>12}  share")
    with torch.no_grad():
        shares = [compare(name) for name in sys.argv[1:] or CHOSEN]
    print(f"geometric mean of {len(shares)}: {exp(sum(map(log, shares)) / len(shares)):.2f}")


if __name__ == "__main__":
    main()
