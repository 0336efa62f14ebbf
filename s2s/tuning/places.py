"""Places to measure in, by name: this machine, and emulated boards."""

from s2s.boards import PREFIX, get_board
from s2s.errors import InputError
from s2s.tuning.measurer import Limits, Measurer
from s2s.tuning.on_board import BoardMeasurer
from s2s.tuning.on_host import HostMeasurer

HOST = "host"


def default_target(on: str) -> str:
    """Return the target that fits the place `on`."""
    return get_board(on).target if on.startswith(PREFIX) else HOST


def make_measurer(on: str, *, limits: Limits | None = None, parallel: int = 1) -> Measurer:
    """Return what measures in the place `on`."""
    if on == HOST:
        return HostMeasurer(limits, parallel=parallel)
    if on.startswith(PREFIX):
        return BoardMeasurer(on, limits, parallel=parallel)
    raise InputError(f"--on {on}: there is no such place; give host, or a board such as qemu:m4")
