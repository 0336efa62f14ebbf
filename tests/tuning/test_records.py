"""Files of records: what is written comes back, whatever happened to the last writer."""

import json
from pathlib import Path

import pytest

from s2s.cli.main import run
from s2s.errors import InputError
from s2s.tuning.autotvm_log import FAILED, as_log_line, is_log, read_log
from s2s.tuning.measurement import ErrorKind
from s2s.tuning.records import MeasuredRecord, RecordFile, best_records, merged, read_measured, write_records

SCHEDULE = "#tensor.schedule<[tile<0 by 4>]>"


def record(cost: float | None, task: str = "0123456789abcdef", **more: object) -> MeasuredRecord:
    error = ErrorKind.NO_ERROR if cost is not None else ErrorKind.RUN_TIMEOUT
    decisions = (("schedule", task, SCHEDULE),)
    return MeasuredRecord(task, "cortex-m4", decisions, cost, "instructions", error, kernel="conv", **more)  # type: ignore[arg-type]


def written(path: Path, *records: MeasuredRecord) -> Path:
    with RecordFile(path) as file:
        for each in records:
            file.append(each)
    return path


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    first, second = record(12.0, flags=("-O3",), noise=0.25), record(None, message="no result within 20 s")
    assert read_measured(written(tmp_path / "r.jsonl", first, second)) == (first, second)


def test_writers_append(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", record(2.0))
    assert [each.cost for each in read_measured(written(path, record(1.0)))] == [2.0, 1.0]


def test_a_torn_last_line_is_not_read(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", record(2.0))
    path.write_text(path.read_text() + record(1.0).line()[:40])
    assert [each.cost for each in read_measured(path)] == [2.0]


def test_the_next_writer_cuts_a_torn_line_off(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", record(2.0))
    path.write_text(path.read_text() + record(1.0).line()[:40])
    assert [each.cost for each in read_measured(written(path, record(3.0)))] == [2.0, 3.0]


def test_a_broken_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text("{\n" + record(1.0).line())
    with pytest.raises(InputError, match="line 1 is no JSON"):
        read_measured(path)


def test_counts_are_listed_with_all_their_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "r.jsonl", record(3559705.0), record(0.0123456789))
    assert run(["records", "list", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "3,559,705 instructions" in shown
    assert "0.0123457 instructions" in shown


@pytest.mark.parametrize("place", ["/dev/zero", "/dev/full", "/"])
def test_what_is_no_file_is_refused(place: str) -> None:
    with pytest.raises(InputError, match=f"{place}: is no regular file; give another file"):
        RecordFile(place)


def test_a_full_disk_is_told_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RecordFile(tmp_path / "r.jsonl") as file:
        monkeypatch.setattr(file, "_file", open("/dev/full", "wb"))  # noqa: SIM115
        with pytest.raises(InputError, match=r"r\.jsonl: cannot be written \(No space left on device\)"):
            file.append(record(1.0))


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with RecordFile(tmp_path / "r.jsonl"), pytest.raises(InputError, match="another tuner writes"):
        RecordFile(tmp_path / "r.jsonl")


def test_the_best_record_of_each_task_is_the_cheapest_that_succeeded() -> None:
    records = [record(3.0), record(None), record(2.0), record(9.0, "fedcba9876543210")]
    assert [each.cost for each in best_records(records)] == [2.0, 9.0]


def test_merging_keeps_equal_records_once() -> None:
    assert merged([[record(1.0), record(2.0)], [record(2.0), record(3.0)]]) == (record(1.0), record(2.0), record(3.0))


def test_a_log_of_autotvm_keeps_every_field(tmp_path: Path) -> None:
    log = tmp_path / "r.log"
    log.write_text("".join(map(as_log_line, [record(1.0), record(None)])))
    assert is_log(log)
    assert read_log(log) == ((record(1.0), record(None)), ())


def test_a_log_line_has_the_fields_of_autotvm() -> None:
    line = json.loads(as_log_line(record(None)))
    assert line["result"][:2] == [[FAILED], 7]
    assert line["config"]["entity"] == [["schedule 0123456789abcdef", "ot", SCHEDULE]]


def test_log_lines_without_a_task_of_ours_are_told_apart(tmp_path: Path) -> None:
    log = tmp_path / "r.log"
    log.write_text(
        '# a comment\n{"input": ["llvm", "conv2d", [], {}], "result": [[1.0], 0, 1, 1]}\n' + as_log_line(record(1.0))
    )
    found, foreign = read_log(log)
    assert found == (record(1.0),)
    assert [line["input"] for line in foreign] == [["llvm", "conv2d", [], {}]]


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = written(tmp_path / "r.jsonl", record(2.0), record(1.0))
    write_records(path, [record(1.0)])
    assert [each.cost for each in read_measured(path)] == [1.0]
    assert list(tmp_path.iterdir()) == [path]
