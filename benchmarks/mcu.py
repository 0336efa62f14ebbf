"""What quantised networks take on microcontrollers, against limits: instructions, RAM, flash and stack under QEMU.

    python -m benchmarks.mcu                       (all four networks)
    python -m benchmarks.mcu kws --json mcu.json

Each network of MLPerf Tiny is built with the cross compiler, run on its golden vectors and compared bit for bit. Exits
with 1 when a figure is above its limit or an output differs.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from s2s.artifact import compile_artifact
from s2s.decisions.decision import Prefer
from s2s.options import CompileOptions
from s2s.verify.board_check import Optimise

MODELS = Path(__file__).parents[2] / "shared" / "models" / "mlperf_tiny"


@dataclass(frozen=True)
class Network:
    """A model, its golden vectors, and what it may take."""

    model: str
    limits: dict[str, int]


@dataclass(frozen=True)
class Row:
    """One figure of one build."""

    name: str
    board: str
    target: str
    opt: Optimise
    figure: str
    ram_budget: str | None = None
    prefer: Prefer | None = None


ROWS = (
    Row("M4 instructions", "qemu:m4", "cortex-m4", "O3", "instructions"),
    Row("M4 instructions, --prefer time", "qemu:m4", "cortex-m4", "O3", "instructions", prefer="time"),
    Row("M4 instructions, -Os", "qemu:m4", "cortex-m4", "Os", "instructions"),
    Row("M4 instructions, plain C99", "qemu:m4", "cortex-m3", "O3", "instructions"),
    Row("M55 instructions", "qemu:m55", "cortex-m55", "O3", "instructions"),
    Row("RAM", "qemu:m4", "cortex-m4", "O3", "ram_bytes"),
    Row("RAM, least", "qemu:m4", "cortex-m4", "O3", "ram_bytes", "min"),
    Row("flash, -O3", "qemu:m4", "cortex-m4", "O3", "flash_bytes"),
    Row("flash, -Os", "qemu:m4", "cortex-m4", "Os", "flash_bytes"),
    Row("flash, -Os, --prefer size", "qemu:m4", "cortex-m4", "Os", "flash_bytes", prefer="size"),
    Row("stack", "qemu:m4", "cortex-m4", "O3", "stack_bytes"),
)


def _limits(*values: int) -> dict[str, int]:
    return dict(zip((row.name for row in ROWS), values, strict=True))


NETWORKS = {
    "kws": Network(
        "kws_ref_model_int8",
        _limits(3_200_000, 3_200_000, 3_430_000, 6_500_000, 1_050_000, 16_000, 10_000, 48_000, 36_000, 32_768, 400),
    ),
    "vww": Network(
        "vww_96_int8",
        _limits(6_000_000, 6_000_000, 6_270_000, 11_500_000, 1_800_000, 55_296, 38_000, 75_000, 63_000, 62_000, 400),
    ),
    "ic": Network(
        "pretrainedResnet_quant",
        _limits(14_000_000, 7_800_000, 15_070_000, 28_000_000, 2_800_000, 49_152, 36_000, 100_000, 90_000, 88_000, 400),
    ),
    "ad": Network(
        "ad01_int8", _limits(300_000, 290_000, 315_000, 600_000, 45_000, 768, 768, 280_000, 276_000, 273_896, 300)
    ),
}


@dataclass(frozen=True)
class Result:
    """A figure beside its limit."""

    network: str
    row: str
    found: int
    limit: int
    bit_exact: bool

    @property
    def passed(self) -> bool:
        """Whether the figure is within its limit and every output is right."""
        return self.bit_exact and self.found <= self.limit


def measure(name: str, rows: Sequence[Row] = ROWS) -> Iterator[Result]:
    """All figures of a network; each build is made once."""
    network = NETWORKS[name]
    known: dict[tuple[str | None, ...], dict[str, Any]] = {}
    for row in rows:
        key = (row.board, row.target, row.opt, row.ram_budget, row.prefer)
        if key not in known:
            known[key] = _build(network, row)
        found = known[key]
        yield Result(name, row.name, found[row.figure], network.limits[row.name], found["bit_exact"])


def _build(network: Network, row: Row) -> dict[str, Any]:
    more: dict[str, Any] = {} if row.ram_budget is None else {"ram_budget": row.ram_budget}
    artifact = compile_artifact(
        MODELS / f"{network.model}.tflite", CompileOptions(target=row.target, prefer=row.prefer, **more)
    )
    golden = MODELS / f"{network.model}_golden.npz"
    return artifact.verify_on(row.board, golden=golden, optimise=row.opt).as_dict()


def show(results: Sequence[Result]) -> None:
    """A table: a line for each figure, a pair of columns for each network."""
    networks = list(dict.fromkeys(result.network for result in results))
    print(f"{'':32}" + "".join(f"{name.upper():>13} {'limit':>11}  " for name in networks))
    for row in dict.fromkeys(result.row for result in results):
        cells = {result.network: result for result in results if result.row == row}
        texts = [f"{each.found:>13,} {each.limit:>11,}{' ' if each.passed else '!'} " for each in cells.values()]
        print(f"{row:32}" + "".join(texts))
    for name in dict.fromkeys(result.network for result in results if not result.bit_exact):
        print(f"{name.upper()}: outputs differ from the golden ones")


def main() -> int:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("networks", nargs="*", help=f"of {', '.join(NETWORKS)}; all by default")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    results = [result for name in arguments.networks or NETWORKS for result in measure(name)]
    show(results)
    if arguments.json is not None:
        arguments.json.write_text(json.dumps([vars(result) for result in results], indent=2) + "\n")
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
