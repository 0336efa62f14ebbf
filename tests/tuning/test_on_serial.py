"""A board at a serial port is one more place to measure in; here an emulated one behind a pseudo-terminal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from s2s.cli.main import run
from s2s.compilation import Compilation
from s2s.errors import InputError
from s2s.options import CompileOptions
from s2s.tuning.measurement import ErrorKind
from s2s.tuning.measurer import Candidate
from s2s.tuning.places import default_target, make_measurer
from s2s.tuning.records import read_measured
from s2s.tuning.task import Task, tasks_of
from support.boards import board_or_skip
from support.serial_board import SerialPort, emulated_board_at_a_port
from support.trees import DIGITS

pytest.importorskip("serial")
BOARD = "qemu-m4"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SerialPort]:
    with emulated_board_at_a_port("qemu:m4", tmp_path_factory.mktemp("board")) as found:
        yield found


@pytest.fixture(scope="module")
def task() -> Task:
    return tasks_of(Compilation(DIGITS, CompileOptions(target="cortex-m4")))[-1]


def test_tuning_at_a_port_records_times_of_the_board(port: SerialPort, task: Task, tmp_path: Path) -> None:
    records = tmp_path / "r.jsonl"
    words = ["tune", str(DIGITS), "-o", str(records), "--only", task.name, "--trials", "2", "--tuner", "random"]
    assert run([*words, "--on", f"serial:{port.device}", "--board", BOARD, "--load", port.load]) == 0
    found = list(read_measured(records))
    assert {each.error for each in found} == {ErrorKind.NO_ERROR}
    assert {(each.place, each.unit, each.target) for each in found} == {("serial:qemu-m4", "seconds", "cortex-m4")}
    assert all(each.cost for each in found)


def test_a_port_that_is_not_there_is_refused_before_the_first_trial(
    task: Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board_or_skip("qemu:m4")
    records = tmp_path / "r.jsonl"
    words = ["tune", str(DIGITS), "-o", str(records), "--only", task.name, "--board", BOARD, "--load", "true"]
    assert run([*words, "--on", "serial:/dev/ttyNone"]) != 0
    errors = capsys.readouterr().err
    assert "--on serial:/dev/ttyNone: cannot be opened" in errors
    assert "name another port" in errors
    assert not records.exists()


def test_a_place_where_nothing_can_be_measured_is_an_error(
    port: SerialPort, task: Task, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["tune", str(DIGITS), "-o", str(tmp_path / "r.jsonl"), "--only", task.name, "--trials", "1"]
    words += ["--on", f"serial:{port.device}", "--board", BOARD, "--load", "echo no probe >&2; exit 3"]
    assert run(words) != 0
    errors = capsys.readouterr().err
    assert "no candidate could be measured" in errors
    assert "no probe" in errors


def test_a_program_that_cannot_be_loaded_is_told(port: SerialPort, task: Task) -> None:
    measurer = make_measurer(f"serial:{port.device}", board=BOARD, load="echo no probe >&2; exit 3")
    (found,) = measurer.measure([Candidate(task, {})])
    assert found.error is ErrorKind.RUNTIME_DEVICE
    assert "no probe" in found.message


def test_the_target_is_that_of_the_board() -> None:
    assert default_target("serial:/dev/ttyACM0", "nucleo-h743") == "cortex-m7"


def test_a_board_at_a_port_has_a_name() -> None:
    with pytest.raises(InputError, match="give --board NAME"):
        make_measurer("serial:/dev/ttyACM0")


def test_an_emulated_board_has_no_usual_way_to_load() -> None:
    with pytest.raises(InputError, match="give --load COMMAND"):
        make_measurer("serial:/dev/pts/1", board=BOARD)


def test_the_kind_of_board_is_for_serial_ports() -> None:
    with pytest.raises(InputError, match="--board and --load are for a board at a serial port"):
        make_measurer("host", board=BOARD)
