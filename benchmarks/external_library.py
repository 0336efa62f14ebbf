"""A network by our kernels beside the same one by a library on this machine, and which of both is chosen."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.timing import fastest
from s2s import api
from s2s.verify.build import load

LIMIT = 1.03
TRIVIAL = 1e-6
"""Seconds below which a difference is the time of one call."""
ROUNDS, SECONDS = 6, 0.05
"""Turns of each, and how long one takes."""


@dataclass(frozen=True)
class Row:
    """The times of one network in seconds."""

    name: str
    library_name: str
    ours: float
    library: float
    chosen: str

    @property
    def best(self) -> float:
        """Of both."""
        return min(self.ours, self.library)

    @property
    def taken(self) -> float:
        """Of the chosen one."""
        return self.library if self.chosen == self.library_name else self.ours

    @property
    def passed(self) -> bool:
        """Whether the choice is as good as the other one."""
        return self.taken <= LIMIT * self.best or max(self.ours, self.library) < TRIVIAL


def measure(name: str, library: str, network: Any) -> Row:
    """Compile a network of one operator both ways, run both in turns, and see which is chosen."""
    decided = api.compile(network, target="host", external={library: "auto"})
    chosen = next(each.chosen for each in decided.decisions if each.kind == "external")
    random = np.random.default_rng(1)
    x = {port.name: random.normal(size=port.shape).astype(np.float32) for port in decided.info.inputs}
    trees = [api.compile(network, target="host", external={library: mode}).tree() for mode in ("never", "always")]
    with load(trees[0]) as ours, load(trees[1]) as other:
        times = fastest({"s2s": ours.bind(x).call, library: other.bind(x).call}, ROUNDS, SECONDS)
    return Row(name, library, times["s2s"], times[library], chosen)


def report(library: str, rows: Iterable[Row]) -> int:
    """Print a line for each network and the sum; return 1 where a choice costs too much."""
    print(f"{'':>36} {'s2s us':>10} {library + ' us':>10} {'ratio':>6}  chosen")
    measured: list[Row] = []
    for row in rows:
        measured.append(row)
        end = "" if row.passed else f"  !  {row.taken / row.best - 1:.0%} slower"
        times = f"{1e6 * row.ours:>10.2f} {1e6 * row.library:>10.2f} {row.library / row.ours:>6.2f}"
        print(f"{row.name:>36} {times}  {row.chosen}{end}", flush=True)
    wins = sum(row.library < row.ours for row in measured)
    good = sum(row.passed for row in measured)
    print(f"{library} is faster on {wins} of {len(measured)}; the choice is within 3 % on {good}")
    return 0 if good == len(measured) else 1
