"""The boards that projects are made for, as data. Real boards are built and flashed by PlatformIO with the Arduino
framework; emulated ones by make and QEMU."""

from typing import NamedTuple

from s2s.boards import BOARDS, Board
from s2s.errors import InputError

KIB, MIB = 1 << 10, 1 << 20


class ProjectBoard(NamedTuple):
    """A board that `s2s new` knows."""

    name: str
    description: str
    target: str
    platform: str = ""
    """PlatformIO's platform; empty for emulated boards."""
    board: str = ""
    """PlatformIO's name of the board."""
    flash: int = 0
    """Bytes of flash, from the data sheet; 0 where the board is emulated."""
    ram: int = 0
    """Bytes of RAM, from the data sheet; 0 where the board is emulated."""
    emulated: Board | None = None


PROJECT_BOARDS = (
    ProjectBoard("stm32f4-discovery", "STM32F407, Cortex-M4", "cortex-m4", "ststm32", "disco_f407vg", MIB, 192 * KIB),
    ProjectBoard("nucleo-h743", "STM32H743, Cortex-M7", "cortex-m7", "ststm32", "nucleo_h743zi", 2 * MIB, MIB),
    ProjectBoard("esp32", "ESP32, Xtensa LX6", "c", "espressif32", "esp32dev", 4 * MIB, 520 * KIB),
    ProjectBoard("rp2040", "Raspberry Pi Pico, Cortex-M0+", "cortex-m0plus", "raspberrypi", "pico", 2 * MIB, 264 * KIB),
    ProjectBoard("nrf52840", "nRF52840 DK, Cortex-M4", "cortex-m4", "nordicnrf52", "nrf52840_dk", MIB, 256 * KIB),
    *(
        ProjectBoard(f"qemu-{board.name}", board.description, board.target, emulated=board)
        for board in BOARDS
        if board.uart
    ),
)
"""Every board, real ones first."""


def project_board(name: str) -> ProjectBoard:
    """Return the board called `name`."""
    found = next((board for board in PROJECT_BOARDS if board.name == name), None)
    if found is None:
        raise InputError(f"--board {name}: there is no such board; {_way_out(name)}")
    return found


def _way_out(name: str) -> str:
    """What to give in place of a board that is not known."""
    from s2s.targets.chips import target_of_chip
    from s2s.targets.keys import did_you_mean

    names = tuple(board.name for board in PROJECT_BOARDS)
    target = target_of_chip(name)
    alike = next((board.name for board in PROJECT_BOARDS if board.platform and board.target == target), None)
    if alike is not None:
        return (
            f"give --board {alike}, which has the same core, and change three lines of the project's platformio.ini "
            f"(docs/how-to/boards.md); the boards are {', '.join(names)}"
        )
    return f"{did_you_mean(name, names)}the boards are {', '.join(names)}"
