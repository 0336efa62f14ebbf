"""Networks of MLPerf Tiny beside the figures that makers of closed engines published: cycles and RAM of a Cortex-M4.

    python -m benchmarks.closed_engines               (measures, and prints the tables of docs/closed-engines.md)
    python -m benchmarks.closed_engines --json FILE   (and keeps the measured figures)

Theirs are latencies of chips times their clock; ours are instructions under QEMU and cycles by the model of the core.
"""

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.mcu import MODELS, NETWORKS
from s2s.artifact import compile_artifact
from s2s.options import CompileOptions

BOARD, TARGET = "qemu:m4", "cortex-m4"


class Published(NamedTuple):
    """Milliseconds of an inference in a round of MLPerf Tiny, closed division."""

    engine: str
    round: str
    part: str
    megahertz: int
    milliseconds: tuple[float, float, float, float]
    """Of the networks in the order of `NETWORKS`."""


PUBLISHED = (
    Published("Plumerai", "v1.1", "STM32L4R5", 120, (47.78, 98.76, 167.76, 4.05)),
    Published("ST, X-CUBE-AI 9.0", "v1.2", "STM32L4R5", 120, (43.19, 88.93, 165.13, 5.26)),
    Published("ST", "v1.3", "STM32L4R5", 120, (43.42, 89.44, 165.67, 4.79)),
    Published("Bosch HALE", "v1.2", "STM32L4R5", 120, (60.16, 180.51, 180.54, 5.84)),
    Published("microTVM + CMSIS-NN", "v1.0", "STM32L4R5", 120, (99.81, 301.2, 389.6, 8.61)),
    Published("Plumerai", "v1.1", "PSoC 6", 150, (54.06, 108.3, 189.0, 4.46)),
)


def measure() -> dict[str, dict[str, dict[str, Any]]]:
    """The figures of each network, by default and with `--prefer time`."""
    return {
        prefer or "default": {name: _figures(network.model, prefer) for name, network in NETWORKS.items()}
        for prefer in (None, "time")
    }


def _figures(model: str, prefer: Any) -> dict[str, Any]:
    artifact = compile_artifact(MODELS / f"{model}.tflite", CompileOptions(target=TARGET, prefer=prefer))
    found = artifact.verify_on(BOARD, golden=MODELS / f"{model}_golden.npz", part="stm32l4r5")
    return {**found.figures(), "bit_exact": found.bit_exact}


def table(measured: dict[str, dict[str, dict[str, Any]]]) -> str:
    """The tables as Markdown."""
    names = [name.upper() for name in NETWORKS]
    head = f"| engine | round | part, clock | {' | '.join(names)} |\n|---|---|---|{'---:|' * len(names)}"
    rows = [
        f"| {each.engine} | {each.round} | {each.part}, {each.megahertz} MHz | "
        + " | ".join(f"{time * each.megahertz / 1000:.2f}" for time in each.milliseconds)
        + " |"
        for each in PUBLISHED
    ]
    for prefer, figures in measured.items():
        option = "" if prefer == "default" else f", `--prefer {prefer}`"
        for figure, label in (("cycles", "cycles by the model"), ("instructions", "instructions")):
            cells = " | ".join(f"{each[figure] / 1e6:.2f}" for each in figures.values())
            rows.append(f"| **s2s**{option}: {label} | | {BOARD} | {cells} |")
    return "\n".join([head, *rows, "", *_memory(measured, names)])


def _memory(measured: dict[str, dict[str, dict[str, Any]]], names: list[str]) -> list[str]:
    lines = [f"| s2s | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    for prefer, figures in measured.items():
        option = "" if prefer == "default" else f", `--prefer {prefer}`"
        for figure, label in (("ram_bytes", "bytes of RAM"), ("flash_bytes", "bytes of flash, -O3")):
            lines.append(f"| {label}{option} | {' | '.join(f'{each[figure]:,}' for each in figures.values())} |")
        low = " | ".join(f"{each['microjoules'][0]:,} to {each['microjoules'][1]:,}" for each in figures.values())
        lines.append(f"| µJ of an STM32L4R5 by the model{option} | {low} |")
    return lines


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, help="write the measured figures to this file")
    arguments = parser.parse_args()
    measured = measure()
    print(table(measured))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
    exact = all(each["bit_exact"] for figures in measured.values() for each in figures.values())
    return 0 if exact else 1


if __name__ == "__main__":
    raise SystemExit(main())
