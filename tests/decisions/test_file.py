"""Files of decisions: written, given back whole or in part, refused where they are wrong."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from s2s.api import compile as compile_network
from s2s.cli.main import run
from s2s.decisions.file import read_decisions
from s2s.errors import InputError
from support.onnx_text import onnx_file, onnx_model
from support.project import SHARED

POOL = "MaxPool <kernel_shape = [2, 2]>"
NODES = f"[one] a = {POOL} (x) [two] b = {POOL} (a) [three] y = Softmax (b)"
BODY = f"(float[1, 16, 8, 8] x) => (float[1, 16, 6, 6] y) {{ {NODES} }}"
TARGET = "x86-64-v3"
READY_MADE = sorted([*SHARED.glob("models/onnx/*.onnx"), *SHARED.glob("models/mlperf_tiny/*.tflite")])


def files_of(tree: Path) -> dict[Path, bytes]:
    return {path.relative_to(tree): path.read_bytes() for path in tree.rglob("*") if path.is_file()}


def written(**changes: Any) -> dict[str, Any]:
    return {**compile_network(onnx_model(BODY), target=TARGET).decisions.as_dict(), **changes}


def one(kind: str, subject: str, chosen: str) -> dict[str, Any]:
    return written(decisions=[{"kind": kind, "subject": subject, "chosen": chosen}])


def refusal(decisions: Mapping[str, Any]) -> str:
    with pytest.raises(InputError) as error:
        compile_network(onnx_model(BODY), target=TARGET, decisions=decisions)
    return str(error.value)


@pytest.mark.sample(4)
@pytest.mark.parametrize("target", ["x86-64-v4", "c", "cortex-m4"])
@pytest.mark.parametrize("model", READY_MADE, ids=lambda model: model.name)
def test_what_was_written_gives_the_same_bytes(model: Path, target: str, tmp_path: Path):
    first = compile_network(model, target=target)
    again = compile_network(model, target=target, decisions=first.decisions.write(tmp_path / "d.json"))
    trees = [files_of(each.write(tmp_path / name)) for name, each in (("first", first), ("again", again))]
    assert trees[0] == trees[1]


def test_the_command_line_writes_and_takes_them(tmp_path: Path):
    model, file = onnx_file(BODY, tmp_path), tmp_path / "d.json"
    more = ["--target", TARGET, "--name", "net"]
    assert run(["compile", str(model), "-o", str(tmp_path / "first"), "--write-decisions", str(file), *more]) == 0
    assert run(["compile", str(model), "-o", str(tmp_path / "again"), "--decisions", str(file), *more]) == 0
    kernels = [(tmp_path / tree / "metadata.json").read_bytes() for tree in ("first", "again")]
    assert kernels[0] == kernels[1]


def test_the_record_of_a_tree_holds_them(tmp_path: Path):
    artifact = compile_network(onnx_model(BODY), target=TARGET)
    artifact.write(tmp_path / "tree")
    record = json.loads((tmp_path / "tree" / "metadata.json").read_text())
    assert record["decisions"] == [each.as_dict() for each in artifact.decisions]


def test_a_part_of_them_leaves_the_rest_to_the_compiler():
    decisions = written()
    part = {**decisions, "decisions": decisions["decisions"][-1:]}
    again = compile_network(onnx_model(BODY), target=TARGET, decisions=part)
    assert again.decisions.as_dict()["decisions"] == decisions["decisions"]


def test_an_unknown_subject_is_refused_with_those_there_are():
    schedules = [each["subject"] for each in written()["decisions"] if each["kind"] == "schedule"]
    text = refusal(one("schedule", "0000", "#tensor.schedule<[tile<9 by 2>]>"))
    assert "schedule of 0000" in text
    assert any(subject in text for subject in schedules)


def test_an_illegal_choice_is_refused_with_what_would_be_legal():
    found = next(each for each in written()["decisions"] if each["kind"] == "schedule")
    text = refusal(one("schedule", found["subject"], "#tensor.schedule<[tile<9 by 2>]>"))
    assert "is not legal" in text
    assert found["chosen"] in text


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ({"format": 9, "decisions": []}, "no file of decisions"),
        ({"format": 1, "decisions": [{"kind": "schedule"}]}, "is incomplete; give kind, subject and chosen"),
        ({"format": 1, "decisions": [{"kind": "sort", "subject": "a", "chosen": "b"}]}, "the kinds are"),
        (
            {"format": 1, "decisions": [{"kind": "schedule", "subject": "a", "chosen": each} for each in "bc"]},
            "decided twice",
        ),
    ],
)
def test_files_that_are_none(source: Mapping[str, Any], reason: str):
    with pytest.raises(InputError, match=reason):
        read_decisions(source)


@pytest.mark.parametrize(("content", "reason"), [(None, "give a file"), ("{", "no JSON")])
def test_files_that_cannot_be_read(content: str | None, reason: str, tmp_path: Path):
    file = tmp_path / "d.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InputError, match=reason):
        read_decisions(file)
