"""Targets of boards, under TVM's names."""

from s2s.errors import InputError
from s2s.tvm.micro.testing import utils
from s2s.tvm.target import Target
from s2s.tvm.target.makers import micro

BOARDS = {
    "mps2_an521": "mps2_an521",
    "nrf5340dk_nrf5340_cpuapp": "nrf5340dk",
    "nucleo_f746zg": "stm32f746xx",
    "nucleo_l4r5zi": "stm32l4r5zi",
    "stm32f746g_disco": "stm32f746xx",
}
"""Boards and the models of their processors."""


def get_target(platform: str, board: str | None = None) -> Target:
    """Return the target of a board; platform `crt` is this machine."""
    if platform == "crt":
        return Target("c -model=host")
    if board not in BOARDS:
        raise InputError(f"get_target: board {board!r} is not known; known are {', '.join(BOARDS)}; or give a Target")
    return micro(BOARDS[board])


__all__ = ["get_target", "utils"]
