"""`s2s.toml` holds a model and its options: commands that are given no MODEL take them from there."""

import json
import shutil
from pathlib import Path
from typing import cast

import pytest

from s2s.cli.main import run
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(DIGITS, tmp_path / "net.onnx")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(tree: Path) -> dict[str, object]:
    return json.loads((tree / "metadata.json").read_text())


def test_compile_alone_repeats_the_build(folder: Path):
    (folder / "s2s.toml").write_text(
        'model = "net.onnx"\noutput = "tree"\ntarget = "c"\nname = "zip"\nexact = true\nthreads = 2\n'
        'shape = ["image=1,1,8,8"]\n'
    )
    assert run(["compile"]) == 0
    found = record(folder / "tree")
    assert found["name"] == "zip"
    options = found["options"]
    assert isinstance(options, dict)
    assert options == {"exact": True, "name": "zip", "shapes": {"image": [1, 1, 8, 8]}, "threads": 2}


def test_the_command_line_goes_before_the_file(folder: Path):
    (folder / "s2s.toml").write_text('model = "net.onnx"\noutput = "tree"\ntarget = "c"\nname = "zip"\n')
    assert run(["compile", "--name", "zap", "-o", "other"]) == 0
    assert record(folder / "other")["name"] == "zap"


def test_a_given_model_leaves_the_file_out(folder: Path):
    (folder / "s2s.toml").write_text('model = "none.onnx"\noutput = "tree"\ntarget = "c"\nname = "zip"\n')
    assert run(["compile", "net.onnx", "-o", "other", "--target", "c"]) == 0
    assert record(folder / "other")["name"] == "net"


def test_other_commands_take_it_too(folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "s2s.toml").write_text('model = "net.onnx"\ntarget = "cortex-m4"\noutput = "tree"\n')
    assert run(["report", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["target"] == "cortex-m4"


def test_memory_pools_and_a_device_with_generators_may_stand_in_it(folder: Path, capsys: pytest.CaptureFixture[str]):
    """`--why` names for each node who computes it, and why not the others, on its device."""
    (folder / "s2s.toml").write_text(
        'model = "net.onnx"\noutput = "tree"\ntarget = "c"\npool = ["tcm=4KiB", "sram=64KiB"]\n'
        '[devices.dsp]\noperators = ["matmul"]\nexternal = ["onednn=always"]\n'
    )
    assert run(["compile"]) == 0
    arena = record(folder / "tree")["arena"]
    pools = cast(dict[str, list[dict[str, object]]], arena)["pools"]
    assert {each["name"] for each in pools} <= {"tcm", "sram", "dsp"}
    capsys.readouterr()
    assert run(["inspect", "--why"]) == 0
    shown = capsys.readouterr().out
    assert "onednn: no pattern matches" in shown
    assert "onednn: it runs on main, and --external names other generators" in shown


def test_tables_of_devices_may_stand_in_it(folder: Path):
    (folder / "s2s.toml").write_text(
        'model = "net.onnx"\noutput = "tree"\ntarget = "c"\n[devices.dsp]\noperators = ["matmul"]\n'
    )
    assert run(["compile"]) == 0
    assert (folder / "tree" / "src" / "dsp" / "net_dsp_kernels.c").is_file()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('modle = "net.onnx"', "s2s.toml: modle: there is no such option; did you mean model"),
        (
            "model = 1.5",
            "s2s.toml: model: has a value of another type; give a text, a whole number",
        ),
        ("model = ", "s2s.toml: is no TOML"),
    ],
)
def test_a_wrong_file_is_refused(folder: Path, capsys: pytest.CaptureFixture[str], text: str, complaint: str):
    (folder / "s2s.toml").write_text(text)
    assert run(["compile"]) == 2
    assert complaint in capsys.readouterr().err


def test_without_file_and_model_the_model_is_missing(folder: Path, capsys: pytest.CaptureFixture[str]):
    assert not (folder / "s2s.toml").exists()
    assert run(["compile"]) == 2
    assert "MODEL" in capsys.readouterr().err


def test_only_compile_writes_to_the_output_of_the_file(folder: Path, capsys: pytest.CaptureFixture[str]):
    (folder / "s2s.toml").write_text('model = "net.onnx"\noutput = "tree"\n')
    assert run(["tune", "--trials", "1"]) == 2
    assert "output" in capsys.readouterr().err
    assert not (folder / "tree").exists()
