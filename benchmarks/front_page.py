"""The picture and the table of README: a host beside other engines, a Cortex-M4 beside TFLite-Micro and CMSIS-NN.

    python -m benchmarks.front_page              measure the microcontroller, and draw everything again
    python -m benchmarks.front_page --drawn      draw what was measured before

The networks are the int8 ones of MLPerf Tiny. RAM, flash and instructions of s2s are those of `benchmarks.mcu`; the
arena of TFLite-Micro is what its own recording allocator states on a machine of 64 bits, inputs and outputs included in
both. The instructions with the kernels of CMSIS-NN are counted if `CMSIS_NN_PATH` names a checkout, else they stay as
they were. Times of the host are those of `docs/benchmarks.md`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from benchmarks.mcu import MODELS, NETWORKS

DOCS = Path(__file__).parents[1] / "docs"
FIGURES, PAGE = DOCS / "front_page.json", DOCS / "benchmarks.md"
INKS = {"light": "#1f2328", "dark": "#e6edf3"}
OURS, OTHERS = "#0f9d8f", "#9aa4ad"
TITLES = {"kws": "keyword spotting", "vww": "person detection", "ic": "image classes", "ad": "anomalies"}
HOST = ("resnet18", "resnet50", "mobilenet_v2", "squeezenet1_1", "efficientnet_lite0", "vit_tiny", "bert_tiny", "lstm")
ROW = re.compile(r"^\| (\w+) \| ([\d,.]+) \| (.*?) \| ([\d,.]+) \| ([\d.]+) \| ([\d.]+) \|", re.MULTILINE)
ARENA = re.compile(r"Arena allocation total (\d+) bytes")


class Row(TypedDict):
    """The figures of a network on a Cortex-M4: bytes, and instructions of a run."""

    ram: int
    flash: int
    instructions: int
    tflm_arena: int
    cmsis_nn_instructions: int


def measure(name: str, before: Mapping[str, Row]) -> Row:
    """Measure a network under QEMU and in TFLite-Micro."""
    from s2s.artifact import compile_artifact
    from s2s.options import CompileOptions

    model = MODELS / f"{NETWORKS[name].model}.tflite"
    golden = MODELS / f"{NETWORKS[name].model}_golden.npz"
    found: dict[str, Any] = (
        compile_artifact(model, CompileOptions(target="cortex-m4")).verify_on("qemu:m4", golden=golden).as_dict()
    )
    if not found["bit_exact"]:
        raise SystemExit(f"{name}: outputs differ from the golden ones")
    return {
        "ram": found["ram_bytes"],
        "flash": found["flash_bytes"],
        "instructions": found["instructions"],
        "tflm_arena": arena_of_tflm(model),
        "cmsis_nn_instructions": _of_cmsis_nn(name, before),
    }


def arena_of_tflm(model: Path) -> int:
    """The bytes of the arena that TFLite-Micro takes; it prints them to the process's output."""
    program = f"from tflite_micro import runtime; runtime.Interpreter.from_file({str(model)!r}).print_allocations()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    stated = ARENA.search(done.stdout + done.stderr)
    if stated is None:
        raise SystemExit("TFLite-Micro stated no arena")
    return int(stated[1])


def _of_cmsis_nn(name: str, before: Mapping[str, Row]) -> int:
    if not os.environ.get("CMSIS_NN_PATH"):
        return before[name]["cmsis_nn_instructions"]
    from benchmarks.external_cmsis_nn import measure as measure_library

    return measure_library(name, "m4").counts["always"].total


def host_ratios(page: str) -> dict[str, tuple[float, float]]:
    """The times of networks on one core, as parts of onnxruntime's and of the best other engine's."""
    return {row[1]: (float(row[5]), float(row[6])) for row in ROW.finditer(page) if row[1] in HOST}


def table(rows: Mapping[str, Row]) -> str:
    """The table of README."""
    head = [
        "MLPerf Tiny, int8, Cortex-M4",
        "RAM",
        "TFLite-Micro's arena",
        "flash",
        "instructions",
        "with CMSIS-NN's kernels",
    ]
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    for name, row in rows.items():
        figures = (row["ram"], row["tflm_arena"], row["flash"], row["instructions"], row["cmsis_nn_instructions"])
        lines.append(f"| {TITLES[name]} | " + " | ".join(f"{figure:,}" for figure in figures) + " |")
    return "\n".join(lines)


def draw(rows: Mapping[str, Row], ratios: Mapping[str, tuple[float, float]], ink: str, file: Path) -> None:
    """Draw three charts of bars, each as a part of what the others take."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "s2s", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9})
    mpl.rcParams.update(dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), ink))
    charts = [
        ("time on one core, onnxruntime = 1", {name: both[0] for name, both in ratios.items()}),
        ("RAM, TFLite-Micro = 1", {TITLES[name]: row["ram"] / row["tflm_arena"] for name, row in rows.items()}),
        (
            "instructions, CMSIS-NN = 1",
            {TITLES[name]: row["instructions"] / row["cmsis_nn_instructions"] for name, row in rows.items()},
        ),
    ]
    figure, axes = plt.subplots(1, 3, figsize=(10, 2.4), width_ratios=[1.3, 1, 1], layout="constrained")
    for axis, (title, parts) in zip(axes, charts, strict=True):
        names = list(parts)[::-1]
        axis.barh(names, [1.0] * len(names), color=OTHERS, alpha=0.35)
        axis.barh(names, [parts[name] for name in names], color=OURS)
        for place, name in enumerate(names):
            axis.text(parts[name] + 0.02, place, f"{parts[name]:.2f}", va="center")
        axis.set(xlim=(0, 1), xticks=[])
        axis.set_title(title, fontsize=9)
        axis.spines[:].set_visible(False)
        axis.tick_params(length=0)
    figure.savefig(file, transparent=True, metadata={"Date": None})  # pyright: ignore[reportUnknownMemberType]
    plt.close(figure)


def main() -> int:
    """Measure, write the figures, draw, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--drawn", action="store_true", help="measure nothing")
    asked = parser.parse_args()
    rows: dict[str, Row] = json.loads(FIGURES.read_text())
    if not asked.drawn:
        rows = {name: measure(name, rows) for name in NETWORKS}
        FIGURES.write_text(json.dumps(rows, indent=2) + "\n")
    for name, ink in INKS.items():
        draw(rows, host_ratios(PAGE.read_text()), ink, DOCS / f"front_page_{name}.svg")
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
