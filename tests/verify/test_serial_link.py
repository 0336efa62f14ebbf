"""The host's end of a serial line, on a pseudo-terminal with the runtime's end at the other side."""

import os
import subprocess
import tty
from collections.abc import Generator
from pathlib import Path

import pytest

from s2s.errors import InputError, ToolchainError
from s2s.verify import serial_link
from s2s.verify.over_serial import parse_port
from s2s.verify.serial_link import SerialLink
from support.c_compilers import require, run
from support.project import ROOT

pytest.importorskip("serial")
BOARD = Path(__file__).parent / "serial_board.c"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The board as a program of this machine."""
    folder = tmp_path_factory.mktemp("serial")
    source = ROOT / "runtime_c" / "src" / "serial.c"
    run([require("gcc"), "-O1", f"-I{ROOT / 'runtime_c' / 'include'}", BOARD, source, "-o", "board"], folder)
    return folder / "board"


@pytest.fixture
def link(program: Path) -> Generator[SerialLink]:
    """A line to the board."""
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    port = os.ttyname(theirs)
    with subprocess.Popen([program], stdin=ours, stdout=ours) as board:
        opened = SerialLink(port)
        yield opened
        opened.close()
        board.kill()
    os.close(ours)
    os.close(theirs)


def test_board_says_what_it_runs(link: SerialLink):
    greeting = link.hello()
    assert greeting == ("bytes", bytes([0, 1, 2, 3, 4, 5, 6, 255]), (600,), (600, 1), 0)


def test_tensors_longer_than_a_frame_go_there_and_back(link: SerialLink):
    data = bytes(i * 7 % 256 for i in range(600))
    link.write(0, data)
    assert link.run() == (0, 0)
    assert link.read(0, 600) == bytes((byte + 1) % 256 for byte in data)


def test_lost_and_damaged_frames_are_sent_again(link: SerialLink, monkeypatch: pytest.MonkeyPatch):
    """The board runs once, although the request comes twice: the first reply is lost."""
    monkeypatch.setattr(serial_link, "RUN_ANSWER", 0.2)
    monkeypatch.setattr(serial_link, "ANSWER", 0.2)
    assert link.reset() == 0
    line, sent = link._line, list[bytes]()  # pyright: ignore[reportPrivateUsage]
    correct, read = line.write, line.read_until

    def write(frame: bytes) -> None:
        sent.append(frame)
        correct(bytes([frame[0] ^ 1]) + frame[1:] if len(sent) == 1 else frame)

    def read_until(end: bytes) -> bytes:
        found = read(end)
        return b"" if len(sent) == 2 else found

    monkeypatch.setattr(line, "write", write)
    monkeypatch.setattr(line, "read_until", read_until)
    assert link.run()[0] == 0
    assert len(sent) == 3
    assert link.read(1, 1) == b"\1"


def test_silent_board_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(serial_link, "ANSWER", 0.05)
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    opened = SerialLink(os.ttyname(theirs))
    with pytest.raises(ToolchainError, match="the board is silent"):
        opened.hello()
    opened.close()
    os.close(ours)
    os.close(theirs)


def test_what_the_board_refuses_is_an_error(link: SerialLink):
    with pytest.raises(
        ToolchainError, match=r"refuses request 4 \(there is no such tensor, or no such bytes\); build its"
    ):
        link.read(2, 1)


def test_port_that_cannot_be_opened_is_an_error():
    with pytest.raises(InputError, match="cannot be opened"):
        SerialLink("/dev/there-is-no-such-port")


def test_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "serial", None)
    with pytest.raises(InputError, match=r"pip install 's2s-compiler\[serial\]'"):
        SerialLink("/dev/ttyACM0")


def test_port_may_have_a_baud_rate():
    assert parse_port("serial:/dev/ttyACM0") == ("/dev/ttyACM0", 115200)
    assert parse_port("serial:/dev/ttyACM0@921600") == ("/dev/ttyACM0", 921600)
    for wrong in ("serial:", "serial:/dev/ttyACM0@fast"):
        with pytest.raises(InputError, match="names no port"):
            parse_port(wrong)


@pytest.mark.parametrize("reply", [b"\x02" + bytes(14), b"\x01\x02\x02" + bytes(12), b"\x01"])
def test_reply_of_another_program_is_an_error(reply: bytes, link: SerialLink, monkeypatch: pytest.MonkeyPatch):
    """Of another version, without the sizes that it names, and cut short."""

    def answer(*_: object, **__: object) -> bytes:
        return reply

    monkeypatch.setattr(link, "_ask", answer)
    with pytest.raises(ToolchainError, match="does not speak version 1 of the protocol"):
        link.hello()
    with pytest.raises(ToolchainError, match="does not speak version 1 of the protocol"):
        link.run()
    with pytest.raises(ToolchainError, match="does not speak version 1 of the protocol"):
        link.read(0, 600)


def test_another_host_may_count_its_runs_anew(link: SerialLink):
    """Both hosts call their run number 3; the second one runs the network, too."""
    assert link.reset() == 0
    for _ in range(2):
        link._number = 0  # pyright: ignore[reportPrivateUsage]
        link.hello()
        link.write(0, b"\5")
        assert link.run()[0] == 0
    assert link.read(1, 1) == b"\2"
