"""Boards for tests: where their tools are missing, tests are skipped with the reason, but never in CI."""

import os

import pytest

from s2s.boards import Board, get_board
from s2s.verify.toolchain import missing_programs
from support.c_compilers import EVERYTHING


def board_or_skip(name: str) -> Board:
    """The board called `qemu:m4` and so on, if this machine can build for it and run it."""
    board = get_board(name)
    missing = missing_programs((board.processor().cc, *board.linker[:1], board.emulator[0]))
    if missing:
        reason = f"{name} wants {' and '.join(missing)}"
        if os.environ.get(EVERYTHING):
            pytest.fail(reason)
        pytest.skip(reason)
    return board
