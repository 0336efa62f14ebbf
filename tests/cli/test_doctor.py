"""`s2s doctor` says what is there and how to get the rest."""

import json
from pathlib import Path

import pytest

from s2s.boards import BOARDS
from s2s.cli.main import run
from s2s.support import extras
from s2s.verify import doctor
from support.boards import board_or_skip


def test_everything_is_listed_with_its_version(capsys: pytest.CaptureFixture[str]):
    board_or_skip("qemu:m4")
    assert run(["doctor", "--json"]) == 0
    found = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
    assert found["cortex-m4"]["found"].startswith("gcc ")
    assert found["qemu:m4"]["found"] == "ready"
    assert {f"qemu:{board.name}" for board in BOARDS} <= found.keys()
    assert all(bool(each["found"]) != bool(each["install"]) for each in found.values())


def test_what_is_missing_comes_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def nowhere(module: str) -> None:
        assert module

    monkeypatch.setattr(extras.importlib.util, "find_spec", nowhere)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    assert run(["doctor", "host", "cortex-m4", "qemu:m4", "verify"]) == 4
    shown = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in shown] == ["host", "cortex-m4", "qemu:m4", "verify"]
    assert all("missing" in line for line in shown)
    for line, install in zip(
        shown,
        (
            "apt-get install gcc",
            "apt-get install --no-install-recommends gcc-arm-none-eabi",
            "apt-get install --no-install-recommends gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm",
            "pip install 's2s-compiler[verify]'",
        ),
        strict=True,
    ):
        assert install in line


def test_what_nobody_wants_is_refused(capsys: pytest.CaptureFixture[str]):
    assert run(["doctor", "coffee"]) == 2
    assert "coffee: s2s wants no such thing; it knows host, " in capsys.readouterr().err


def test_serial_ports_and_programs_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "ttyACM0").touch()
    (tmp_path / "pio").touch(0o755)
    monkeypatch.setattr(doctor, "DEVICES", tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert run(["doctor", "--json", f"serial:{tmp_path}/ttyACM0", "pio"]) == 0
    port, program = json.loads(capsys.readouterr().out)
    assert (port["found"], program["found"]) == ("there", f"{tmp_path}/pio")
