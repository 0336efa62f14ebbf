"""Who names a microcontroller in place of its core, or a board that is not known, is told what to give."""

import pytest

from s2s.errors import InputError
from s2s.projects.boards import PROJECT_BOARDS, project_board
from s2s.targets import get_target, target_names
from s2s.targets.chips import FAMILIES, target_of_chip

CHIPS = {
    "STM32F446RE": "cortex-m4",
    "stm32wb55": "cortex-m4",
    "stm32wba52": "cortex-m33",
    "nRF52840": "cortex-m4",
    "nrf5340": "cortex-m33",
    "nucleo-f446re": "cortex-m4",
    "NUCLEO-H743ZI": "cortex-m7",
    "esp32-c3": "rv32imc",
    "esp32": "c",
    "z80": None,
}


@pytest.mark.parametrize("chip", CHIPS)
def test_the_core_of_a_chip(chip: str) -> None:
    """The longest name of a family that the chip's name begins with decides."""
    assert target_of_chip(chip) == CHIPS[chip]


def test_families_have_targets_that_exist() -> None:
    """Each is a target of the package."""
    assert set(FAMILIES.values()) <= set(target_names())


def test_targets_are_no_chips() -> None:
    """No target of the package is taken for a chip."""
    assert [name for name in target_names() if target_of_chip(name) is not None] == []


def test_boards_have_the_target_of_their_chip() -> None:
    """What the projects of real boards are compiled for is what their chips are known by."""
    for board in PROJECT_BOARDS:
        chip = board.description.split(",")[0] if board.name.startswith(("stm", "nucleo")) else board.name
        assert board.emulated is not None or target_of_chip(chip) == board.target, board.name


def test_a_chip_given_as_target() -> None:
    """The message names the target of its core."""
    with pytest.raises(
        InputError, match=r"^--target stm32f4: is a microcontroller, not a core; give --target cortex-m4$"
    ):
        get_target("stm32f4")


def test_an_unknown_board_with_a_known_core() -> None:
    """The message names a board with the same core."""
    with pytest.raises(
        InputError, match=r"^--board nucleo-f446re: .* give --board stm32f4-discovery, which has the same core"
    ):
        project_board("nucleo-f446re")


def test_a_board_that_is_misspelt() -> None:
    """The message names the nearest."""
    with pytest.raises(InputError, match=r"did you mean esp32\? "):
        project_board("esp23")
