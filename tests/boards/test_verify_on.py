"""`s2s verify --on`: a network on every board, against the interpreter and against golden files."""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from s2s.boards import BOARDS
from s2s.cli.main import run
from s2s.verify import board_program
from support.boards import board_or_skip
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
FIGURES = (
    "instructions",
    "arena_bytes",
    "ram_bytes",
    "stack_bytes",
    "flash_bytes",
    "flash_code_bytes",
)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [board.name for board in BOARDS])
def test_network_runs_on_every_board(name: str, capsys: pytest.CaptureFixture[str]):
    board_or_skip(f"qemu:{name}")
    assert run(["verify", str(DIGITS), "--on", f"qemu:{name}", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["passed"]
    assert found["vectors"] == 4
    assert all(found[figure] > 0 for figure in FIGURES)
    counted = sum(layer["instructions"] for layer in found["layers"])
    assert found["instructions"] == pytest.approx(counted, rel=0.01)
    assert [layer["nodes"] for layer in found["layers"]][-1] == "softmax"
    assert found["against"].startswith("onnxruntime ")


def verified(capsys: pytest.CaptureFixture[str], *options: str, code: int = 0) -> dict[str, Any]:
    """The JSON of a verification on a board that exits with `code`."""
    board_or_skip("qemu:m4")
    assert run(["verify", str(DIGITS), "--on", "qemu:m4", "--json", *options]) == code
    return json.loads(capsys.readouterr().out)


def test_board_is_compared_with_the_engine_that_is_named(capsys: pytest.CaptureFixture[str]):
    for engine in ("reference", "onnxruntime"):
        pytest.importorskip("onnxruntime")
        found = verified(capsys, "--against", engine)
        assert found["against"].startswith(f"{engine} ")
        assert not found["self_check"]
    found = verified(capsys, "--against", "interpreter")
    assert found["against"] == "the graph interpreter of s2s"
    assert found["self_check"]


def test_engine_that_is_not_installed_is_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert run(["verify", str(DIGITS), "--on", "qemu:m4", "--against", "onnxruntime"]) == 2
    assert "--against onnxruntime: needs onnxruntime, which is not installed; pip install" in capsys.readouterr().err


def test_tolerance_holds_on_a_board(capsys: pytest.CaptureFixture[str]):
    found = verified(capsys, "--rtol", "0", "--atol", "0", code=1)
    assert not found["passed"]
    assert found["outputs"]["probabilities"]["tolerance"] == "0 + 0 * |expected|: as --rtol and --atol say"


def test_seed_and_levels_hold_on_a_board(capsys: pytest.CaptureFixture[str]):
    found = verified(capsys, "--seed", "5", "--levels")
    assert found["inputs"] == "4 made up, seeds 5 to 8"
    assert [level["level"] for level in found["levels"]] == ["model", "graph", "tensor", "loop", "c"]


def test_golden_file_that_is_wrong_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    np.savez(tmp_path / "g.npz", x=np.zeros((2, 1, 8, 8), np.float32), y=np.zeros((2, 10), np.float32))
    golden = ["--golden", str(tmp_path / "g.npz")]
    assert run(["verify", str(DIGITS), "--on", "qemu:m4", "--opt", "Os", "--json", *golden]) == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["passed"]
    assert not found["bit_exact"]
    assert found["vectors"] == 2


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"a": np.zeros(3)}, "holds no array 'x'; it holds a"),
        ({"x": np.zeros((2, 64)), "y": np.zeros((2, 10))}, "x is float64[2, 64], float32[N, 1, 1, 8, 8] wanted"),
        (
            {"x": np.zeros((2, 64), np.float32), "y": np.zeros((1, 10), np.float32)},
            "holds [1, 2] sets of inputs and outputs",
        ),
    ],
)
def test_golden_file_of_another_form_is_refused(
    arrays: dict[str, np.ndarray], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    board_or_skip("qemu:m4")
    np.savez(tmp_path / "g.npz", allow_pickle=False, **arrays)
    assert run(["verify", str(DIGITS), "--on", "qemu:m4", "--golden", str(tmp_path / "g.npz")]) == 2
    assert message in capsys.readouterr().err


def test_missing_tools_are_one_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def missing(names: tuple[str, ...]) -> list[str]:
        return list(names)

    monkeypatch.setattr(board_program, "missing_programs", missing)
    assert run(["verify", str(DIGITS), "--on", "qemu:riscv32"]) == 4
    assert capsys.readouterr().err == (
        "s2s: error: --on qemu:riscv32: riscv64-unknown-elf-gcc and qemu-system-riscv32 not installed; on Debian: "
        "apt-get install --no-install-recommends gcc-riscv64-unknown-elf "
        "picolibc-riscv64-unknown-elf qemu-system-misc\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--on", "m4"], "--on m4: there is no such board; the boards are qemu:m0, qemu:m3"),
        (["--opt", "O2"], "--opt O2: is for boards; add --on qemu:m4"),
        (["--golden", "g.npz", "--against", "reference"], "--golden and --against: the file holds"),
        (["--on", "qemu:m4", "--golden", "g.npz", "--seed", "1"], "--golden and --seed: the file holds"),
        (["--on", "qemu:m4", "--against", "tflm"], "digits.onnx is no TFLite model; try --against onnxruntime"),
        (["--on", "qemu:m4", "--rtol", "-1"], "--rtol -1.0: is no tolerance"),
        (["--on", "qemu:m4", "--executor", "graph"], "--on qemu:m4: runs trees of executor aot"),
    ],
)
def test_wrong_options_are_refused(options: list[str], message: str, capsys: pytest.CaptureFixture[str]):
    assert run(["verify", str(DIGITS), *options]) == 2
    assert message in capsys.readouterr().err


def test_profile_counts_the_instructions_of_each_kernel(capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    assert run(["profile", str(DIGITS), "--on", "qemu:m4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].endswith("all")
    assert [line.split()[-1] for line in lines[-3:-1]] == ["classify", "softmax"]


def test_profile_of_a_board_takes_no_runs(capsys: pytest.CaptureFixture[str]):
    assert run(["profile", str(DIGITS), "--on", "qemu:m4", "--runs", "3"]) == 2
    assert "--on qemu:m4: kernels are shown in the order of a run" in capsys.readouterr().err
