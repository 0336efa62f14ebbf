"""The records that the compiler ships with: of this lowering, one for each task, and of schedules that can be read."""

from pathlib import Path

import pytest
from xdsl.parser import Parser

from s2s.decisions.keys import LOWERING
from s2s.decisions.records import SHIPPED
from s2s.dialects import tensor
from s2s.passes.context import CompilerContext
from s2s.tuning.records import read_measured

FILES = sorted(SHIPPED.glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_task_has_one_record_of_this_lowering(path: Path) -> None:
    records = read_measured(path)
    assert len({each.task for each in records}) == len(records) > 0
    assert {(each.target, each.lowering) for each in records} == {(path.stem, LOWERING)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_schedules_can_be_read(path: Path) -> None:
    for each in read_measured(path):
        for kind, _, chosen in each.decisions:
            assert kind == "schedule"
            assert isinstance(Parser(CompilerContext(), chosen).parse_attribute(), tensor.ScheduleAttr)
