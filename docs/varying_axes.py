"""The page of axes whose size may be given at run time, operator by operator.

What is said was found by compiling and running: `benchmarks.varying_axes --page docs` writes `docs/varying_axes.json`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs.onnx_support import NOTICE

FOUND = Path(__file__).with_name("varying_axes.json")
RUNS = "runs"
_INTRODUCTION = (
    "Of each operator of ONNX a case of its node tests was compiled once for each axis of its first operand that has "
    "three or more elements, with a size that varies from 2 to that number, or to three times as many where these are "
    "too few; operands that have to be as long varied too, and all others were constants. What was accepted ran at the "
    "least size, the greatest and one between, and its results were compared with ONNX's reference implementation; "
    "none differs. `varies` lists the axes that may vary, `:+2` behind one that goes by steps of 2, `refused` the "
    "others with the reason that `s2s` gives. Other attributes, or wider bounds, may let other axes vary. "
    "[The guide](../how-to/sizes.md) says how sizes are given.\n"
)


def varying_axes_page() -> str:
    """Every operator that was tried, and its axes."""
    found: Mapping[str, Any] = json.loads(FOUND.read_text(encoding="utf-8"))
    axes = [outcome for row in found.values() for outcome in row["axes"].values()]
    steps = [outcome for outcome in axes if outcome.startswith(f"{RUNS} by ")]
    lines = [
        NOTICE,
        "# Axes that may vary\n",
        _INTRODUCTION,
        f"{axes.count(RUNS)} of {len(axes)} axes of {len(found)} operators may vary, {len(steps)} more by steps.\n",
        "| operator | shape | varies | refused |",
        "|---|---|---|---|",
    ]
    for name, row in found.items():
        runs = [_varying(axis, said) for axis, said in row["axes"].items() if said.startswith(RUNS)]
        refused = [f"{axis}: {reason(said)}" for axis, said in row["axes"].items() if not said.startswith(RUNS)]
        lines.append(f"| `{name}` | {row['shape']} | {', '.join(runs)} | {'; '.join(refused)} |")
    return "\n".join(lines) + "\n"


def _varying(axis: str, outcome: str) -> str:
    """An axis, with the steps by which it goes."""
    return axis + outcome.removeprefix(RUNS).replace(" by steps of ", " `:+", 1) + ("`" if outcome != RUNS else "")


def reason(outcome: str) -> str:
    """Return the message of a refusal without the place and the way out."""
    text = outcome.removeprefix("refused: ")
    while text.startswith("--dim "):
        text = text.partition(": ")[2]
    text = text.partition(": ")[2] or text
    return text.partition("; ")[0].replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")
