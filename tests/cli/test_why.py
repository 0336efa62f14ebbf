"""`s2s inspect --why` shows what was decided, by whom, and what else there was."""

import json
from pathlib import Path

import pytest

from s2s.cli.main import run
from support.onnx_text import onnx_file

POOL = "MaxPool <kernel_shape = [2, 2]>"
BODY = f"(float[1, 16, 8, 8] x) => (float[1, 16, 7, 7] y) {{ [one] a = {POOL} (x) [two] y = Softmax (a) }}"


def shown(folder: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert run(["inspect", str(onnx_file(BODY, folder)), "--why", "--target", "x86-64-v4", *options]) == 0
    return capsys.readouterr().out


def test_shows_decisions_and_runners_up_with_their_costs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = shown(tmp_path, capsys)
    assert "by the model: the cheapest dimension" in text
    assert "scalars: " in text
    assert "cycles" in text


def test_shows_one_layer(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    found = json.loads(shown(tmp_path, capsys, "one", "--json"))["decisions"]
    assert found
    assert all("one" in each["nodes"] for each in found)


def test_alternatives_come_with_what_to_write_to_have_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    found = json.loads(shown(tmp_path, capsys, "--json"))["decisions"]
    schedules = [each for each in found if each["kind"] == "schedule"]
    candidates = [other for each in schedules for other in each["candidates"] if "refused" not in other]
    assert all(other["choice"].startswith("#tensor.schedule<") for other in candidates)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--why", "nothing"], "no decision is about a node, kernel or subject of this name; the nodes are"),
        (["one"], "add --why"),
        (["--target", "c"], "add --why"),
    ],
)
def test_questions_that_make_no_sense(
    options: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert run(["inspect", str(onnx_file(BODY, tmp_path)), *options]) == 2
    assert reason in capsys.readouterr().err
