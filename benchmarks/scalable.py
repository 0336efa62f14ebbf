"""What vectors of a length known at run time only save: instructions of RISC-V V beside scalar code, under QEMU.

    python -m benchmarks.scalable                    (vectors of 128 bits)
    python -m benchmarks.scalable --lengths 128 256 512 1024 --json scalable.json

Each network is built once with and once without vectors, runs on its golden vectors, and is compared with them. Exits
with 1 when a share of instructions is above its limit or an output differs.
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
INT8, FLOAT = 0.30, 0.35
NETWORKS = {
    "kws_ref_model_int8": INT8,
    "vww_96_int8": INT8,
    "pretrainedResnet_quant": INT8,
    "ad01_int8": INT8,
    "pretrainedResnet": FLOAT,
    "kws_true_float32": FLOAT,
    "kws_ref_model_float32": FLOAT,
}
"""Networks of MLPerf Tiny, each with its limit: instructions with vectors of 128 bits over instructions without."""
SHORTEST = 128
"""The length in bits that the limits hold for."""


@frozen
class Row:
    """The instructions of a network on machines of one width."""

    network: str
    bits: int
    scalar: int
    vectors: dict[int, int]
    """With vectors, by their length in bits."""
    right: bool
    """Whether all outputs are the golden ones, or as close as floats have to be."""

    @property
    def passed(self) -> bool:
        """Whether the outputs are right, and instructions few enough."""
        shortest = self.vectors.get(SHORTEST)
        return self.right and (shortest is None or shortest <= NETWORKS[self.network] * self.scalar)


def measure(network: str, bits: int, lengths: Sequence[int]) -> Row:
    """Build a network for machines of 32 or 64 bits and run it at each length."""
    scalar, right = _run(network, f"qemu:riscv{bits}")
    vectors: dict[int, int] = {}
    for length in lengths:
        vectors[length], same = _run(network, f"qemu:riscv{bits}v{'' if length == SHORTEST else length}")
        right = right and same
    return Row(network, bits, scalar, vectors, right)


def _run(network: str, board: str) -> tuple[int, bool]:
    artifact = compile_artifact(MODELS / f"{network}.tflite", CompileOptions(target=get_board(board).target))
    run = artifact.verify_on(board, golden=MODELS / f"{network}_golden.npz")
    return max(run.run.instructions), run.passed


def show(rows: Sequence[Row], lengths: Sequence[int]) -> None:
    """A table: a line for each network and width, a pair of columns for each length."""
    print(f"{'':24}{'bits':>5}{'scalar':>12}" + "".join(f"{length:>14} bits" for length in lengths) + "   limit")
    for row in rows:
        cells = [f"{row.vectors[length]:>12,} {row.vectors[length] / row.scalar:.3f}" for length in lengths]
        mark = "" if row.passed else "  above its limit" if row.right else "  outputs differ"
        print(f"{row.network:24}{row.bits:>5}{row.scalar:>12,}{' '.join(cells)}   {NETWORKS[row.network]:.2f}{mark}")


def _network(name: str) -> str:
    if name not in NETWORKS:
        raise argparse.ArgumentTypeError(f"{name} is no such network; give one of {', '.join(NETWORKS)}")
    return name


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("networks", nargs="*", type=_network, help=f"of {', '.join(NETWORKS)}; all by default")
    parser.add_argument("--bits", nargs="+", type=int, default=[32, 64], choices=[32, 64], help="of the machines")
    parser.add_argument("--lengths", nargs="+", type=int, default=[SHORTEST], choices=[128, 256, 512, 1024])
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    rows = [
        measure(name, bits, arguments.lengths) for bits in arguments.bits for name in arguments.networks or NETWORKS
    ]
    show(rows, arguments.lengths)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([{**vars(row), "passed": row.passed} for row in rows], indent=2) + "\n")
    return 0 if all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
