"""Candidates with equal code are measured once."""

from pathlib import Path

import pytest

from s2s.compilation import Compilation
from s2s.options import CompileOptions
from s2s.tuning.code import code_of
from s2s.tuning.measurer import Candidate
from s2s.tuning.on_board import BoardMeasurer
from s2s.tuning.task import tasks_of
from support.boards import board_or_skip
from support.onnx_text import onnx_file

PRODUCT = """(float[1, 32] x) => (float[1, 8] y) <float[32, 8] w = {WEIGHTS}> { y = MatMul (x, w) }"""
WEIGHTS = ", ".join(f"{number * 37 % 101 / 100:.2f}" for number in range(256))


def tree(folder: Path, comment: str, code: str) -> str:
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "a.c").write_text(f"/* {comment} */\n{code}\n")
    return code_of(folder)


def test_comments_do_not_count(tmp_path: Path) -> None:
    assert tree(tmp_path / "a", "tile 1", "int x;") == tree(tmp_path / "b", "tile\n * 2", "int x;")


def test_code_counts(tmp_path: Path) -> None:
    assert tree(tmp_path / "a", "", "int x;") != tree(tmp_path / "b", "", "int y;")


def test_equal_code_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board_or_skip("qemu:m4")
    model = onnx_file(PRODUCT.replace("WEIGHTS", WEIGHTS), tmp_path)
    (task,) = tasks_of(Compilation(model, CompileOptions(target="cortex-m4")))
    measurer = BoardMeasurer("qemu:m4", sizes=False)
    (first,) = measurer.measure([Candidate(task, {})])
    monkeypatch.setattr("s2s.tuning.on_board.BoardBuild", None)
    (again,) = measurer.measure([Candidate(task, {"schedule": {task.largest.key: task.default}})])
    assert again.costs == first.costs != {}
