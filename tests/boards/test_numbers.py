"""What a tree says of itself before it is flashed, held against the linked program and a painted stack on a board."""

import json
from pathlib import Path

import pytest

from s2s.artifact import compile_artifact
from s2s.boards import BOARDS, get_board
from s2s.cli.main import run
from s2s.options import CompileOptions
from s2s.verify.on_board import BoardBuild
from support.boards import board_or_skip
from support.project import ROOT, SHARED

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
TINY = SHARED / "models" / "mlperf_tiny"
MODELS = [DIGITS, *sorted(TINY.glob("*_int8.tflite"))]
TOO_LARGE = {("ad01_int8", "m0")}
"""Networks that a board has no room for: 273 kB of flash where there are 256."""
PAIRS = [(model, board.name) for model in MODELS for board in BOARDS if (model.stem, board.name) not in TOO_LARGE]
CLOSE = 1.05
"""An upper bound may be this much larger than what is used."""
GAPS = 16
"""Bytes that alignment, and branches of library functions that a run does not take, leave unused."""


@pytest.mark.sample(3)
@pytest.mark.parametrize(("model", "name"), PAIRS, ids=[f"{model.stem}-{name}" for model, name in PAIRS])
def test_figures_are_what_the_board_finds(model: Path, name: str, tmp_path: Path):
    board = board_or_skip(f"qemu:{name}")
    artifact = compile_artifact(model, CompileOptions(target=board.target))
    said = artifact.measure()
    assert said is not None
    build = BoardBuild(artifact.tree().write(tmp_path / artifact.name), board)
    try:
        found = build.run([vector.inputs for vector in artifact.info.golden], layers=False)
    finally:
        build.close()
    if "clang" in board.processor().cc:
        assert said.stack is None
        assert "clang" in said.stack_note
    else:
        assert said.stack is not None
        assert found.stack <= said.stack <= max(found.stack * CLOSE, found.stack + GAPS)
    assert said.code == found.network.code
    assert said.constants == found.network.constants
    assert said.static_ram == found.network.data + found.network.zeroed


def test_header_record_and_report_state_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    assert run(["compile", str(DIGITS), "-o", str(tmp_path / "tree"), "--target", "cortex-m4"]) == 0
    capsys.readouterr()
    header = " ".join((tmp_path / "tree" / "include" / "digits.h").read_text().split())
    measured = json.loads((tmp_path / "tree" / "metadata.json").read_text())["measured"]
    assert f"#define DIGITS_STACK_SIZE {measured['stack']}u /* bytes of the deepest stack, by gcc" in header
    assert f"#define DIGITS_CODE_SIZE {measured['code']}u " in header
    assert f"#define DIGITS_FLASH_SIZE {measured['code'] + measured['constants']}u " in header
    reports: list[dict[str, object]] = []
    for args in ([str(DIGITS), "--target", "cortex-m4"], [str(tmp_path / "tree")]):
        assert run(["report", *args, "--json"]) == 0
        reports.append(json.loads(capsys.readouterr().out))
    of_model, of_tree = reports
    assert {key: of_model[key] for key in of_tree} == of_tree
    assert of_tree["stack"] == measured["stack"]


def test_budgets_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    target = board_or_skip("qemu:m4").target
    figures = compile_artifact(DIGITS, CompileOptions(target=target)).measure()
    assert figures is not None
    assert figures.stack is not None
    flash, stack = figures.flash, figures.stack
    args = ["compile", str(DIGITS), "-o", str(tmp_path / "tree"), "--target", target]
    for option, size in (("--flash-budget", flash), ("--stack-budget", stack)):
        assert run([*args, option, str(size - 1)]) == 2
        assert f"{option} {size - 1}: digits takes {size} bytes" in capsys.readouterr().err
        assert not (tmp_path / "tree").exists()
    assert run([*args, "--flash-budget", str(flash), "--stack-budget", str(stack)]) == 0


def test_boards_are_known_by_name():
    assert get_board("qemu:m4").processor().name == "cortex-m4"
