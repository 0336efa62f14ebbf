"""How the command line talks: help, advice, errors of every kind, and figures that fit."""

import errno
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from s2s.cli import output
from s2s.cli.main import run
from s2s.targets import Target
from s2s.verify import figures
from support.project import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"


def test_s2s_alone_shows_its_help(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", ["s2s"])
    assert run() == 0
    shown = capsys.readouterr()
    assert "Usage: s2s" in shown.out
    assert shown.err == ""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ["compile", "a.onnx", "--executor", "foo"],
            "'--executor': 'foo' is not one of 'aot', 'graph'. See s2s compile --help.",
        ),
        (["compile", "a.onnx", "--threads", "x"], "'--threads': 'x' is not a valid integer. See s2s compile --help."),
        (["verify", "a.onnx", "--rtol", "x"], "'--rtol': 'x' is not a valid float. See s2s verify --help."),
        (["run", "nowhere"], "nowhere: there is no such folder; give the directory that `s2s compile` made"),
        (["compile", str(DIGITS), "--target", "cortex-m5"], "did you mean cortex-m55?"),
    ],
)
def test_errors_are_in_our_words(args: list[str], said: str, capsys: pytest.CaptureFixture[str]):
    assert run(args) == 2
    assert said in capsys.readouterr().err


def test_errors_are_json_where_json_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["report", str(tmp_path / "none.onnx"), "--json"]) == 2
    shown = capsys.readouterr()
    error = json.loads(shown.out)["error"]
    assert (error["kind"], error["exit_code"]) == ("InputError", 2)
    assert error["message"] in shown.err


def test_a_full_disk_is_no_bug():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "s2s", "inspect", str(DIGITS)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert (
        done.stderr == "s2s: error: standard output: cannot be written (No space left on device); send it elsewhere\n"
    )
    assert done.returncode == 2


def test_a_full_disk_of_temporary_files_is_told(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("s2s.inspection.inspect_model", full)
    assert run(["inspect", str(DIGITS)]) == 2
    wanted = "a temporary file: cannot be written (No space left on device); free some space, or set TMPDIR"
    assert wanted in capfd.readouterr().err


@pytest.mark.parametrize("command", ["quantize", "quantise"])
def test_both_spellings_are_taken(command: str, capsys: pytest.CaptureFixture[str]):
    assert run([command, "none.onnx", "--data", "none.npz"]) == 2
    assert "none." in capsys.readouterr().err


def test_a_report_without_the_cross_compiler_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def nothing(target: Target) -> None:
        assert target.name == "cortex-m4"

    monkeypatch.setattr(figures, "compiler_for", nothing)
    assert run(["report", str(DIGITS), "--target", "cortex-m4"]) == 0
    shown = capsys.readouterr().out
    assert "not measured: arm-none-eabi-gcc is not installed; on Debian: apt-get install --no-install-" in shown


def test_overlaps_are_a_table(capsys: pytest.CaptureFixture[str]):
    assert run(["report", str(DIGITS), "--target", "cortex-m4"]) == 0
    shown = capsys.readouterr().out
    assert "\nresults that lie over what their kernel reads\n    " in shown
    assert max(map(len, shown.splitlines())) < 160


def test_quiet_prints_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["compile", str(DIGITS), "--target", "c", "-o", str(tmp_path / "tree"), "-q"]) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")
    assert (tmp_path / "tree" / "metadata.json").is_file()


def test_quiet_keeps_json(capsys: pytest.CaptureFixture[str]):
    assert run(["inspect", str(DIGITS), "--json", "--quiet"]) == 0
    assert '"parameters"' in capsys.readouterr().out


def test_verbose_says_what_is_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["compile", str(DIGITS), "--target", "c", "-o", str(tmp_path / "tree"), "-v"]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[0].endswith(" s  reading the model")
    assert any(line.endswith(" s  tensor-lower-to-loop") for line in said)


def test_verbose_and_quiet_contradict(capsys: pytest.CaptureFixture[str]):
    assert run(["compile", str(DIGITS), "-v", "-q"]) == 2
    assert "--quiet: --verbose is given as well" in capsys.readouterr().err


def compile_digits(folder: Path, *options: str) -> None:
    assert run(["compile", str(DIGITS), "--target", "c", "-o", str(folder / "tree"), *options]) == 0


def test_logs_get_a_line_now_and_then(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(output, "INTERVAL", 0.0)
    compile_digits(tmp_path)
    assert "s2s: 0 s: reading the model\n" in capsys.readouterr().err
    compile_digits(tmp_path, "-q")
    assert capsys.readouterr() == ("", "")


def test_verbose_ends_with_the_time_of_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    compile_digits(tmp_path, "-v")
    assert capsys.readouterr().err.splitlines()[-1].endswith(" s  done")


def test_logs_and_terminals_get_the_time_of_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(output, "INTERVAL", 0.0)
    monkeypatch.setattr(output, "PATIENCE", 0.0)
    compile_digits(tmp_path)
    assert re.search(r"\ns2s: \d+\.\d s in all\n$", capsys.readouterr().err)
    compile_digits(tmp_path, "-q")
    assert capsys.readouterr() == ("", "")


def test_a_name_that_is_cut_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    model = tmp_path / "a_very_long_network_name_indeed.onnx"
    shutil.copy(DIGITS, model)
    assert run(["compile", str(model), "-o", str(tmp_path / "tree")]) == 0
    assert re.search(r"^named +a_very_long_netwo_[0-9a-f]{6}: C99", capsys.readouterr().out, re.MULTILINE)
    assert run(["compile", str(model), "--name", "brief", "-o", str(tmp_path / "tree")]) == 0
    assert "named" not in capsys.readouterr().out


def test_a_network_that_is_compared_with_s2s_itself_says_so_in_the_first_line(capsys: pytest.CaptureFixture[str]):
    assert run(["verify", str(DIGITS), "--against", "interpreter", "--target", "c"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert re.fullmatch(r"passed +True.*, but compared with s2s itself only", first)
