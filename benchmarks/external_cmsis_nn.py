"""CMSIS-NN beside our kernels, kernel by kernel: the four networks of MLPerf Tiny on a Cortex-M4 and an M55 under QEMU.

    CMSIS_NN_PATH=… python -m benchmarks.external_cmsis_nn                 (all, about ten minutes)
    CMSIS_NN_PATH=… python -m benchmarks.external_cmsis_nn kws --boards m4

`CMSIS_NN_PATH` names a checkout of the library. Every network is built three times: with our kernels alone, with the
library wherever it can, and with `--external cmsis-nn=auto`. Every output is compared bit for bit with the golden ones.
Exits with 1 where one differs, or where `auto` takes more instructions than one of the others.
"""

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from benchmarks.mcu import MODELS, NETWORKS
from s2s.artifact import compile_artifact
from s2s.options import CompileOptions

Use = Literal["never", "always", "auto"]
USES: tuple[Use, ...] = ("never", "always", "auto")
LABELS: Mapping[Use, str] = {"never": "s2s alone", "always": "library", "auto": "auto"}
GENERATOR = "cmsis-nn"


@dataclass(frozen=True)
class Counts:
    """The instructions of one build."""

    total: int
    exact: bool
    nodes: Mapping[str, int] = field(default_factory=dict[str, int])
    """By the first node of each kernel."""
    kernels: Mapping[str, str] = field(default_factory=dict[str, str])
    """The kernel that begins with each node."""


@dataclass(frozen=True)
class Result:
    """One network on one board."""

    network: str
    board: str
    counts: Mapping[Use, Counts]

    @property
    def passed(self) -> bool:
        """Whether all outputs are right, and `auto` is no worse than either."""
        best = min(self.counts["never"].total, self.counts["always"].total)
        return all(each.exact for each in self.counts.values()) and self.counts["auto"].total <= best


def measure(name: str, board: str) -> Result:
    """Build and run a network three times."""
    return Result(name, board, {use: _count(name, board, use) for use in USES})


def _count(name: str, board: str, use: Use) -> Counts:
    model = MODELS / f"{NETWORKS[name].model}.tflite"
    artifact = compile_artifact(model, CompileOptions(target=f"cortex-{board}", external=((GENERATOR, use),)))
    golden = MODELS / f"{NETWORKS[name].model}_golden.npz"
    found: dict[str, Any] = artifact.verify_on(f"qemu:{board}", golden=golden).as_dict()
    nodes: dict[str, int] = {}
    kernels: dict[str, str] = {}
    for layer in found["layers"]:
        first = layer["nodes"].partition(", ")[0]
        nodes[first] = nodes.get(first, 0) + layer["instructions"]
        kernels.setdefault(first, layer["kernel"].removeprefix(f"{artifact.name}_"))
    return Counts(found["instructions"], found["bit_exact"], nodes, kernels)


def show(result: Result) -> None:
    """A line for each node at which a kernel of all builds begins, and the totals."""
    print(f"\n{result.network} on {result.board:<34}" + "".join(f"{LABELS[use]:>12}" for use in USES) + "  winner")
    for node, ours in result.counts["never"].nodes.items():
        counts = [result.counts[use].nodes.get(node) for use in USES]
        texts = "".join(f"{'-' if each is None else f'{each:,}':>12}" for each in counts)
        library = result.counts["always"]
        claimed = GENERATOR.replace("-", "_") in library.kernels.get(node, "")
        winner = "" if not claimed else "library" if library.nodes[node] < ours else "s2s"
        print(f"  {node[-42:]:<42}{texts}  {winner}")
    totals = "".join(f"{result.counts[use].total:>12,}" for use in USES)
    wrong = "".join(f" {LABELS[use]} differs" for use in USES if not result.counts[use].exact)
    print(f"  {'all':<42}{totals}  {'' if result.passed else 'auto takes more !'}{wrong}", flush=True)


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("networks", nargs="*", help=f"of {', '.join(NETWORKS)}; all by default")
    parser.add_argument("--boards", nargs="*", default=["m4", "m55"], help="m4 and m55 by default")
    arguments = parser.parse_args()
    if "CMSIS_NN_PATH" not in os.environ:
        parser.error("set CMSIS_NN_PATH to a checkout of CMSIS-NN")
    passed = True
    for board in arguments.boards:
        for name in arguments.networks or NETWORKS:
            result = measure(name, board)
            show(result)
            passed &= result.passed
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
