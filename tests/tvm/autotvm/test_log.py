"""Lines of logs: written, read, picked from, and those of tasks that are no more."""

import json
from pathlib import Path

import pytest

from s2s.errors import UnsupportedError
from s2s.tvm import autotvm
from s2s.tvm.autotvm.log import measured_records
from s2s.tvm.autotvm.measure_pair import MeasureInput, MeasureResult
from s2s.tvm.autotvm.template_task import TemplateTask
from support.autotvm import MATMUL, MadeUpRunner


@pytest.fixture(scope="module")
def task() -> TemplateTask:
    return autotvm.task.create(MATMUL, (16, "float32"), "host")


@pytest.fixture
def pairs(task: TemplateTask) -> list[tuple[MeasureInput, MeasureResult]]:
    found: list[tuple[MeasureInput, MeasureResult]] = []
    tuner = autotvm.tuner.RandomTuner(task)
    tuner.tune(
        4,
        autotvm.measure_option(runner=MadeUpRunner()),
        callbacks=[lambda _, inputs, results: found.extend(zip(inputs, results, strict=True))],
    )
    return found


def test_a_line_has_the_fields_of_autotvm(pairs: list[tuple[MeasureInput, MeasureResult]]) -> None:
    line = json.loads(autotvm.record.encode(*pairs[0]))
    config = pairs[0][0].config
    assert line["input"] == ["host", MATMUL, [16, "float32"], {}]
    assert line["config"] == config.to_json_dict()
    assert line["result"][:2] == [list(pairs[0][1].costs), 0]
    assert line["version"] == 0.2


def test_a_line_tells_our_task_key(task: TemplateTask, pairs: list[tuple[MeasureInput, MeasureResult]]) -> None:
    assert json.loads(autotvm.record.encode(*pairs[0]))["s2s"]["task"] == task.key


def test_a_measurement_goes_through_a_line(pairs: list[tuple[MeasureInput, MeasureResult]]) -> None:
    decoded = autotvm.record.decode(autotvm.record.encode(*pairs[0]))
    assert decoded is not None
    assert decoded[0].config.entities == pairs[0][0].config.entities
    assert decoded[1] == pairs[0][1]


def test_comments_are_no_measurements() -> None:
    assert autotvm.record.decode("# a comment") is None


def test_other_protocols_are_refused(pairs: list[tuple[MeasureInput, MeasureResult]]) -> None:
    with pytest.raises(UnsupportedError, match="protocol 'pickle'"):
        autotvm.record.encode(*pairs[0], protocol="pickle")


def test_the_best_of_a_log_is_picked(pairs: list[tuple[MeasureInput, MeasureResult]], tmp_path: Path) -> None:
    log, best = tmp_path / "all.log", tmp_path / "best.log"
    log.write_text("".join(autotvm.record.encode(*pair) + "\n" for pair in pairs))
    autotvm.record.pick_best(log, best)
    ((_, result),) = autotvm.record.load_from_file(best)
    assert result.costs[0] == min(each.costs[0] for _, each in pairs)


def line_of_tvm(name: str) -> str:
    """A line as TVM writes it, without a task key of ours."""
    entity = [["tile_y", "sp", [-1, 4]], ["tile_x", "sp", [-1, 8]]]
    return json.dumps(
        {
            "input": ["llvm", name, [16, "float32"], {}],
            "config": {"index": 17, "code_hash": None, "entity": entity},
            "result": [[0.002, 0.004], 0, 1.5, 1700000000.0],
            "version": 0.2,
            "tvm_version": "0.12.0",
        }
    )


def test_the_best_of_a_log_is_told_by_target(pairs: list[tuple[MeasureInput, MeasureResult]]) -> None:
    context = autotvm.ApplyHistoryBest(pairs)
    inp, result = min(pairs, key=lambda pair: pair[1].costs)
    ((key, workload),) = context.best_by_targetkey
    assert (key, workload) == ("cpu", inp.task.workload)
    assert context.best_by_targetkey[key, workload][1].costs == result.costs
    assert not context.best_by_model


def test_lines_of_tvm_count_for_templates_that_are_here(task: TemplateTask, tmp_path: Path) -> None:
    log = tmp_path / "tvm.log"
    log.write_text(line_of_tvm(MATMUL) + "\n")
    (record,) = measured_records(log)
    assert (record.task, record.cost) == (task.key, 0.003)


def test_lines_of_tasks_that_are_no_more_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = tmp_path / "tvm.log"
    log.write_text("# old\n" + line_of_tvm("dense_nopack.x86") + "\n" + line_of_tvm(MATMUL) + "\n")
    assert len(measured_records(log)) == 1
    assert "1 lines are of tasks that this program does not have" in caplog.text


def test_lines_of_another_lowering_are_told(
    pairs: list[tuple[MeasureInput, MeasureResult]], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    line = json.loads(autotvm.record.encode(*pairs[0]))
    line["s2s"]["lowering"] = 0
    log = tmp_path / "old.log"
    log.write_text(json.dumps(line) + "\n")
    assert measured_records(log) == []
    assert "measured with another version of the compiler" in caplog.text
