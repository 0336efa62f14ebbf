"""The columns of the page of PyTorch that say along which axes a size may be given at run time.

What is said was found by compiling and running: `benchmarks.torch_axes --page docs` writes `docs/torch_axes.json`.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docs.varying_axes import RUNS, reason

FOUND = Path(__file__).with_name("torch_axes.json")
FIXED = "torch.export makes its size a constant"
"""What is said of an axis where torch exports no program of varying size."""
ABOUT = (
    "Of each overload that takes tensors a call was exported once for each listed axis of its first tensor, which has"
    " three or more elements, with a `torch.export.Dim` from that number to eight more, compiled, run at four sizes,"
    " and compared with torch; none differs. `shape` is that of the first tensor, `varies` lists axes that may vary,"
    " `fixed` those that `torch.export` makes constants, and `refused` the others with the reason that `s2s` gives."
    " Other arguments may let other axes vary. [The guide](../how-to/sizes.md) says how sizes are given.\n"
)


def stored_rows() -> Mapping[str, Any]:
    """The findings by overload: the shape, and the outcome of each axis."""
    return json.loads(FOUND.read_text(encoding="utf-8"))


def summary(rows: Mapping[str, Any]) -> str:
    """How many axes may vary."""
    outcomes = [outcome for row in rows.values() for outcome in row["axes"].values()]
    counted = f"{outcomes.count(RUNS)} of {len(outcomes)} axes of {len(rows)} overloads may vary"
    return f"{counted}, {outcomes.count(FIXED)} are fixed by `torch.export`. {ABOUT}"


def columns(row: Mapping[str, Any] | None) -> str:
    """The cells `shape | varies | fixed | refused` of an overload; empty ones if it has no axis to vary."""
    if row is None:
        return " | | | "
    axes = row["axes"]
    runs = ", ".join(axis for axis, outcome in axes.items() if outcome == RUNS)
    fixed = ", ".join(axis for axis, outcome in axes.items() if outcome == FIXED)
    others = {axis: outcome for axis, outcome in axes.items() if outcome not in (RUNS, FIXED)}
    refused = "; ".join(f"{axis}: {reason(outcome)}" for axis, outcome in others.items())
    return f"{row['shape']} | {runs} | {fixed} | {refused}"
