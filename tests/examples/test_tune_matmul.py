"""The tutorial of AutoTVM measures, logs, and builds the best product, as it is and within half a minute."""

import json
import resource
import runpy
from collections.abc import Callable
from pathlib import Path

from support.project import ROOT

TRIALS = 10
SECONDS = 30.0
"""Of all cores together: on one free core it takes no longer."""


def test_the_tutorial_builds_the_best_of_its_log(tmp_path: Path) -> None:
    log, before = tmp_path / "matmul.log", _cpu_seconds()
    main: Callable[..., float] = runpy.run_path(str(ROOT / "examples" / "tune_matmul.py"))["main"]
    best = main(log=log)
    results = [json.loads(line)["result"] for line in log.read_text().splitlines()]
    assert [error for _, error, *_ in results] == [0] * TRIALS
    assert best == min(costs[0] for costs, *_ in results)
    assert _cpu_seconds() - before < SECONDS


def _cpu_seconds() -> float:
    """CPU time of this process and of those that it has started, which other work on the machine does not add to."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
