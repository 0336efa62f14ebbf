"""The tutorial of AutoTVM measures, logs, and builds the best product."""

import json
import runpy
from collections.abc import Callable
from pathlib import Path

from support.project import ROOT


def test_the_tutorial_builds_the_best_of_its_log(tmp_path: Path) -> None:
    log = tmp_path / "matmul.log"
    main: Callable[..., float] = runpy.run_path(str(ROOT / "examples" / "tune_matmul.py"))["main"]
    best = main(16, 4, log)
    costs = [json.loads(line)["result"][0][0] for line in log.read_text().splitlines()]
    assert len(costs) == 4
    assert best == min(costs)
