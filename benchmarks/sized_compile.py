"""How much longer compiling takes where sizes vary than where they are constant.

    python -m benchmarks.sized_compile [NAME ...] [--runs 5] [--cpu N]

Compiles networks of `benchmarks/networks/varying.py` by `s2s compile` with all sizes constant, with one size within
bounds, and with that size and the batch (1 to 4) within bounds. The three take turns, and the fastest CPU time of each
counts, without the start of the command, which is the time of `s2s --version`. Prints the seconds and the ratios, and
exits with 1 where a ratio is above its limit.
"""

import argparse
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.checkouts import compile_command
from benchmarks.models import ROOT
from benchmarks.networks.varying import NETWORKS
from benchmarks.timing import pin

BATCH_AXES: Mapping[str, int] = {"lstm": 1}
"""The axis of the batch where it is not the first one."""
BATCH = "batch"
MAX_BATCH = 4
"""The greatest batch, and the constant one."""
LIMITS = {"constant": 1.0, "one size": 1.15, "two sizes": 1.25}
"""How many times the constant compilation's time the others may take."""


def commands(name: str, folder: Path) -> Mapping[str, Sequence[str]]:
    """Write the network `name` into `folder`; return the arguments of `s2s compile` for each kind of sizes."""
    network = NETWORKS[name]()
    path = folder / f"{name}.onnx"
    path.write_bytes(network.with_batch(BATCH, BATCH_AXES.get(name, 0)).SerializeToString())
    size, most = f"{network.name}={network.bounds}", f"{network.name}={network.bounds.most}"
    batch, greatest = f"{BATCH}=1..{MAX_BATCH}", f"{BATCH}={MAX_BATCH}"
    pairs = {"constant": (most, greatest), "one size": (size, greatest), "two sizes": (size, batch)}
    return {kind: (str(path), "--dim", one, "--dim", two) for kind, (one, two) in pairs.items()}


def seconds(arguments: Mapping[str, Sequence[str]], folder: Path, runs: int) -> dict[str, float]:
    """The CPU seconds of each compilation, the fastest of `runs` in turns."""
    rounds = [
        {kind: compile_command(ROOT, flags, folder) for kind, flags in arguments.items()} for _ in range(runs + 1)
    ]
    return {kind: min(row[kind] for row in rounds[1:]) for kind in arguments}


def main() -> int:
    """Print a row for each network; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[*NETWORKS])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cpu", type=int)
    chosen = parser.parse_args()
    pin(chosen.cpu)
    print(f"{'network':<14}" + "".join(f"{kind:>12}" for kind in LIMITS) + "   one / constant   two / constant")
    is_within = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for network in chosen.names:
            best = seconds(commands(network, folder), folder, chosen.runs)
            ratios = {kind: best[kind] / best["constant"] for kind in LIMITS}
            is_within &= all(ratios[kind] <= limit for kind, limit in LIMITS.items())
            shown = "".join(f"{best[kind]:12.2f}" for kind in LIMITS)
            print(f"{network:<14}{shown}{ratios['one size']:17.2f}{ratios['two sizes']:17.2f}", flush=True)
    return 0 if is_within else 1


if __name__ == "__main__":
    sys.exit(main())
