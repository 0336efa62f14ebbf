"""Places to measure in, by name: this machine, emulated boards, and boards at a serial port."""

from s2s.boards import PREFIX, get_board
from s2s.errors import InputError
from s2s.projects import ProjectBoard, project_board
from s2s.support.jobs import jobs
from s2s.tuning.measurer import Limits, Measurer
from s2s.tuning.on_board import BoardMeasurer
from s2s.tuning.on_host import HostMeasurer
from s2s.verify import over_serial

HOST = "host"


def default_target(on: str, board: str = "") -> str:
    """Return the target that fits the place `on`; `board` is the kind of board at a serial port."""
    if on.startswith(over_serial.PREFIX):
        return _named(on, board).target
    return get_board(on).target if on.startswith(PREFIX) else HOST


def make_measurer(
    on: str, *, limits: Limits | None = None, parallel: int | None = None, board: str = "", load: str = ""
) -> Measurer:
    """Return what measures in the place `on`, and builds `parallel` candidates at a time, by default the
    number that `S2S_JOBS` or the cores allow.

    At a serial port, `board` is the kind of board, and the command `load` puts a program onto it.
    """
    if on.startswith(over_serial.PREFIX):
        from s2s.tuning.on_serial import SerialBoard, SerialMeasurer

        return SerialMeasurer(SerialBoard.of(on, _named(on, board), load), limits)
    if board or load:
        raise InputError(f"--on {on}: --board and --load are for a board at a serial port; leave them out")
    if on == HOST:
        return HostMeasurer(limits, parallel=parallel or jobs())
    if on.startswith(PREFIX):
        return BoardMeasurer(on, limits, parallel=parallel or jobs())
    raise InputError(f"--on {on}: there is no such place; give host, serial:PORT, or a board such as qemu:m4")


def _named(on: str, board: str) -> ProjectBoard:
    """The kind of board at a serial port."""
    if not board:
        raise InputError(f"--on {on}: does not tell the kind of board; give --board NAME, one of `s2s boards`")
    return project_board(board)
