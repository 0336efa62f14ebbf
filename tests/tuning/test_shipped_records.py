"""The records that the compiler ships with: of this lowering, one for each task, of schedules that can be read, for
kernels that networks have, and of the instructions that they take.

Where the last two tests fail, the compiler has changed: `s2s records verify` writes the file anew.
"""

from functools import cache
from pathlib import Path

import pytest
from xdsl.parser import Parser

from s2s.compilation import Compilation
from s2s.decisions.keys import LOWERING
from s2s.decisions.records import SHIPPED
from s2s.dialects import tensor
from s2s.options import CompileOptions
from s2s.passes.context import CompilerContext
from s2s.tuning.measurer import Candidate
from s2s.tuning.on_board import BoardMeasurer
from s2s.tuning.open_decision import table_of
from s2s.tuning.records import MeasuredRecord, read_measured
from s2s.tuning.task import FoundKernel, kernels_of
from support.boards import board_or_skip
from support.project import SHARED

FILES = sorted(SHIPPED.glob("*.jsonl"))
RECORDS = [pytest.param(each, id=f"{path.stem}-{each.kernel}") for path in FILES for each in read_measured(path)]
NETWORKS = SHARED / "models" / "mlperf_tiny"
INT8 = [
    NETWORKS / f"{name}.tflite" for name in ("kws_ref_model_int8", "vww_96_int8", "pretrainedResnet_quant", "ad01_int8")
]
CHANGED = 1.01
"""How many times the instructions of its record a kernel may take after changes of the compiler."""


@cache
def kernels(target: str) -> dict[str, FoundKernel]:
    """The kernels of the networks that the records are of, by their keys."""
    options = CompileOptions(target=target, records=None)
    found = [each for path in INT8 for each in kernels_of(Compilation(path, options))]
    return {each.key: each for each in found}


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


@pytest.mark.skipif(not NETWORKS.exists(), reason="the networks of MLPerf Tiny are beside the project only")
@pytest.mark.parametrize("record", RECORDS)
def test_a_network_has_the_kernel(record: MeasuredRecord) -> None:
    assert record.task in kernels(record.target)


@pytest.mark.skipif(not NETWORKS.exists(), reason="the networks of MLPerf Tiny are beside the project only")
@pytest.mark.parametrize("record", RECORDS)
def test_the_kernel_takes_what_its_record_says_and_less_than_without_it(record: MeasuredRecord) -> None:
    board_or_skip(record.place)
    kernel = kernels(record.target)[record.task]
    made = [Candidate(kernel.task, {}), Candidate(kernel.task, table_of(record.decisions))]
    default, tuned = BoardMeasurer(record.place, sizes=False).measure(made)
    assert tuned.costs["instructions"] <= CHANGED * (record.cost or 0.0)
    assert tuned.costs["instructions"] < default.costs["instructions"]
