"""Records of measurements: read, the best of each task taken, obeyed by a compilation, and overruled by its user."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.api import Artifact
from s2s.api import compile as compile_network
from s2s.cli.main import run
from s2s.decisions import records as records_module
from s2s.decisions.decision import Decision
from s2s.decisions.records import choices_of, read_records, shipped_records
from s2s.errors import InputError
from support.onnx_text import onnx_file, onnx_model

TARGET = "x86-64-v3"
BODY = "(float[4, 16] x) => (float[4, 16] y) { [pool] y = Tanh (x) }"


def line(cost: float | None, chosen: str = "#a", task: str = "t", **changes: Any) -> dict[str, Any]:
    decisions = [{"kind": "schedule", "subject": task, "chosen": chosen}]
    record = {"format": 1, "task": task, "target": "host", "unit": "seconds", "cost": cost, "decisions": decisions}
    return {**record, **changes}


def chosen_of(*lines: dict[str, Any]) -> str:
    return choices_of(read_records(lines), "host")["schedule"]["t"]


def schedule_of(artifact: Artifact) -> Decision:
    return next(each for each in artifact.decisions if each.kind == "schedule")


def compiled(**options: Any) -> Artifact:
    return compile_network(onnx_model(BODY), target=TARGET, name="net", **options)


def other_schedule() -> dict[str, Any]:
    """A record that wants another schedule than the compiler's own."""
    chosen = schedule_of(compiled())
    plain = "#tensor.schedule<[]>"
    assert chosen.chosen != plain
    return line(1.0, plain, chosen.subject, target=TARGET)


def test_the_cheapest_record_of_a_task_counts():
    assert chosen_of(line(2.0, "#slow"), line(1.0, "#fast"), line(3.0, "#slower")) == "#fast"


def test_the_last_record_of_the_same_decisions_counts():
    assert chosen_of(line(1.0, "#a"), line(2.0, "#b"), line(3.0, "#a")) == "#b"


def test_a_failed_measurement_does_not_count():
    assert chosen_of(line(2.0, "#slow"), line(None, "#wrong")) == "#slow"


def test_costs_in_another_unit_are_not_compared():
    assert chosen_of(line(2.0, "#old"), line(900.0, "#new", unit="instructions")) == "#new"


def test_records_of_another_target_do_not_count():
    assert choices_of(read_records([line(1.0)]), "c") == {}


def test_an_incomplete_last_line_is_ignored(tmp_path: Path):
    file = tmp_path / "r.jsonl"
    file.write_text(f'{json.dumps(line(1.0))}\n{{"format": 1, "ta')
    assert [each.cost for each in read_records(file)] == [1.0]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{\n{}", "line 1 is no JSON"),
        ("{}", "line 1 is no record of format 1"),
        ("a model\n", "line 1 is no JSON"),
        ("a model", "line 1 is no JSON"),
        (json.dumps({**line(1.0), "cost": float("nan")}), "cost is no number; give one"),
        (json.dumps({**line(1.0), "task": 0}), "give task, target and unit"),
        (json.dumps({**line(1.0), "cost": "low"}), "cost is no number; give one"),
        (json.dumps({**line(1.0), "decisions": [{}]}), "give kind, subject and chosen"),
    ],
)
def test_files_that_are_none(text: str, reason: str, tmp_path: Path):
    file = tmp_path / "r.jsonl"
    file.write_text(text)
    with pytest.raises(InputError, match=reason):
        read_records(file)


def test_a_file_that_is_missing(tmp_path: Path):
    with pytest.raises(InputError, match="give a file of records"):
        read_records(tmp_path / "none.jsonl")


def test_a_record_decides():
    found = schedule_of(compiled(records=[other_schedule()]))
    assert (found.chosen, found.by, found.why) == ("#tensor.schedule<[]>", "record", "measured")


def test_what_a_record_decides_is_right():
    x = np.linspace(-2, 2, 64, dtype=np.float32).reshape(4, 16)
    subject = schedule_of(compile_network(onnx_model(BODY), target="host")).subject
    record = line(1.0, "#tensor.schedule<[]>", subject)
    with compile_network(onnx_model(BODY), target="host", records=[record]) as artifact:
        assert schedule_of(artifact).by == "record"
        np.testing.assert_allclose(artifact.run({"x": x})["y"], np.tanh(x), rtol=1e-5)


def test_the_user_overrules_a_record():
    record, mine = other_schedule(), "#tensor.schedule<[tile<0 by 2>]>"
    decisions = {"format": 1, "decisions": [{"kind": "schedule", "subject": record["task"], "chosen": mine}]}
    found = schedule_of(compiled(records=[record], decisions=decisions))
    assert (found.chosen, found.by) == (mine, "user")


def test_an_illegal_choice_of_a_record_is_ignored():
    illegal = "#tensor.schedule<[tile<9 by 2>]>"
    assert schedule_of(compiled(records=[line(1.0, illegal, other_schedule()["task"], target=TARGET)])).by == "model"


def test_decisions_of_records_given_back_without_the_records_give_the_same_tree():
    first = compiled(records=[other_schedule()])
    again = compiled(decisions=first.decisions.as_dict())
    assert again.decisions.as_dict() == first.decisions.as_dict()
    assert again.tree().files["src/net_kernels.c"] == first.tree().files["src/net_kernels.c"]


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in place of the one with the compiler's own records, with one record in it."""
    record = other_schedule()
    monkeypatch.setattr(records_module, "SHIPPED", tmp_path)
    (tmp_path / f"{TARGET}.jsonl").write_text(json.dumps(record) + "\n")
    shipped_records.cache_clear()
    yield tmp_path
    shipped_records.cache_clear()


def test_records_that_ship_with_the_compiler_decide(shipped: Path):
    assert schedule_of(compiled()).by == "record"


def test_they_can_be_left_out(shipped: Path):
    assert schedule_of(compiled(records=None)).by == "model"


def test_records_of_the_user_come_before_them(shipped: Path):
    mine = "#tensor.schedule<[tile<0 by 2>]>"
    task = json.loads((shipped / f"{TARGET}.jsonl").read_text())["task"]
    assert schedule_of(compiled(records=[line(99.0, mine, task, target=TARGET)])).chosen == mine


def test_the_command_line_takes_records(tmp_path: Path):
    model, records, written = onnx_file(BODY, tmp_path), tmp_path / "r.jsonl", tmp_path / "d.json"
    records.write_text(json.dumps(other_schedule()) + "\n")
    arguments = ["compile", str(model), "-o", str(tmp_path / "tree"), "--target", TARGET]
    assert run([*arguments, "--records", str(records), "--write-decisions", str(written)]) == 0
    decided = json.loads(written.read_text())["decisions"]
    assert [each["by"] for each in decided if each["kind"] == "schedule"] == ["record"]


def test_records_and_none_of_them_contradict_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model, records = onnx_file(BODY, tmp_path), tmp_path / "r.jsonl"
    records.write_text("")
    assert run(["compile", str(model), "--records", str(records), "--no-records"]) != 0
    assert "leave one of them out" in capsys.readouterr().err
