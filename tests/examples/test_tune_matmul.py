"""The tutorial of AutoTVM measures, logs, and builds the best product, as it is but for smaller matrices."""

import json
import runpy
from collections.abc import Callable
from pathlib import Path

from support.project import ROOT

SIZE, TRIALS = 128, 10
"""Rows of a matrix, a 64th of the tutorial's work; and the tutorial's own number of trials."""


def test_the_tutorial_builds_the_best_of_its_log(tmp_path: Path) -> None:
    log = tmp_path / "matmul.log"
    main: Callable[..., float] = runpy.run_path(str(ROOT / "examples" / "tune_matmul.py"))["main"]
    best = main(SIZE, log=log)
    results = [json.loads(line)["result"] for line in log.read_text().splitlines()]
    assert [error for _, error, *_ in results] == [0] * TRIALS
    assert best == min(costs[0] for costs, *_ in results)
