"""What vectors of a length known at run time only save: instructions of RISC-V V beside scalar code, and of SVE2 beside
NEON, under QEMU.

    python -m benchmarks.scalable                    (vectors of 128 bits)
    python -m benchmarks.scalable --lengths 128 256 512 1024 --json scalable.json

Each network is built once with such vectors and once without, runs on its golden vectors, and is compared with them.
Exits with 1 when a share of instructions is above its limit or an output differs.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from s2s.artifact import compile_artifact
from s2s.boards import get_board
from s2s.options import CompileOptions
from s2s.support.frozen import frozen

MODELS = Path(__file__).parents[2] / "shared" / "models" / "mlperf_tiny"
NETWORKS = {
    "kws_ref_model_int8": "int8",
    "vww_96_int8": "int8",
    "pretrainedResnet_quant": "int8",
    "ad01_int8": "int8",
    "pretrainedResnet": "float",
    "kws_true_float32": "float",
    "kws_ref_model_float32": "float",
}
"""Networks of MLPerf Tiny, and the numbers that they compute with."""
MACHINES = {"riscv32": "v", "riscv64": "v", "aarch64": "sve"}
"""Boards without such vectors, and what their names end in with them."""
LIMITS = {
    ("riscv32", "int8"): 0.30,
    ("riscv32", "float"): 0.35,
    ("riscv64", "int8"): 0.30,
    ("riscv64", "float"): 0.35,
    ("aarch64", "int8"): 0.60,
    ("aarch64", "float"): 1.00,
}
"""Instructions with vectors of 128 bits over instructions without: on aarch64 these have NEON."""
LENGTHS = {"riscv32": (128, 256, 512, 1024), "riscv64": (128, 256, 512, 1024), "aarch64": (128, 256, 512)}
"""The lengths of vectors that boards have."""
SHORTEST = 128
"""The length in bits that the limits hold for."""


@frozen
class Row:
    """The instructions of a network on machines of one width."""

    network: str
    machine: str
    without: int
    vectors: dict[int, int]
    """With vectors, by their length in bits."""
    right: bool
    """Whether all outputs are the golden ones, or as close as floats have to be."""

    @property
    def passed(self) -> bool:
        """Whether the outputs are right, and instructions few enough."""
        shortest = self.vectors.get(SHORTEST)
        return self.right and (shortest is None or shortest <= self.limit * self.without)

    @property
    def limit(self) -> float:
        """The most instructions with vectors of 128 bits over instructions without."""
        return LIMITS[self.machine, NETWORKS[self.network]]


def measure(network: str, machine: str, lengths: Sequence[int]) -> Row:
    """Build a network for a machine without and with such vectors, and run it at each length."""
    without, right = _run(network, f"qemu:{machine}")
    vectors: dict[int, int] = {}
    for length in (length for length in lengths if length in LENGTHS[machine]):
        name = f"qemu:{machine}{MACHINES[machine]}{'' if length == SHORTEST else length}"
        vectors[length], same = _run(network, name)
        right = right and same
    return Row(network, machine, without, vectors, right)


def _run(network: str, board: str) -> tuple[int, bool]:
    artifact = compile_artifact(MODELS / f"{network}.tflite", CompileOptions(target=get_board(board).target))
    run = artifact.verify_on(board, golden=MODELS / f"{network}_golden.npz")
    return max(run.run.instructions), run.passed


def show(rows: Sequence[Row], lengths: Sequence[int]) -> None:
    """A table: a line for each network and machine, a pair of columns for each length."""
    print(f"{'':24}{'':>8}{'without':>12}" + "".join(f"{length:>14} bits" for length in lengths) + "   limit")
    for row in rows:
        shares = {length: f"{count:>12,} {count / row.without:.3f}" for length, count in row.vectors.items()}
        cells = [shares.get(length, " " * 18) for length in lengths]
        mark = "" if row.passed else "  above its limit" if row.right else "  outputs differ"
        print(f"{row.network:24}{row.machine:>8}{row.without:>12,}{' '.join(cells)}   {row.limit:.2f}{mark}")


def _network(name: str) -> str:
    if name not in NETWORKS:
        raise argparse.ArgumentTypeError(f"{name} is no such network; give one of {', '.join(NETWORKS)}")
    return name


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("networks", nargs="*", type=_network, help=f"of {', '.join(NETWORKS)}; all by default")
    parser.add_argument("--machines", nargs="+", default=[*MACHINES], choices=[*MACHINES], help="all by default")
    parser.add_argument("--lengths", nargs="+", type=int, default=[SHORTEST], choices=[128, 256, 512, 1024])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    rows = [
        measure(name, machine, arguments.lengths)
        for machine in arguments.machines
        for name in arguments.networks or NETWORKS
    ]
    show(rows, arguments.lengths)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([{**vars(row), "passed": row.passed} for row in rows], indent=2) + "\n")
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
